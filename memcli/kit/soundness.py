"""Memories that rest on what no longer stands (rule C24), and what is left to them."""

from collections.abc import Iterator

from memcli.core import ids
from memcli.core.memories import Memory
from memcli.core.plan import Cite
from memcli.kit.draft import Draft
from memcli.kit.overlay import ref_of
from memcli.ports import Held


def unsound(view: Held, kind: str) -> Iterator[tuple[Memory, frozenset[str]]]:
    """Live memories of a kind, each with what it cites that is superseded or not held any more."""
    for memory in view.memories(kind=kind, superseded=False):
        refs = (evidence.ref for evidence in memory.evidence)
        gone = frozenset(ref for ref in refs if ref.startswith("m") and _is_gone(view, ref))
        if gone and memory.status == "active":
            yield memory, gone


def tidy(draft: Draft, kind: str) -> None:
    """Let each of them rest on what is left, or end it where nothing is.

    A new version says the same on less; the former one stays readable.
    """
    for memory, gone in list(unsound(draft, kind)):
        if ids.is_draft(memory.id):
            continue
        left = [
            Cite(evidence.ref, tuple(quote.text for quote in evidence.quotes))
            for evidence in memory.evidence
            if evidence.ref not in gone
        ]
        reason = f"{', '.join(sorted(gone))} no longer stands"
        if left:
            draft.revise(
                ref_of(memory),
                evidence=left,
                replace_evidence=True,
                valid_from=memory.valid_from,
                made_by=memory.made_by,
                reason=reason,
            )
        else:
            draft.retire(ref_of(memory), reason=reason)
        draft.settle()


def _is_gone(view: Held, ref: str) -> bool:
    source = view.get(ids.memory_of(ref))
    return not isinstance(source, Memory) or source.superseded
