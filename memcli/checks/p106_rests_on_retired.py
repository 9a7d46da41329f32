"""P106: memories that rest on what the store holds no longer, or no longer holds true."""

from collections.abc import Iterator, Mapping

from memcli.core.ids import memory_of
from memcli.core.memories import Memory
from memcli.core.records import Record
from memcli.core.reports import Finding
from memcli.ports import Inspector
from memcli.registry import check

_PAST = ("faded", "lapsed", "rejected")


@check("P106", "rests-on-retired", severity="warning")
def rests_on_retired(view: Inspector) -> Iterator[Finding]:
    """A conclusion is stale once what it was drawn from was retired, revised or superseded (C24).

    It may still be right, but nobody has looked since. What was merged into a memory that is held
    is held in it. What is itself past and only kept as history is not reported.
    """
    memories = view.memories()
    held = {memory.id: memory for memory in memories}
    for memory in memories:
        by = memory.superseded_by
        if by is not None and by not in held and view.merged_into(by) is None:
            yield Finding(
                code="P106",
                severity="warning",
                subject=memory.id,
                message=f"was superseded by {by}, which is not held any more",
                hint=f"mem history {by} tells why; mem rollback of that pass, or of the superseding",
            )
        if memory.superseded or memory.status in _PAST:
            continue
        for evidence in memory.evidence:
            why = (
                _stale(view, held, evidence.ref)
                if evidence.ref.startswith("m")
                else _withdrawn(view, evidence.ref)
            )
            if why is not None:
                yield Finding(
                    code="P106",
                    severity="warning",
                    subject=memory.id,
                    message=f"rests on {evidence.ref}, {why}",
                    hint=f"mem consolidate --strategy {memory.strategy}, or mem rollback {memory.id}",
                )


def _withdrawn(view: Inspector, ref: str) -> str | None:
    """Why words that were said count no longer; None if they do."""
    record = view.get(ref)
    if not isinstance(record, Record):
        return None  # P102 reports what is not held
    if not record.active:
        return "which was changed at its source since, or left with its branch"
    return "which a verdict rejects" if record.status == "rejected" else None


def _stale(view: Inspector, held: Mapping[str, Memory], ref: str) -> str | None:
    """Why what rests on a memory version is stale; None if it is not."""
    current = held.get(memory_of(ref))
    if current is not None:
        return _superseded(current) if current.ref == ref else f"of which {current.ref} is held now"
    survivor = held.get(view.merged_into(memory_of(ref)) or "")
    if survivor is None:
        return "which is not held any more"
    why = _superseded(survivor)
    return None if why is None else f"merged into {survivor.ref}, {why}"


def _superseded(memory: Memory) -> str | None:
    if not memory.superseded:
        return None
    by = "" if memory.superseded_by is None else f" (superseded by {memory.superseded_by})"
    return f"which is true only until {memory.valid_to}{by}"
