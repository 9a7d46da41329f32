"""A pattern that is compiled late does what one that is compiled at once does."""

import copy
import importlib
import pickle
import pkgutil
import re
import sys
from collections.abc import Callable
from typing import Any

import pytest

import memcli
from memcli.core import patterns


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("search", ("say Ada",)),
        ("match", ("say Ada",)),
        ("fullmatch", ("ADA",)),
        ("findall", ("Ada, ada",)),
        ("split", ("x Ada y",)),
        ("sub", ("Tom", "Ada went")),
        ("subn", (lambda found: found[0] * 2, "Ada")),
    ],
)
def test_does_as_a_compiled_one(name: str, arguments: tuple[Any, ...]) -> None:
    late, now = patterns.pattern("(?P<who>a)da", re.IGNORECASE), re.compile("(?P<who>a)da", re.I)
    for _ in range(2):
        ours, theirs = (getattr(one, name)(*arguments) for one in (late, now))
        assert repr(ours) == repr(theirs)
    assert (late.pattern, late.flags, late.groups) == (now.pattern, now.flags, now.groups)
    assert late.groupindex == now.groupindex


def test_is_compiled_with_the_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    real = re.compile

    def compile(source: str, flags: int = 0) -> "re.Pattern[str]":
        compiled.append(source)
        return real(source, flags)

    monkeypatch.setattr(re, "compile", compile)
    late = patterns.pattern("a+")
    assert not compiled
    assert late.search("caat")
    assert late.search("t") is None
    assert compiled == ["a+"]


def test_every_pattern_of_the_program_can_be_compiled() -> None:
    for found in pkgutil.walk_packages(memcli.__path__, "memcli."):
        if "__main__" not in found.name:
            importlib.import_module(found.name)
    late = [
        one
        for name, module in list(sys.modules.items())
        if name.startswith("memcli.")
        for one in vars(module).values()
        if isinstance(one, patterns._Late)
    ]
    assert len(late) > 50
    for one in late:
        assert one.groups >= 0


@pytest.mark.parametrize("used", [False, True])
@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))]
)
def test_is_copied(copied: Callable[[Any], Any], used: bool) -> None:
    late = patterns.pattern("(?P<who>a)da", re.IGNORECASE)
    if used:
        assert late.search("Ada")
    again = copied(late)
    assert (again.pattern, again.flags) == ("(?P<who>a)da", late.flags)
    assert again.fullmatch("ADA")


def test_has_no_special_names_of_its_own() -> None:
    assert not hasattr(patterns.pattern("a"), "__len__")
