"""The quick reader and Typer agree wherever the quick one answers at all."""

import random
import shlex
from collections.abc import Iterator

import pytest

from memcli.cli import _quick, _typer
from memcli.cli._command import NAMES
from memcli.cli._params import Argument, Param, params_of
from memcli.cli._run import load
from memcli.errors import UsageError

VALUES = [
    "x", "m4", "", "-", "--", "a=b", "0", "7", "0.5", "-3", "1e3", " 5", "+5", "1_000", "٣", "--json",
    "é", "raw", "html", "last~2", "99999999999", "user=ada", "--nope", "-x", "-q", "two words",
]  # fmt: skip


def both(name: str, words: list[str]) -> tuple[object, object]:
    """What each reader makes of the words; of a failure, its exit code and words."""
    found = load(name)
    quick = _quick.read(found.call, words)
    try:
        full: object = _typer.read(name, found, words)
    except UsageError as error:
        full = (error.code, error.what)
    return quick, full


def _words(draw: random.Random, params: tuple[Param, ...]) -> list[str]:
    words: list[str] = []
    for param in params:
        # About four options a line, however many there are: each may be one for Typer.
        if draw.random() > (0.95 if param.required else min(0.25, 4 / len(params))):
            continue
        likely = list(param.words) or (["5"] if param.type in (int, float) else ["x", "k=v"])
        value = draw.choice(likely if draw.random() < 0.9 else VALUES)
        if isinstance(param.declared, Argument):
            words.append(value)
            continue
        name = draw.choice(param.declared.names)
        if param.type is bool:
            words.append(draw.choice([name] * 9 + [f"{name}=true"]))
        else:
            plain, odd = [[name, value]], [[f"{name}={value}"], [name + value], [name]]
            words += draw.choice(plain * 5 + odd)
    if draw.random() < 0.1:
        words.insert(draw.randrange(len(words) + 1), draw.choice(VALUES))
    if draw.random() < 0.3:
        draw.shuffle(words)
    return words


def _lines(name: str) -> Iterator[list[str]]:
    draw = random.Random(name)
    params = params_of(load(name).call)
    for _ in range(80):
        yield _words(draw, params)


@pytest.mark.parametrize("name", NAMES)
def test_both_read_the_same(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    answered = 0
    for words in [*_lines(name), []]:
        quick, full = both(name, words)
        if quick is not None:
            answered += 1
            assert quick == full, words
    assert answered >= 10


@pytest.mark.parametrize("name", NAMES)
def test_examples_need_no_typer(name: str) -> None:
    for line in load(name).examples:
        for part in line.replace(";", "|").replace("&&", "|").replace(">", "|").split("|"):
            words = shlex.split(part)
            if words[:2] == ["mem", name]:
                assert _quick.read(load(name).call, words[2:]) is not None, part


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("log", "--help"),
        ("log", "-h"),
        ("log", "--lim 5"),
        ("log", "--limit"),
        ("log", "--limit=0"),
        ("log", "-n5"),
        ("log", "--limit 1 --limit 2"),
        ("log", "--store ''"),
        ("log", "extra"),
        ("log", "-sq x"),
        ("search", ""),
        ("search", "x --layer deep"),
        ("consolidate", ""),
        ("rate", "m4"),
    ],
)
def test_what_is_not_plain_is_left_to_typer(name: str, line: str) -> None:
    assert _quick.read(load(name).call, shlex.split(line)) is None
