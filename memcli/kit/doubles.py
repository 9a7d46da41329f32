"""Memories that say the same by rule: exact duplicates, and near ones that pass the guard.

Groups are equalities of a key, so they are closed: a chain a-b-c that drifts cannot come about. The
key holds the near key (C20) and whatever the guard (C19) wants equal, but for names: whether a
capital letter is one depends on the sentence. Texts are compared within equal near keys only.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence

from memcli.core import ids
from memcli.core.memories import Memory
from memcli.core.plan import Rejection
from memcli.core.records import Record
from memcli.core.values import dataclass, field
from memcli.kit import signs
from memcli.kit.graph import reached
from memcli.kit.guard import claim_of, may_join
from memcli.kit.moments import parse_time
from memcli.kit.nearkey import merge_key, near_key
from memcli.kit.support import unsupported
from memcli.kit.words import DIGITS
from memcli.ports import View

# Documents (day, overview, node, digest, model, block, segment) are never joined.
KINDS = ("fact", "observation", "insight", "theme", "claim", "note", "document", "entity")
# "One" may count nothing ("no one", "one of them"); the guard does not count it either.
_COUNTED = re.compile(
    rf"\b(?:{'|'.join(word for word in DIGITS if word != 'one')})\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Double:
    """`target` says what the older `survivor` says; `exact`: in the very same words and slot."""

    target: Memory
    survivor: Memory
    exact: bool


@dataclass
class Doubles:
    """What may be joined, in the order of the targets, and what may not for another reason."""

    joins: list[Double] = field(default_factory=list)
    refused: list[Rejection] = field(default_factory=list)

    @property
    def exact(self) -> int:
        """How many of the joins are exact."""
        return sum(one.exact for one in self.joins)


def current(view: View, kinds: Iterable[str], now: str) -> list[Memory]:
    """The memories of these kinds that are shown and true at `now`, oldest first.

    Those that wait to be confirmed (`pending`) are among them.
    """
    wanted = frozenset(kinds)
    found = [
        memory
        for memory in view.memories()
        if memory.kind in wanted
        and memory.status in ("active", "pending")
        and (memory.valid_to is None or parse_time(now) < parse_time(memory.valid_to))
    ]
    return sorted(found, key=_age)


def find(view: View, kinds: Iterable[str], now: str) -> Doubles:
    """What says the same among the current memories of these kinds. Scans no pairs of texts."""
    alike: dict[object, list[Memory]] = defaultdict(list)
    for memory in current(view, kinds, now):
        alike[memory.kind, memory.scope, _key(memory.text)].append(memory)
    out = Doubles()
    for members in alike.values():
        if len(members) > 1:
            _join(view, members, out)
    out.joins.sort(key=lambda one: _age(one.target))
    return out


def why_not(view: View, target: Memory, survivor: Memory) -> str | None:
    """What speaks against joining two that say the same, as a stable word; None if nothing does."""
    refs = [evidence.ref for evidence in target.evidence]
    if view.tombstoned("merge", merge_key(target.uid, survivor.uid), refs):
        return "tombstoned"
    others = [ref for ref in refs if ids.memory_of(ref) != survivor.id]
    if target.id in reached(view, survivor.id) or any(
        survivor.id in reached(view, ref) for ref in others
    ):
        return "cycle"
    for memory in (target, survivor):
        records = (view.get(ref) for ref in sorted(view.closure(memory.id)))
        if unsupported(memory.text, [one for one in records if isinstance(one, Record)]):
            return "unsupported"
    return None


def may_be_one(view: View, one: Memory, other: Memory) -> bool:
    """Whether two memories may say the same whatever their words: of one scope, subject, time, ..."""
    return one.kind == other.kind and _beside(view, one) == _beside(view, other)


def _join(view: View, members: Sequence[Memory], out: Doubles) -> None:
    """Members of one near key, oldest first: each goes to the first that it may be joined with."""
    heads: dict[object, list[Memory]] = defaultdict(list)
    for memory in members:
        known = heads[_signature(view, memory)]
        survivor = next((head for head in known if may_join(memory, head)), None)
        if survivor is None:
            known.append(memory)
            continue
        reason = why_not(view, memory, survivor)
        if reason is None:
            out.joins.append(Double(memory, survivor, _plain(memory.text) == _plain(survivor.text)))
        else:
            out.refused.append(Rejection(f"{memory.id} into {survivor.id}", reason))


def _signature(view: View, memory: Memory) -> tuple[object, ...]:
    """What has to be equal beside the near key."""
    text = memory.text
    return (
        *_beside(view, memory),
        signs.numbers(text),
        signs.negations(text),
        signs.modals(text),
        signs.quoted(text),
        signs.identifiers(text),
    )


def _beside(view: View, memory: Memory) -> tuple[object, ...]:
    """What stands beside the text and has to be equal."""
    claim, slot = claim_of(memory), memory.slot
    subject = slot.subject if slot else str(memory.attributes.get("subject", ""))
    ends = (None, None) if memory.valid_to is None else (memory.valid_from, memory.valid_to)
    return (
        memory.scope,
        subject.strip().casefold(),
        claim.speaker,
        ends,
        None if slot is None else (slot.attribute, _plain(slot.value).casefold()),
        memory.status == "pending",
        # A note belongs to its record; two things of one name may be of two types.
        view.closure(memory.id) if memory.kind == "note" else None,
        str(memory.attributes.get("type")) if memory.kind == "entity" else None,
    )


def _key(text: str) -> str:
    """The near key, words that count as digits; of a text that holds nothing else, the text."""
    counted = _COUNTED.sub(lambda found: str(DIGITS[found[0].lower()]), text)
    return near_key(counted) or _plain(text)


def _plain(text: str) -> str:
    """NFC, runs of white space as one blank."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def _age(memory: Memory) -> int:
    """Ids are given in the order in which memories were made."""
    return ids.parse(memory.id, "m").number
