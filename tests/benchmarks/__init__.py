"""Measurements against the performance goals. Not collected by pytest: no test is timed.

`python -m tests.benchmarks [NAME ...] [--size 10k]` prints one JSON object a goal and exits 1 if
a goal is missed.
"""
