"""Classes of `memcli.core.values` do what those of `dataclasses` do."""

import copy
import dataclasses
import importlib
import inspect
import pickle
import pkgutil
from collections.abc import Callable
from types import ModuleType
from typing import Any, ClassVar

import pytest

import memcli
from memcli.core import values
from memcli.core.records import Scope


class Frame:
    """A class of these is defined alike with either module."""

    def __init__(self, made: Any) -> None:
        @made.dataclass(frozen=True, slots=True, order=True)
        class Point:
            """Where."""

            x: int
            y: int = 2
            zero: ClassVar[int] = 0
            names: "ClassVar[tuple[str, ...]]" = ()
            name: str = made.field(default="p", compare=False)

            def far(self) -> int:
                """How far off."""
                return self.x + self.y

        @made.dataclass(frozen=True)
        class Loose:
            one: float
            many: list[int] = made.field(default_factory=list)

        @made.dataclass(slots=True)
        class Open:
            text: str
            found: dict[str, int] = made.field(default_factory=dict)
            key: str = made.field(init=False)

            def __post_init__(self) -> None:
                self.key = self.text.lower()

        @made.dataclass
        class Bare:
            pass

        @made.dataclass(slots=True)
        class More(Open):
            kind: str = "more"

            def __repr__(self) -> str:
                return f"<{self.kind}>"

        class Derived(Loose):
            pass

        self.point, self.loose, self.open, self.bare = Point, Loose, Open, Bare
        self.more, self.derived = More, Derived


BOTH = [Frame(dataclasses), Frame(values)]


def _set(value: Any, name: str) -> Any:
    setattr(value, name, 5)
    return value


def _delete(value: Any, name: str) -> Any:
    delattr(value, name)
    return value


def _matched(value: Any) -> Any:
    names = type(value).__match_args__
    return [getattr(value, name) for name in names], names


DONE: list[Callable[[Any], Any]] = [
    lambda f: f.point(1),
    lambda f: f.point(1, y=3, name="q").far(),
    lambda f: f.point(),
    lambda f: f.point(1, 2, "a", 4),
    lambda f: f.point(1, z=4),
    lambda f: f.point(1, x=4),
    lambda f: f.point(1) == f.point(1, name="other"),
    lambda f: f.point(1) == f.point(2),
    lambda f: f.point(1) != (1, 2),
    lambda f: hash(f.point(1)) == hash(f.point(1, name="other")),
    lambda f: sorted([f.point(2), f.point(1, 9), f.point(1, 3)]),
    lambda f: (f.point(1) <= f.point(1), f.point(1) >= f.point(2), f.point(1) > f.point(0)),
    lambda f: f.point(1) < 3,
    lambda f: _set(f.point(1), "x"),
    lambda f: _delete(f.point(1), "x"),
    lambda f: f.point.__slots__,
    lambda f: (f.point.zero, f.point(1).names),
    lambda f: hasattr(f.point, "__dict__") and hasattr(f.point(1), "__dict__"),
    lambda f: f.point.__doc__,
    lambda f: f.point.__qualname__,
    lambda f: (inspect.signature(f.point(1).far), f.point.far.__doc__),
    lambda f: _matched(f.point(4)),
    lambda f: copy.copy(f.point(4)),
    lambda f: copy.deepcopy(f.loose(4.0, [1])),
    lambda f: f.loose(1.0).many is f.loose(1.0).many,
    lambda f: hash(f.loose(1.0)),
    lambda f: f.loose(1.0, many=None),
    lambda f: hasattr(f.loose, "many"),
    lambda f: _set(f.loose(1.0), "one"),
    lambda f: vars(f.loose(1.0)),
    lambda f: f.open("A"),
    lambda f: f.open("A", key="b"),
    lambda f: _set(f.open("A"), "text"),
    lambda f: _set(f.open("A"), "other"),
    lambda f: hash(f.open("A")),
    lambda f: f.open("A") == f.open("A"),
    lambda f: f.bare() == f.bare(),
    lambda f: f.bare(),
    lambda f: f.more("A"),
    lambda f: f.more("A").key,
    lambda f: f.more("A") == f.open("A"),
    lambda f: _set(f.derived(1.0), "own").own,
    lambda f: _set(f.derived(1.0), "one"),
    lambda f: f.derived(1.0),
    lambda f: dataclasses.asdict(f.point(1)),
    lambda f: dataclasses.astuple(f.more("A")),
    lambda f: dataclasses.replace(f.point(1), x=2),
    lambda f: [(one.name, one.type, one.init, one.compare) for one in dataclasses.fields(f.more)],
    lambda f: dataclasses.fields(f.loose)[1].default_factory,
    lambda f: (dataclasses.is_dataclass(f.point), dataclasses.is_dataclass(f.point(1))),
    lambda f: dataclasses.fields(f.derived(1.0))[0].name,
]


