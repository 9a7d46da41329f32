"""How a new fact compares to a memory: older, saying more, in contrast, on the same topic."""

from collections.abc import Collection

from memcli.core.memories import Memory, Role
from memcli.kit import signs
from memcli.kit.claims import Found
from memcli.kit.dates import Begun
from memcli.kit.guard import differences, lost
from memcli.kit.stem import stem
from memcli.kit.words import content_words, words


def is_older(fact: Found, target: Memory, said: str | None) -> bool:
    """Whether the fact is late news: it began to be true before the target did (C22).

    `said`: when the newest record that the target rests on was said.
    """
    return Begun(fact.valid_from, fact.said_at).is_before(Begun(target.valid_from, said))


def says_the_same(fact: Found, same: Memory) -> bool:
    """Whether nothing keeps a fact apart from the memory with its near key (C20)."""
    return not fact.doubtful and not differences(*fact.claims_beside(same))


def says_more(fact: Found, target: Memory) -> bool:
    """Whether the fact holds what the target does not, or turns it: numbers, names, negation, ..."""
    known, own = fact.claims_beside(target)
    kept_apart = {"modality", "subject", "speaker", "interval"} & {*differences(known, own)}
    return bool(
        kept_apart
        or lost(own.text, known.text)
        or not signs.identifiers(own.text) <= signs.identifiers(known.text)
        or not signs.quoted(own.text) <= signs.quoted(known.text)
    )


def contrast(one: str, other: str) -> Role:
    """How two texts that are near and undecided are linked."""
    apart = signs.numbers(one) != signs.numbers(other)
    return "conflict" if apart or signs.negations(one) != signs.negations(other) else "duplicate"


def topics(text: str) -> set[str]:
    """Stems of the words that say what a text is about."""
    return {stem(word) for word in content_words(text)}


def without(names: Collection[str], text: str) -> str:
    """The words of a text but for these stems."""
    return " ".join(word for word in words(text) if stem(word.removesuffix("'s")) not in names)
