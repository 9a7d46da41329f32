"""How important a text is, by rule: the extractive stand-in for a model's rating."""

from memcli.kit import signs
from memcli.kit.dates import relative_words
from memcli.kit.sentences import statements
from memcli.kit.words import words

LONG_WORDS = 12


def rate(text: str) -> int:
    """1..8: 1, +2 first person, +2 a name, number or date, +2 a change, decision or standing
    order, +1 at least twelve words.

    Only statements count, so that a text of questions and greetings is 1.
    """
    said = " ".join(statement.text for statement in statements(text))
    if not said:
        return 1
    concrete = signs.names(said) or signs.numbers(said) or signs.has_date(said)
    turning = signs.is_change(said) or signs.is_decision(said) or signs.is_order(said)
    return (
        1
        + 2 * signs.first_person(said)
        + 2 * bool(concrete or relative_words(said))
        + 2 * bool(turning)
        + (len(words(said)) >= LONG_WORDS)
    )
