"""Shares in reports."""

from memcli.kit.figures import interval, number, signed


def test_figures() -> None:
    assert [number(v) for v in (None, 0.0, 0.25, 1.0)] == ["-", ".000", ".250", "1.000"]
    assert [signed(v) for v in (None, 0.25, -0.25, 0.0)] == ["-", "+.250", "-.250", "+.000"]
    assert (interval(0.25, 0.5), interval(None, 1.0)) == (".250-.500", "")
