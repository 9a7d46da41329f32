"""Which words differ between an old and a new text."""

from collections import Counter
from collections.abc import Sequence

from memcli.core.patterns import pattern
from memcli.render.page import Span, Style

# A word or sign with the blanks after it: compared without them, shown with them.
_TOKEN = pattern(r"\s+|\w+\s*|[^\w\s]\s*")
# Pairs of equal words; the time goes with them, and hostile text (one word, often) has most.
_MOST_PAIRS = 50_000
_ALIKE = 0.3  # below, nearly every word would be marked


def compare(before: str, after: str) -> tuple[list[Span], list[Span]]:
    """Both texts as spans, with the words that only one of them has in styles of their own."""
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    old_keys, new_keys = [word.strip() for word in old], [word.strip() for word in new]
    if _pairs(old_keys, new_keys) > _MOST_PAIRS:
        return [Span(before, "old")], [Span(after, "new")]
    from difflib import SequenceMatcher  # 3 ms, for which most answers have no use

    matcher = SequenceMatcher(None, old_keys, new_keys, autojunk=False)
    if matcher.ratio() < _ALIKE:
        return [Span(before, "old")], [Span(after, "new")]
    left: list[Span] = []
    right: list[Span] = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        same = tag == "equal"
        _put(left, old[i1:i2], "old", same)
        _put(right, new[j1:j2], "new", same)
    return left, right


def _pairs(old: Sequence[str], new: Sequence[str]) -> int:
    often = Counter(new)
    return sum(times * often[word] for word, times in Counter(old).items())


def _put(spans: list[Span], tokens: Sequence[str], style: Style, same: bool) -> None:
    text = "".join(tokens)
    words = text.rstrip()
    marked: Style = style if same else "old-word" if style == "old" else "new-word"
    if words:
        spans.append(Span(words, marked))
    if len(words) < len(text):
        spans.append(Span(text[len(words) :], style))
