"""Shares as they are written in reports: `.712`, `+.038`, `.61-.79`."""


def number(value: float | None) -> str:
    """A share with three places, .712; 1.000; - for none."""
    if value is None:
        return "-"
    text = f"{value:.3f}"
    return text[1:] if text.startswith("0.") else text


def signed(value: float | None) -> str:
    """The same with its sign."""
    return "-" if value is None else ("-" if value < 0 else "+") + number(abs(value))


def interval(low: float | None, high: float | None) -> str:
    """`.612-.790`, or nothing."""
    return "" if low is None or high is None else f"{number(low)}-{number(high)}"
