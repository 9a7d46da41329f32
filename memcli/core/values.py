"""`dataclass`, `field` and `replace` as in `dataclasses`, for classes that are ready at once.

A command loads some sixty classes, makes objects of ten and compares hardly any; `dataclasses`
imports `inspect` (6 ms) and compiles six functions for each class as it is read (.5 ms). Here the
constructor is compiled when it is first called, and the rest is shared by all classes. What
`dataclasses` can do with a class of its own (`fields`, `asdict`, `replace`) it can do with these.
"""

from __future__ import annotations

import operator
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import replace as replace

_NONE: Any = object()  # no default; an argument that was not given


class _Field:
    """What is declared of one field."""

    __slots__ = ("compare", "default", "factory", "init", "type")

    def __init__(
        self, default: Any = _NONE, factory: Any = _NONE, init: bool = True, compare: bool = True
    ) -> None:
        self.type: Any = None
        self.default = default
        self.factory = factory
        self.init = init
        self.compare = compare

    def standard(self) -> Any:
        """The same in words of `dataclasses`."""
        from dataclasses import field

        given = {"default": self.default, "default_factory": self.factory}
        given = {key: value for key, value in given.items() if value is not _NONE}
        return field(init=self.init, compare=self.compare, **given)


class _Shape:
    """What is known of one class: its fields in order, and what reads those that are compared."""

    __slots__ = ("cls", "fields", "frozen", "own", "slots", "values")

    def __init__(self, cls: type, frozen: bool, slots: bool) -> None:
        self.cls = cls
        self.frozen = frozen
        self.slots = slots
        self.fields: dict[str, _Field] = {}
        for base in reversed(cls.__mro__[1:]):
            if "__shape__" in base.__dict__:
                self.fields |= base.__dict__["__shape__"].fields
        own = {name: kind for name, kind in cls.__annotations__.items() if not _of_class(kind)}
        for name, kind in own.items():
            given = cls.__dict__.get(name, _NONE)
            self.fields[name] = given = given if isinstance(given, _Field) else _Field(given)
            given.type = kind
        self.own = tuple(own)
        self.values = _reader([name for name, one in self.fields.items() if one.compare])

    def constructor(self) -> Callable[..., None]:
        """`__init__`, compiled."""
        known: dict[str, Any] = {"_none": _NONE, "_set": object.__setattr__}
        words, defaults, lines = ["self"], [], ["pass"]
        for name, one in self.fields.items():
            if one.init:
                words.append(name)
                if one.default is not _NONE or one.factory is not _NONE:
                    defaults.append(one.default)
            lines += self._setting(name, one, known)
        if hasattr(self.cls, "__post_init__"):
            lines.append("self.__post_init__()")
        exec(f"def __init__({', '.join(words)}):\n " + "\n ".join(lines), known)
        made: Any = known["__init__"]
        made.__defaults__ = tuple(defaults)
        made.__qualname__ = f"{self.cls.__qualname__}.__init__"
        return made  # type: ignore[no-any-return]

    def _setting(self, name: str, one: _Field, known: dict[str, Any]) -> list[str]:
        """The line that gives a field its value; `known` is what the line may name."""
        value = name
        if one.factory is not _NONE:
            known[f"_make_{name}"] = one.factory
            value = f"_make_{name}()"
            if one.init:
                value += f" if {name} is _none else {name}"
        elif not one.init:
            return []  # its class or `__post_init__` gives it
        if not self.frozen:
            return [f"self.{name} = {value}"]
        if not self.slots:
            return [f"_set(self, {name!r}, {value})"]
        known[f"_set_{name}"] = getattr(self.cls, name).__set__
        return [f"_set_{name}(self, {value})"]


