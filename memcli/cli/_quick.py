"""Read a plain command line without Typer, whose import costs more than most commands do.

Whatever is not plain is left to Typer: help, mistakes, and spellings nobody can be sure about.
So Typer alone says what is wrong, and a test holds both to the same values.
"""

from collections.abc import Callable, Sequence
from typing import Any

from memcli.cli._params import Argument, Option, Param, params_of


class _Unusual(Exception):  # noqa: N818 (it is no error)
    """This command line is for Typer."""


def read(call: Callable[..., Any], words: Sequence[str]) -> dict[str, Any] | None:
    """The values that Typer would call the command with, or None if it is to be asked."""
    params = params_of(call)
    options = {
        name: param
        for param in params
        if isinstance(param.declared, Option)
        for name in param.declared.names
    }
    arguments = [param for param in params if isinstance(param.declared, Argument)]
    given: dict[str, Any] = {}
    try:
        placed = _options(options, list(words), given)
        _arguments(arguments, placed, given)
    except _Unusual:
        return None
    if any(param.required and param.name not in given for param in params):
        return None
    return {param.name: given.get(param.name, param.default) for param in params}


def _options(options: dict[str, Param], words: list[str], given: dict[str, Any]) -> list[str]:
    """Take the options out of the words; the rest comes back."""
    placed: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            placed += rest
        elif not word.startswith("-") or word == "-":
            placed.append(word)
        else:
            name, equals, value = word.partition("=")
            param = options.get(name)
            if param is None or (equals and not name.startswith("--")):
                raise _Unusual
            if param.type is bool:
                _put(param, given, "" if equals else True)
            else:
                _put(param, given, value if equals else _next(rest))
    return placed


def _next(rest: Any) -> str:
    value: str = next(rest, "-")
    if value.startswith("-"):
        raise _Unusual
    return value


def _put(param: Param, given: dict[str, Any], value: str | bool) -> None:
    if param.many:
        given.setdefault(param.name, []).append(value)
    elif param.name in given or value == "":
        raise _Unusual
    else:
        given[param.name] = _typed(param, value)


def _typed(param: Param, value: str | bool) -> Any:
    if param.words and value not in param.words:
        raise _Unusual
    if param.type not in (int, float):
        return value
    whole, _, part = str(value).partition(".")
    if not _is_digits(whole) or (part and (param.type is int or not _is_digits(part))):
        raise _Unusual
    number = param.type(value)
    least, most = param.declared.least, param.declared.most
    if (least is not None and number < least) or (most is not None and number > most):
        raise _Unusual
    return number


def _is_digits(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


def _arguments(arguments: list[Param], placed: list[str], given: dict[str, Any]) -> None:
    for param in arguments:
        if param.many and placed:
            given[param.name], placed = placed, []
        elif placed:
            given[param.name] = _typed(param, placed.pop(0))
    if placed:
        raise _Unusual
