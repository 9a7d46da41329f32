"""Measuring: suites of questions with known evidence, arms that answer them, metrics, reports."""
