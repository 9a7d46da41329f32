"""Arms: what answers the same questions.

none, instruction: nothing is retrieved. raw: records by score. raw+newest2: records, of two that
answer alike the newer first, as `mem search --layer raw`. strategy:NAME: both layers as shipped,
after a pass of NAME (of several in their order: strategy:reconcile+reflect).
"""

from collections.abc import Sequence

from memcli import registry
from memcli.core.options import Layer
from memcli.core.values import dataclass
from memcli.errors import UsageError

RAW = "raw"
NEWEST = "raw+newest2"
EMPTY = ("none", "instruction")
# Only where answers are given: as many tokens of another world; the evidence; all there is.
ANSWERING = ("placebo", "oracle", "full")
_PREFIX = "strategy:"
HINT = "none, instruction, raw, raw+newest2, strategy:NAME (mem strategies lists them)"


@dataclass(frozen=True, slots=True)
class Arm:
    """An arm. `strategies` run one after the other before anything is asked."""

    name: str
    strategies: tuple[str, ...] = ()
    newest: bool = False

    @property
    def empty(self) -> bool:
        """Whether nothing is retrieved."""
        return self.name in EMPTY

    @property
    def letter(self) -> str:
        """As the protocol calls it, a to g."""
        if self.name in (*EMPTY, *ANSWERING):
            letters = {"none": "a", "instruction": "b", "placebo": "c", "oracle": "f", "full": "g"}
            return letters[self.name]
        return "e" if self.strategies else "d"

    @property
    def layer(self) -> Layer:
        """What is searched."""
        return "both" if self.strategies else "raw"


def arms(names: Sequence[str], *, answering: bool = False) -> tuple[Arm, ...]:
    """The arms of these names, each once. With those that are compared with something comes what
    they are compared with: `raw`, of a strategy also the newest of two, and where answers are
    given the instruction and the placebo.

    Raises UsageError for an unknown one.
    """
    found = [named(name, answering=answering) for name in names]
    if answering:
        found = [*map(Arm, ("none", "instruction", "placebo", RAW)), *found]
    else:
        rivals = [Arm(RAW)] if any(not arm.empty for arm in found) else []
        rivals += [Arm(NEWEST, newest=True)] if any(arm.strategies for arm in found) else []
        there = {arm.name for arm in found}
        found = [*(one for one in rivals if one.name not in there), *found]
    return tuple({arm.name: arm for arm in found}.values())


def named(name: str, *, answering: bool = False) -> Arm:
    """The arm of this name; raises UsageError."""
    if name in EMPTY or name == RAW:
        return Arm(name)
    if name in ANSWERING:
        if answering:
            return Arm(name)
        raise UsageError(
            f"The arm {name!r} is one of those that answer.", where="--arm", hint="--level 2"
        )
    if name == NEWEST:
        return Arm(name, newest=True)
    if name.startswith(_PREFIX):
        given = [one for one in name[len(_PREFIX) :].split("+") if one]
        if given:
            found = tuple(registry.get_strategy(one, where="--arm").info.name for one in given)
            return Arm(_PREFIX + "+".join(found), found, newest=True)
    raise UsageError(f"There is no arm {name!r}.", where="--arm", hint=HINT)
