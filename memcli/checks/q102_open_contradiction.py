"""Q102: two memories say otherwise in one slot, and nothing has settled it."""

from collections.abc import Iterator

from memcli.core.memories import Memory
from memcli.core.reports import Finding
from memcli.kit.disputes import Dispute, disputes
from memcli.ports import Inspector
from memcli.registry import check


@check("Q102", "open-contradiction", severity="warning")
def open_contradiction(view: Inspector) -> Iterator[Finding]:
    """What waits for support is shown beside what it disputes; somebody may know which is so.

    And methods that share a store do not see each other's memories: a search takes the later value,
    while both still stand.
    """
    for found in disputes(view, view.single_valued):
        one, other = found.memory, found.other
        yield Finding(
            code="Q102",
            severity="warning",
            subject=one.id,
            message=f"{_value(one)}{_how(found)} {other.id}, {_value(other)}",
            hint=f"mem show {one.id}; mem rate {one.id} status=rejected if {other.id} is right",
        )


def _how(found: Dispute) -> str:
    one, other = found.memory, found.other
    if found.waits:
        since = f" since {one.valid_from[:10]}" if one.valid_from else ""
        return f" waits{since} and disputes"
    return f" of {one.strategy} stands beside that of {other.strategy}:"


def _value(memory: Memory) -> str:
    slot = memory.slot
    return repr(memory.text) if slot is None else f"{slot.subject} {slot.attribute} {slot.value!r}"
