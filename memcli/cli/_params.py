"""How a command declares its parameters, once for Typer and for the quick reader.

A parameter of the command's function is `Annotated[type, Option(...)]`. The types are bool (a
flag), str, int, a Literal of words, each perhaps `| None`, and lists of str.
"""

from collections.abc import Callable
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin


class Option:
    """An option: its names, what stands for its value, its help, the bounds of a number."""

    def __init__(
        self,
        *names: str,
        metavar: str | None = None,
        help: str = "",
        least: int | None = None,
        most: int | None = None,
    ) -> None:
        self.names = names
        self.metavar = metavar
        self.help = help
        self.least = least
        self.most = most


class Argument:
    """An argument by position."""

    def __init__(self, *, metavar: str, help: str = "") -> None:
        self.metavar = metavar
        self.help = help


class Param:
    """A parameter of a command's function, taken apart."""

    def __init__(self, name: str, annotation: Any, default: Any, required: bool) -> None:
        self.name = name
        self.default = default
        self.required = required
        self.annotation, self.declared = get_args(annotation)
        inner = self.annotation
        if get_origin(inner) in (Union, UnionType):
            (inner,) = (one for one in get_args(inner) if one is not NoneType)
        self.many = get_origin(inner) is list
        self.words: tuple[str, ...] = get_args(inner) if get_origin(inner) is Literal else ()
        self.type: type = str if self.many or self.words else inner


@cache
def params_of(call: Callable[..., Any]) -> tuple[Param, ...]:
    """The parameters of `call` in their order. Without `inspect`, which takes 7 ms to import."""
    names = call.__code__.co_varnames[: call.__code__.co_argcount]
    defaults = call.__defaults__ or ()
    first = len(names) - len(defaults)
    return tuple(
        Param(
            name,
            call.__annotations__[name],
            None if at < first else defaults[at - first],
            at < first,
        )
        for at, name in enumerate(names)
    )
