"""What `dataclasses` refuses `memcli.core.values` refuses too; what is odd they do alike."""

import copy
import dataclasses
import inspect
import pickle
import sys
import typing
from collections.abc import Callable
from dataclasses import KW_ONLY, InitVar
from typing import Any, ClassVar

import pytest

from memcli.core import values


@dataclasses.dataclass(frozen=True)
class Real:
    """A class of `dataclasses` that others come of."""

    one: int
    many: list[int] = dataclasses.field(default_factory=list, compare=False)


@dataclasses.dataclass
class RealOpen:
    one: int = 1


class Plain:
    size = 3

    def __init_subclass__(cls) -> None:
        cls.size = 4


class Tied:
    """A slot that is written as one word."""

    __slots__ = "word"


@values.dataclass(frozen=True, slots=True)
class Kept:
    one: int


@dataclasses.dataclass(frozen=True)
class KeptMore(Kept):
    two: int = 2


def _class(made: Any, body: dict[str, Any], *bases: type, **how: bool) -> Any:
    """A class `Made` with these annotations and, where it is a pair, values."""
    kinds = {name: one[0] if isinstance(one, tuple) else one for name, one in body.items()}
    given = {name: one[1] for name, one in body.items() if isinstance(one, tuple)}
    rest = given.pop("rest", {})
    kinds.pop("rest", None)
    cls = type("Made", bases, {"__annotations__": kinds, "__module__": __name__, **given, **rest})
    return made.dataclass(**how)(cls)


def _rest(**more: Any) -> tuple[None, dict[str, Any]]:
    return None, more


def _names(cls: Any) -> list[str]:
    return [one.name for one in dataclasses.fields(cls)]


def _equal(one: Any, other: Any) -> bool:
    return type(one) is type(other)


# What is done with `made`, which is either module. The outcome is the same: a value, or the kind
# of error.
ALIKE: dict[str, Callable[[Any], Any]] = {
    "no default after one": lambda made: _class(made, {"a": (int, 1), "b": int})(5),
    "no default after a factory": lambda made: _class(
        made, {"a": (list, made.field(default_factory=list)), "b": int}
    ),
    "no default after one of a base": lambda made: _class(
        made, {"b": int}, _class(made, {"a": (int, 1)})
    ),
    "no default after one that is not given": lambda made: _class(
        made, {"a": (int, made.field(init=False, default=1)), "b": int}
    )(5),
    "a list as default": lambda made: _class(made, {"a": (list, [])}),
    "a dict as default": lambda made: _class(made, {"a": (dict, made.field(default={}))}),
    "a tuple as default": lambda made: _class(made, {"a": (tuple, ())})(),
    "default and factory": lambda made: made.field(default=1, default_factory=int),
    "not given, with slots": lambda made: _class(
        made, {"a": (int, made.field(init=False, default=3))}, slots=True
    )(),
    "not given, frozen with slots": lambda made: _class(
        made, {"a": (int, made.field(init=False, default=3))}, slots=True, frozen=True
    )(),
    "not given, without slots": lambda made: vars(
        _class(made, {"a": (int, made.field(init=False, default=3))})()
    ),
    "open from frozen": lambda made: _class(made, {}, _class(made, {"a": int}, frozen=True)),
    "frozen from open": lambda made: _class(made, {}, _class(made, {"a": int}), frozen=True),
    "open from a real frozen": lambda made: _class(made, {}, Real),
    "frozen from a real open": lambda made: _class(made, {}, RealOpen, frozen=True),
    "fields of a real base": lambda made: _names(_class(made, {"b": (int, 2)}, RealOpen)),
    "value of a real base": lambda made: _class(made, {"b": (int, 2)}, Real, frozen=True)(1),
    "comparing by a real base": lambda made: (
        (cls := _class(made, {"b": (int, 2)}, Real, frozen=True))(1, [1]) == cls(1, [2])
    ),
    "real derived of it": lambda made: made.replace(
        _class(dataclasses, {"b": (int, 2)}, _class(made, {"a": int}))(1, 3), a=4
    ),
    "plain derived of it": lambda made: made.replace(
        type("Derived", (_class(made, {"a": int}),), {})(1), a=4
    ),
    "own equality, frozen": lambda made: (
        hash(_class(made, {"a": int, "rest": _rest(__eq__=_equal)}, frozen=True)(1)) == hash((1,))
    ),
    "own equality, open": lambda made: hash(
        _class(made, {"a": int, "rest": _rest(__eq__=_equal)})(1)
    ),
    "no hash, frozen": lambda made: hash(
        _class(made, {"a": int, "rest": _rest(__hash__=None)}, frozen=True)(1)
    ),
    "replace of a real one": lambda made: made.replace(Real(1), one=2),
    "replace of what is none": lambda made: made.replace(1, one=2),
    "replace of what is not given": lambda made: made.replace(
        _class(made, {"a": (int, made.field(init=False, default=3))})(), a=1
    ),
    "signature": lambda made: str(
        inspect.signature(
            _class(
                made,
                {"a": int, "b": ("str", "x"), "c": (list, made.field(default_factory=list))},
                slots=True,
            )
        )
    ),
    "signature of one derived": lambda made: str(
        inspect.signature(type("Derived", (_class(made, {"a": int}),), {}))
    ),
    "class variables": lambda made: _names(
        _class(
            made,
            {
                "a": "typing.ClassVar[int]",
                "b": "ClassVar",
                "c": ClassVar,
                "d": typing.ClassVar[int],
                "e": "ClassVariety",
                "f": "dict[str, ClassVar]",
            },
        )
    ),
    "a field without a type": lambda made: _class(made, {"rest": _rest(a=made.field(default=1))}),
    "a factory for the class": lambda made: _class(
        made, {"a": (ClassVar[list], made.field(default_factory=list))}
    ),
    "default of a plain base": lambda made: _class(made, {"size": int}, Plain)(),
    "default of a base, declared anew": lambda made: _class(
        made, {"a": int}, _class(made, {"a": (int, 7)})
    )(),
    "slot of a base, declared anew": lambda made: _class(
        made, {"a": int}, _class(made, {"a": int}, slots=True), slots=True
    )(2),
    "slots after a base without": lambda made: _class(
        made, {"b": int}, _class(made, {"a": int}, frozen=True), frozen=True, slots=True
    )(1, 2),
    "slots, those of the class": lambda made: (
        _class(made, {"b": int}, _class(made, {"a": int}), slots=True).__slots__
    ),
    "own slots": lambda made: _class(made, {"a": int, "rest": _rest(__slots__=("a",))}, slots=True),
    "own setting, frozen": lambda made: _class(
        made, {"a": int, "rest": _rest(__setattr__=object.__setattr__)}, frozen=True
    ),
    "own order": lambda made: _class(made, {"a": int, "rest": _rest(__lt__=_equal)}, order=True),
    "copied": lambda made: copy.copy(
        _class(
            dataclasses, {"b": int}, _class(made, {"a": int}, frozen=True, slots=True), frozen=True
        )(1, 2)
    ),
}


