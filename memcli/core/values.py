"""`dataclass`, `field` and `replace` as in `dataclasses`, for classes that are ready at once.

A command loads some sixty classes, makes objects of ten and compares hardly any; `dataclasses`
imports `inspect` (6 ms) and compiles six functions for each class as it is read (.5 ms). Here the
constructor is compiled when it is first called, and the rest is shared by all classes. Compared
are tuples of the values, as `dataclasses` does up to Python 3.12: the same NaN equals itself.

`fields`, `asdict`, `astuple`, `is_dataclass` and `replace` of `dataclasses` take these classes as
their own, and a class of either kind may be derived from one of the other. A mistake that
`dataclasses` refuses is refused here as well, with the class. Refused as a TypeError too is what
is not done here: options but `frozen`, `slots`, `order`; of a field `repr`, `hash`, `kw_only` and
`metadata`; `InitVar`, `KW_ONLY`, a field named `self`. No docstring is made for a class without.
"""

from __future__ import annotations

import operator
from reprlib import recursive_repr
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import replace as replace


class _None:
    """Stands for no default, and for an argument that was not given; then a factory makes one."""

    def __repr__(self) -> str:
        return "<factory>"  # as `dataclasses` shows it in a signature


_NONE: Any = _None()


class _Field:
    """What is declared of one field."""

    __slots__ = ("compare", "default", "factory", "init", "type")
    __hash__ = None  # type: ignore[assignment]  # so `dataclasses` refuses it as a mutable default

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
            if "__dataclass_fields__" in base.__dict__:
                self.fields |= _inherited(cls, base, frozen)
        own = {name: kind for name, kind in cls.__annotations__.items() if not _of_class(cls, kind)}
        bare = cls.__bases__ == (object,)  # then no base gives a default
        for name, kind in own.items():
            is_bare = bare and name not in cls.__dict__
            self.fields[name] = one = _Field() if is_bare else _declared(cls, name)
            one.type = kind
        self.own = tuple(own)
        self.values = _reader([name for name, one in self.fields.items() if one.compare])
        self._check()

    def _check(self) -> None:
        """Raises TypeError for fields that no constructor can take."""
        given = self.cls.__dict__
        if _Field in map(type, given.values()):
            for name in given.keys() - set(self.own):
                if type(given[name]) is _Field:
                    raise _mistake(self.cls, f"{name!r} is a field but has no type annotation")
        before = None
        for name, one in self.fields.items():
            if one.default is not _NONE or one.factory is not _NONE:
                before = name if one.init else before
            elif before is not None and one.init:
                text = f"non-default argument {name!r} follows default argument {before!r}"
                raise _mistake(self.cls, text)
        if "self" in self.fields:
            raise _mistake(self.cls, "a field cannot be called 'self'")

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
        kinds = {name: self.fields[name].type for name in words[1:]}
        made.__annotations__ = kinds | {"return": None}
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
            if not self.slots or one.default is _NONE:
                return []  # its class or `__post_init__` gives it
            known[f"_default_{name}"] = one.default
            value = f"_default_{name}"
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


def _mistake(cls: type, text: str) -> TypeError:
    return TypeError(f"{cls.__qualname__}: {text}")


def _inherited(cls: type, base: type, frozen: bool) -> dict[str, _Field]:
    """The fields of a base, of either kind. Raises TypeError if only one of both is frozen."""
    shape: _Shape | None = base.__dict__.get("__shape__")
    is_frozen = base.__dict__["__dataclass_params__"].frozen if shape is None else shape.frozen
    if is_frozen != frozen:
        kinds = (
            "frozen dataclass from a non-frozen" if frozen else "non-frozen dataclass from a frozen"
        )
        raise _mistake(cls, f"cannot inherit {kinds} one")
    if shape is not None:
        return shape.fields
    from dataclasses import fields

    for name, one in base.__dict__["__dataclass_fields__"].items():
        if one._field_type.name == "_FIELD_INITVAR":
            raise _mistake(cls, f"field {name!r} of a base is an InitVar")
    return {one.name: _taken(cls, one.name, one) for one in fields(base)}


def _taken(cls: type, name: str, one: Any) -> _Field:
    """A field of `dataclasses` as one of ours. Raises TypeError if it asks for more."""
    if one.kw_only is True or one.hash is not None or not one.repr or one.metadata:
        raise _mistake(cls, f"field {name!r}: repr, hash, kw_only and metadata are not done here")
    from dataclasses import MISSING

    given = [_NONE if each is MISSING else each for each in (one.default, one.default_factory)]
    taken = _Field(given[0], given[1], one.init, one.compare)
    taken.type = one.type
    return taken


def _declared(cls: type, name: str) -> _Field:
    """The field that a class itself declares. Raises ValueError for a mutable default."""
    given = getattr(cls, name, _NONE)
    if given is _NONE or type(given) is MemberDescriptorType:  # the slot of a base
        return _Field()
    if type(given) is not _Field:
        of_standard = type(given).__module__ == "dataclasses" and type(given).__name__ == "Field"
        given = _taken(cls, name, given) if of_standard else _Field(given)
    if type(given.default).__hash__ is None:
        text = f"mutable default {type(given.default)} for field {name} of {cls.__qualname__}"
        raise ValueError(f"{text} is not allowed: use default_factory")
    return given


