"""What relative words of a text meant when it was said, to be shown beside the text (rule C16)."""

from memcli.kit.dates import absolute, relative_words

_SPOKEN = "on "  # a preposition before the word: then the date comes without one of its own


def dated(text: str, days: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """(relative word, date) for each relative word of `text`, once, in order.

    `days`: the dates (YYYY-MM-DD) on which it was said. Words that mean no single time ("a few
    days ago"), and all words of what was said on several days, are left out.
    """
    found: dict[str, tuple[str, str]] = {}
    for word in relative_words(text):
        date = absolute(_SPOKEN + word.text, days)
        if date is not None and word.text.lower() not in found:
            found[word.text.lower()] = (word.text, date.removeprefix(_SPOKEN))
    return tuple(found.values())
