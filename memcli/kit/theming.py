"""Keeping themes: new ones are added, those that grew are revised, none is ever doubled.

A stored theme owns the statements it rests on. A group of statements is that theme again if they
share enough of them; other groups can only use statements that no theme owns.
"""

from collections.abc import Sequence

from memcli.core.memories import Memory
from memcli.core.values import dataclass, field
from memcli.kit.draft import Draft
from memcli.kit.keywords import corpus_of
from memcli.kit.nearkey import near_key, same_key
from memcli.kit.overlay import ref_of
from memcli.kit.selection import SELECTED
from memcli.kit.themes import (
    Embed,
    Said,
    Topics,
    central,
    cited,
    described,
    is_theme,
    statements_of,
    tellings,
    themes,
)

KIND = "theme"
STATEMENTS = 2_000  # that are grouped, the newest
_Key = tuple[str, str]


@dataclass(slots=True)
class _Kept:
    """The stored themes, the statements that each owns, and which were met again already."""

    themes: dict[str, Memory]
    owners: dict[_Key, str]
    met: set[str] = field(default_factory=set)

    def again(self, group: Sequence[Said]) -> Memory | None:
        """The theme that `group` is: at least half of the smaller of the two is shared.

        A theme that was superseded, or that somebody rejected, keeps its statements but is none.
        """
        counts: dict[str, int] = {}
        for said in group:
            owner = self.owners.get(said.key)
            if owner is not None:
                counts[owner] = counts.get(owner, 0) + 1
        if not counts:
            return None
        best = min(counts, key=lambda ident: (-counts[ident], list(self.themes).index(ident)))
        size = sum(owner == best for owner in self.owners.values())
        theme = self.themes[best]
        if best in self.met or 2 * counts[best] < min(len(group), size):
            return None
        self.met.add(best)
        return None if theme.superseded or theme.status != "active" else theme


def plan_themes(
    draft: Draft, embed: Embed, related: float, *, fresh: frozenset[str], most: int
) -> None:
    """Plan the themes of all statements of the view, those with something from `fresh` records.

    New themes come from the `most` most lasting groups only; known ones grow in any case.
    """
    records = [record for record in draft.records(kinds=SELECTED) if record.status == "active"]
    names = frozenset(record.speaker for record in records if record.speaker)
    said = _unheard(draft, tellings(records, STATEMENTS, names))
    topics = Topics(embed, related, names, corpus_of(one.text for one in said))
    kept = _kept(draft)
    for rank, group in enumerate(themes(said, topics)):
        known = kept.again(group)
        free = [one for one in group if one.key not in kept.owners]
        if not any(one.record.id in fresh for one in free):
            continue
        if known is not None:
            _grow(draft, known, free, topics)
        elif rank < most and is_theme(free):
            _add(draft, free, topics)


def _kept(draft: Draft) -> _Kept:
    stored = {memory.id: memory for memory in draft.memories(kind=KIND)}
    owners: dict[_Key, str] = {}
    for ident, memory in stored.items():
        for said in statements_of(draft, memory):
            owners.setdefault(said.key, ident)
    return _Kept(stored, owners)


def _unheard(draft: Draft, said: Sequence[Said]) -> list[Said]:
    """Without what only repeats a memory (C28): a user who says it again is new evidence."""
    memories = [
        (memory, draft.closure(memory.id))
        for memory in (draft.memories() if any(one.record.role != "user" for one in said) else ())
    ]
    found = []
    for one in said:
        repeats = one.record.role != "user" and any(
            one.record.id not in rests and same_key(memory.text, one.text)
            for memory, rests in memories
        )
        if repeats:
            draft.reject(one.text, "recalled-text")
        else:
            found.append(one)
    return found


def _add(draft: Draft, said: Sequence[Said], topics: Topics) -> None:
    middle = central(said, topics)
    text = middle.text
    refs = [cite.ref for cite in cited(said)]
    # A theme that was rejected is not made again of a part of its records, in other words.
    again = any(set(refs) <= records for records in draft.rejected(KIND))
    if again or draft.tombstoned(KIND, near_key(text), refs):
        draft.reject(text, "tombstoned")
        return
    draft.add(
        KIND,
        text,
        evidence=cited(said),
        attributes=described(said, topics),
        # The words are those of one statement: they hold since that was said (C22).
        valid_from=middle.record.said_at or draft.newest(refs),
        made_by="extractive",
        reason=_reason(said),
    )


def _grow(draft: Draft, theme: Memory, more: Sequence[Said], topics: Topics) -> None:
    said = [*statements_of(draft, theme), *more]
    middle = central(said, topics)
    text = middle.text
    refs = [cite.ref for cite in cited(said)]
    if draft.tombstoned(KIND, near_key(text), refs):
        draft.reject(text, "tombstoned")
        return
    draft.revise(
        ref_of(theme),
        text=None if text == theme.text else text,
        evidence=cited(more),
        attributes=described(said, topics),
        # The words are those of one statement: they hold since that was said (C22).
        valid_from=middle.record.said_at or draft.newest(refs),
        made_by="extractive",
        reason=_reason(said),
    )


def _reason(said: Sequence[Said]) -> str:
    return f"{len(said)} statements on {len({one.day for one in said})} days"