def _of_class(cls: type, annotation: Any) -> bool:
    """Whether it belongs to the class and is no field. Raises TypeError for what is not done."""
    if isinstance(annotation, str):
        if "Var" not in annotation and "KW_ONLY" not in annotation:
            return False
        kind = annotation.partition("[")[0].rpartition(".")[2].strip()
    elif annotation is ClassVar or getattr(annotation, "__origin__", None) is ClassVar:
        return True
    else:
        marker = annotation if isinstance(annotation, type) else type(annotation)
        kind = marker.__name__ if marker.__module__ == "dataclasses" else ""
    if kind in ("InitVar", "KW_ONLY", "_KW_ONLY_TYPE"):
        raise _mistake(cls, f"{kind} is not done here")
    return kind == "ClassVar"


def _reader(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """What gives the values of these fields as a tuple."""
    if len(names) > 1:
        return operator.attrgetter(*names)
    return lambda value: tuple(getattr(value, name) for name in names)


class _First:
    """The constructor until somebody asks for it: then the compiled one takes its place."""

    def __init__(self, shape: _Shape) -> None:
        self._shape = shape

    def __get__(self, value: Any, cls: Any) -> Any:
        made = self._shape.constructor()
        self._shape.cls.__init__ = made  # type: ignore[misc]
        return made.__get__(value, cls)


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


def _names(value: Any) -> Any:
    if "__shape__" in type(value).__dict__:
        return value.__shape__.fields
    from dataclasses import fields  # a class of the standard may be derived from ours

    return [one.name for one in fields(value)]


def _getstate(self: Any) -> list[Any]:
    return [getattr(self, name) for name in _names(self)]


def _setstate(self: Any, state: list[Any]) -> None:
    for name, value in zip(_names(self), state, strict=True):
        object.__setattr__(self, name, value)


def _replaced(value: Any, /, **changes: Any) -> Any:
    """A copy of `value` with these fields changed; of a class of `dataclasses` too."""
    shape = type(value).__dict__.get("__shape__")
    if shape is not None:
        for name, one in shape.fields.items():
            if name not in changes:
                if one.init:
                    changes[name] = getattr(value, name)
            elif not one.init:
                break  # the standard refuses it
        else:
            return type(value)(**changes)
    from dataclasses import replace as standard

    return standard(value, **changes)


def _methods(shape: _Shape, order: bool) -> dict[str, Any]:
    """What a class of this shape has, but for what it defines itself."""
    made: dict[str, Any] = {
        "__init__": _First(shape),
        "__replace__": _replaced,
        "__repr__": _repr,
        "__eq__": _equal,
        "__hash__": _hash if shape.frozen else None,
        "__match_args__": tuple(name for name, one in shape.fields.items() if one.init),
        "__dataclass_fields__": _Standard("__dataclass_fields__"),
        "__dataclass_params__": _Standard("__dataclass_params__"),
    }
    alone: dict[str, Any] = {}  # nobody may define these himself
    if shape.frozen:
        alone |= {"__setattr__": _setattr, "__delattr__": _delattr}
    if shape.frozen and shape.slots:
        made |= {"__getstate__": _getstate, "__setstate__": _setstate}
    if order:
        by = (operator.lt, operator.le, operator.gt, operator.ge)
        alone |= {f"__{one.__name__}__": _comparison(one) for one in by}
    own = shape.cls.__dict__
    for name in alone:
        if name in own:
            raise _mistake(shape.cls, f"cannot overwrite attribute {name}")
    kept = {name: one for name, one in made.items() if name not in own}
    if own.get("__hash__", _NONE) is None and "__eq__" in own:
        kept["__hash__"] = made["__hash__"]  # Python took it away when it saw `__eq__`
    kept.update(alone, __shape__=shape)
    return kept


def _made(cls: type, frozen: bool, slots: bool, order: bool) -> type:
    shape = _Shape(cls, frozen, slots)
    methods = _methods(shape, order)
    if slots:
        shape.cls = _with_slots(cls, tuple(shape.fields), methods)
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
    if "__slots__" in cls.__dict__:
        raise _mistake(cls, "already specifies __slots__")
    known = [base.__dict__.get("__slots__", ()) for base in cls.__mro__[1:-1]]
    taken = {name for one in known for name in ([one] if isinstance(one, str) else one)}
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

        if cls is None:
            return lambda cls: _made(cls, frozen, slots, order)
        return _made(cls, frozen, slots, order)

    def field(*, default=_NONE, default_factory=_NONE, init=True, compare=True):
        """Declare a field that needs more than a plain default."""
        if default is not _NONE and default_factory is not _NONE:
            raise ValueError("cannot specify both default and default_factory")
        return _Field(default, default_factory, init, compare)

    replace = _replaced