def _outcome(done: Callable[[Any], Any], made: Any) -> Any:
    try:
        return repr(done(made))
    except Exception as error:  # noqa: BLE001 (both are to fail alike)
        return type(error)


@pytest.mark.parametrize("what", ALIKE)
def test_is_as_in_dataclasses(what: str) -> None:
    standard, ours = (_outcome(ALIKE[what], made) for made in (dataclasses, values))
    assert ours == standard


NOT_DONE: dict[str, dict[str, Any]] = {
    "InitVar of a type": {"a": InitVar[int]},
    "InitVar alone": {"a": InitVar},
    "InitVar in words": {"a": "dataclasses.InitVar[int]"},
    "by name only": {"_": KW_ONLY, "a": int},
    "by name only, in words": {"_": "KW_ONLY", "a": int},
    "called self": {"self": int},
    "not shown": {"a": (int, dataclasses.field(default=1, repr=False))},
    "one by name only": {"a": (int, dataclasses.field(default=1, kw_only=True))},
    "not in the hash": {"a": (int, dataclasses.field(default=1, hash=False))},
    "with data of its own": {"a": (int, dataclasses.field(default=1, metadata={"unit": "s"}))},
}


@pytest.mark.parametrize("body", NOT_DONE.values(), ids=NOT_DONE)
def test_what_is_not_done_is_refused_with_the_class(body: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="Made"):
        _class(values, body)


@pytest.mark.parametrize("given", ["eq", "repr", "init", "unsafe_hash", "kw_only", "match_args"])
def test_an_option_that_is_not_done_is_refused(given: str) -> None:
    with pytest.raises(TypeError, match=given):
        _class(values, {"a": int}, **{given: True})


def test_a_base_that_cannot_be_followed_is_refused() -> None:
    base = _class(dataclasses, {"a": int, "b": (InitVar[int], 1)})
    with pytest.raises(TypeError, match="Made"):
        _class(values, {}, base)


def test_a_field_of_dataclasses_is_one_here() -> None:
    cls = _class(values, {"a": (list, dataclasses.field(default_factory=list))})
    assert cls().a == []
    assert cls().a is not cls().a


def test_a_slot_of_a_base_may_be_written_as_one_word() -> None:
    cls = _class(values, {"word": str, "w": str}, Tied, slots=True)
    assert cls.__slots__ == ("w",)
    assert cls("a", w="b").word == "a"


@pytest.mark.skipif(sys.version_info < (3, 11), reason="the standard looks for a list only")
def test_a_field_of_ours_is_none_for_dataclasses() -> None:
    with pytest.raises(ValueError, match="mutable default"):
        _class(dataclasses, {"a": (list, values.field(default_factory=list))})


def test_what_comes_of_a_pickled_class_keeps_all_its_fields() -> None:
    assert pickle.loads(pickle.dumps(KeptMore(1, 3))) == KeptMore(1, 3)


@pytest.mark.skipif(sys.version_info < (3, 13), reason="copy.replace is new in 3.13")
def test_copy_replaces() -> None:
    assert copy.replace(Kept(1), one=2) == Kept(2)  # type: ignore[attr-defined]