def _outcome(done: Callable[[Any], Any], frame: Frame) -> str:
    try:
        return repr(done(frame))
    except Exception as error:  # noqa: BLE001 (both are to fail alike)
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("number", range(len(DONE)))
def test_does_as_dataclasses(number: int) -> None:
    standard, ours = (_outcome(DONE[number], frame) for frame in BOTH)
    assert ours == standard


@pytest.mark.parametrize("changes", [{}, {"x": 4}, {"y": 1, "name": "b"}, {"z": 1}])
def test_replace_is_that_of_dataclasses(changes: dict[str, Any]) -> None:
    standard, ours = (
        _outcome(lambda f, made=made: made.replace(f.point(1, name="a"), **changes), frame)
        for made, frame in zip((dataclasses, values), BOTH, strict=True)
    )
    assert ours == standard


def test_a_class_of_dataclasses_may_come_of_ours() -> None:
    @dataclasses.dataclass(frozen=True)
    class Named(Scope):
        name: str = ""

    assert Named("ada", name="n") == Named(user="ada", agent="", project="", name="n")
    assert [one.name for one in dataclasses.fields(Named)] == ["user", "agent", "project", "name"]


def test_nothing_is_put_into_a_frozen_value() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'other'"):
        Scope().other = 1  # type: ignore[attr-defined]


def test_values_are_pickled() -> None:
    scope = Scope("ada", project="garden")
    assert pickle.loads(pickle.dumps(scope)) == scope


def test_the_same_nan_equals_itself() -> None:
    loose, nan = BOTH[1].loose, float("nan")
    assert loose(nan) == loose(nan)
    assert loose(nan) != loose(float("nan"))


def test_the_constructor_is_compiled_once() -> None:
    @values.dataclass(frozen=True, slots=True)
    class Late:
        one: int

    first = vars(Late)["__init__"]
    assert Late(1).one == 1
    compiled = Late.__init__
    assert Late(2).one == 2
    assert first is not compiled is Late.__init__


def _modules() -> list[ModuleType]:
    found = pkgutil.walk_packages(memcli.__path__, "memcli.")
    return [importlib.import_module(one.name) for one in found if "__main__" not in one.name]


def _classes() -> list[type]:
    found = {
        one
        for module in _modules()
        for one in vars(module).values()
        if isinstance(one, type) and "__shape__" in vars(one)
    }
    return sorted(found, key=lambda one: (one.__module__, one.__qualname__))


def test_every_class_of_the_program_takes_what_dataclasses_would() -> None:
    classes = _classes()
    assert len(classes) > 100
    for cls in classes:
        fields = [(one.name, one.type, one) for one in dataclasses.fields(cls)]
        twin = dataclasses.make_dataclass(cls.__name__, fields)
        made: Any = vars(cls)["__shape__"].constructor()
        ours, standard = (
            [(one.name, one.default) for one in inspect.signature(call).parameters.values()][1:]
            for call in (made, twin.__init__)
        )
        assert [name for name, _ in ours] == [name for name, _ in standard], cls
        for (name, default), (_, expected) in zip(ours, standard, strict=True):
            made_anew = type(expected).__name__ == "_HAS_DEFAULT_FACTORY_CLASS"
            assert default is (values._NONE if made_anew else expected), (cls, name)