class _Standard:
    """An attribute that `dataclasses` gives its classes, made when it is asked for."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, value: Any, cls: Any) -> Any:
        from dataclasses import make_dataclass

        shape = cls.__shape__
        fields = [(name, one.type, one.standard()) for name, one in shape.fields.items()]
        made = make_dataclass(cls.__name__, fields, frozen=shape.frozen)
        setattr(shape.cls, self.name, getattr(made, self.name))
        return getattr(made, self.name)


def _of_class(annotation: Any) -> bool:
    """Whether it belongs to the class and is no field."""
    if isinstance(annotation, str):
        return annotation.startswith("ClassVar")
    return getattr(annotation, "__origin__", None) is ClassVar


def _reader(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """What gives the values of these fields as a tuple."""
    if len(names) > 1:
        return operator.attrgetter(*names)
    return lambda value: tuple(getattr(value, name) for name in names)


def _first(shape: _Shape) -> Callable[..., None]:
    """The constructor before the first call, which puts the compiled one in its place."""

    def construct(self: Any, /, *values: Any, **named: Any) -> None:
        made = shape.constructor()
        shape.cls.__init__ = made  # type: ignore[misc]
        made(self, *values, **named)

    return construct


def _comparison(by: Callable[[Any, Any], bool]) -> Callable[[Any, Any], Any]:
    def compare(self: Any, other: Any) -> Any:
        if type(other) is not type(self):
            return NotImplemented
        values = self.__shape__.values
        return by(values(self), values(other))

    return compare


_equal = _comparison(operator.eq)


def _hash(self: Any) -> int:
    return hash(self.__shape__.values(self))


@recursive_repr()
def _repr(self: Any) -> str:
    shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__shape__.fields)
    return f"{type(self).__qualname__}({shown})"


def _setattr(self: Any, name: str, value: Any) -> None:
    _refuse(self, name, "assign to")
    object.__setattr__(self, name, value)


def _delattr(self: Any, name: str) -> None:
    _refuse(self, name, "delete")
    object.__delattr__(self, name)


def _refuse(value: Any, name: str, what: str) -> None:
    """A frozen value keeps its fields; only a class derived from it may have more attributes."""
    shape = value.__shape__
    if type(value) is shape.cls or name in shape.fields:
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot {what} field {name!r}")


def _getstate(self: Any) -> list[Any]:
    return [getattr(self, name) for name in self.__shape__.fields]


def _setstate(self: Any, state: list[Any]) -> None:
    for name, value in zip(self.__shape__.fields, state, strict=True):
        object.__setattr__(self, name, value)


def _methods(shape: _Shape, order: bool) -> dict[str, Any]:
    """What a class of this shape has, but for what it defines itself."""
    made: dict[str, Any] = {
        "__init__": _first(shape),
        "__repr__": _repr,
        "__eq__": _equal,
        "__hash__": _hash if shape.frozen else None,
        "__match_args__": tuple(name for name, one in shape.fields.items() if one.init),
        "__dataclass_fields__": _Standard("__dataclass_fields__"),
        "__dataclass_params__": _Standard("__dataclass_params__"),
    }
    if shape.frozen:
        made |= {"__setattr__": _setattr, "__delattr__": _delattr}
    if shape.frozen and shape.slots:
        made |= {"__getstate__": _getstate, "__setstate__": _setstate}
    if order:
        by = (operator.lt, operator.le, operator.gt, operator.ge)
        made |= {f"__{one.__name__}__": _comparison(one) for one in by}
    own = shape.cls.__dict__
    return {name: one for name, one in made.items() if name not in own} | {"__shape__": shape}


def _made(cls: type, frozen: bool, slots: bool, order: bool) -> type:
    shape = _Shape(cls, frozen, slots)
    methods = _methods(shape, order)
    if slots:
        shape.cls = _with_slots(cls, shape.own, methods)
        return shape.cls
    for name in shape.own:
        if (default := shape.fields[name].default) is not _NONE:
            setattr(cls, name, default)
        elif name in cls.__dict__:  # a factory stands there
            delattr(cls, name)
    for name, one in methods.items():
        setattr(cls, name, one)
    return cls


def _with_slots(cls: type, names: tuple[str, ...], methods: dict[str, Any]) -> type:
    """The class made anew: it cannot be given slots when it is there."""
    taken = {name for base in cls.__mro__[1:] for name in base.__dict__.get("__slots__", ())}
    body = {
        name: one
        for name, one in cls.__dict__.items()
        if name not in names and name not in ("__dict__", "__weakref__")
    }
    slots = tuple(name for name in names if name not in taken)
    made = type(cls)(cls.__name__, cls.__bases__, body | methods | {"__slots__": slots})
    made.__qualname__ = cls.__qualname__
    return made


if not TYPE_CHECKING:

    def dataclass(cls=None, *, frozen=False, slots=False, order=False):
        """Make a class of its annotations; with or without arguments."""

        def make(cls):
            return _made(cls, frozen, slots, order)

        return make if cls is None else make(cls)

    def field(*, default=_NONE, default_factory=_NONE, init=True, compare=True):
        """Declare a field that needs more than a plain default."""
        return _Field(default, default_factory, init, compare)

    def replace(value, /, **changes):
        """A copy of `value` with these fields changed."""
        for name, one in value.__shape__.fields.items():
            if one.init and name not in changes:
                changes[name] = getattr(value, name)
        return type(value)(**changes)
