"""Which records a strategy selects (rule C25), and which it sets aside (rule C27)."""

from collections.abc import Mapping

from memcli.core.records import RecordKind

SELECTED: tuple[RecordKind, ...] = ("utterance", "attachment", "fact")
WITH_TOOLS: tuple[RecordKind, ...] = (*SELECTED, "tool_result")
PASSES = 3  # in which a record failed alone before it is set aside


def set_aside(failures: Mapping[str, int], *, retry: bool) -> frozenset[str]:
    """The records that failed alone too often to be asked about again; none if `retry`.

    `failures`: in how many passes each failed; see ports.View.failures.
    """
    return frozenset(ref for ref, passes in failures.items() if passes >= PASSES and not retry)
