"""The guard on automatic merges (rule C19), whoever proposed the merge.

Texts that differ in a number, a negation or a name may be near for every embedder and still
contradict each other. Where the guard finds a difference nothing merges; the pair is linked as
`duplicate` for review.
"""

from memcli.core.memories import Memory
from memcli.core.records import Record
from memcli.core.values import dataclass
from memcli.kit import signs
from memcli.kit.words import words


@dataclass(frozen=True, slots=True)
class Claim:
    """A text and what is known beside it. `subject` and `speaker`: None is one more value."""

    text: str
    subject: str | None = None
    speaker: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None


def claim_of(item: Memory | Record) -> Claim:
    """The claim that a memory or record makes."""
    if isinstance(item, Record):
        return Claim(item.text, speaker=item.speaker, valid_from=item.said_at)
    subject = item.slot.subject if item.slot else None
    speaker = item.attributes.get("speaker")
    return Claim(
        item.text,
        subject,
        speaker if isinstance(speaker, str) else None,
        item.valid_from,
        item.valid_to,
    )


def differences(first: Claim, second: Claim) -> tuple[str, ...]:
    """What keeps two claims apart, in stable words; empty if they may merge.

    Words: numbers, negation, modality, names, quotes, identifiers, subject, speaker, interval.
    """
    one, other = first.text, second.text
    found = {
        "numbers": signs.numbers(one) != signs.numbers(other),
        "negation": signs.negations(one) != signs.negations(other),
        "modality": signs.modals(one) != signs.modals(other),
        "names": _names_differ(one, other),
        "quotes": signs.quoted(one) != signs.quoted(other),
        "identifiers": signs.identifiers(one) != signs.identifiers(other),
        "subject": first.subject != second.subject,
        "speaker": first.speaker != second.speaker,
        "interval": _interval_differs(first, second),
    }
    return tuple(word for word, differs in found.items() if differs)


def may_merge(first: Claim, second: Claim) -> bool:
    """Whether nothing that can be seen keeps the two apart."""
    return not differences(first, second)


def may_join(one: Memory, other: Memory) -> bool:
    """Whether nothing that can be seen keeps two memories apart, subjects beside the text included.

    What has a slot has its subject in there; what has none may name it in its attributes. Two
    that are named and differ keep the memories apart.
    """
    named = {
        subject.strip().casefold()
        for memory in (one, other)
        if isinstance(subject := _subject(memory), str) and subject.strip()
    }
    return len(named) < 2 and may_merge(claim_of(one), claim_of(other))


def _subject(memory: Memory) -> object:
    return memory.slot.subject if memory.slot else memory.attributes.get("subject")


def lost(old: str, new: str) -> tuple[str, ...]:
    """What a new wording of the same claim has lost or turned: numbers, names, negation.

    More detail is no loss ("a dog" to "a dog named Rex"); another number or a turned negation is.
    """
    found = []
    if not set(signs.numbers(old)) <= set(signs.numbers(new)):
        found.append("numbers")
    if not _all_said(signs.names(old), new):
        found.append("names")
    if signs.negations(old) != signs.negations(new):
        found.append("negation")
    return tuple(found)


def _names_differ(one: str, other: str) -> bool:
    return not _all_said(signs.names(one), other) or not _all_said(signs.names(other), one)


def _all_said(wanted: frozenset[str], text: str) -> bool:
    """Whether each name stands in the text, in whatever case: a sentence may begin with it."""
    said = {word.removesuffix("'s") for word in words(text)}
    return all(set(words(name)) <= said for name in wanted)


def _interval_differs(first: Claim, second: Claim) -> bool:
    if first.valid_to is None and second.valid_to is None:
        return False
    return (first.valid_from, first.valid_to) != (second.valid_from, second.valid_to)
