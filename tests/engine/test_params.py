"""Parameters of a strategy, from words to values."""

from typing import Any

import pytest

from memcli.engine.params import build
from memcli.errors import UsageError
from memcli.registry import get_strategy
from memcli.strategies.reflect import Params


def made(configured: dict[str, Any] | None = None, **given: str) -> Params:
    found = build(get_strategy("reflect"), configured or {}, given)
    assert isinstance(found, Params)
    return found


def test_defaults_files_and_words() -> None:
    assert made() == Params()
    assert made({"questions": 2, "recent": 50}, recent="70") == Params(questions=2, recent=70)
    assert made(decay="0.99", threshold="10") == Params(decay=0.99, threshold=10.0)


BAD = [
    ("colour", "red"),
    ("recent", "0"),
    ("recent", "-1"),
    ("recent", "1e9"),
    ("recent", "\u0661"),
]
BAD += [
    ("recent", "2.0"),
    ("recent", ""),
    ("recent", "true"),
    ("questions", "-5"),
    ("decay", "nan"),
]
BAD += [("decay", "inf"), ("decay", "0"), ("decay", "1.5"), ("threshold", "-1"), ("unrated", "11")]


@pytest.mark.parametrize(("name", "value"), BAD)
def test_what_does_not_fit(name: str, value: str) -> None:
    with pytest.raises(UsageError) as refused:
        made(**{name: value})
    assert refused.value.code == 2


def test_a_file_is_named() -> None:
    with pytest.raises(UsageError) as refused:
        made({"recent": "many"})
    assert refused.value.where == "mem.toml"
