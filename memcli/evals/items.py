"""What was retrieved, held against what is right: which records each result stands for."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Literal

from memcli.core.reports import SearchHit
from memcli.core.values import dataclass
from memcli.evals.suite import Probe
from memcli.evals.worlds import WorldStore
from memcli.kit.signs import MONTHS
from memcli.kit.stem import stem
from memcli.kit.words import DIGITS, STOP_WORDS, words

Side = Literal["current", "stale", "mixed", "distractor", "other"]

_HELD = 0.5  # of the content words of a text, for it to be held by another
# Beside an old value these say that it is over.
_PAST = re.compile(
    r"\b(was|were|used to|formerly|former|previous(ly)?|before|until|no longer|not any ?more|"
    r"earlier|once|initially|originally|instead of|rather than|switched from|moved from|ended|"
    r"stopped|old|had|changed from)\b",
    re.IGNORECASE,
)
_NEAR = 40  # characters around the old value


@dataclass(frozen=True, slots=True)
class Item:
    """One result. `covers`: refs of its transitive sources; `carries`: those of them whose words
    it holds itself (a record always does). `marked`: its status is not current. `tokens`:
    characters / 4. `sessions`: where its sources were said."""

    id: str
    layer: str
    kind: str
    text: str
    status: str
    covers: frozenset[str]
    carries: frozenset[str]
    sessions: tuple[str, ...]
    side: Side
    tokens: int
    said_at: str | None = None
    speaker: str | None = None

    @property
    def marked(self) -> bool:
        """Whether it is said of it that it is not simply so."""
        return self.status != "current"


def items(store: WorldStore, probe: Probe, hits: Sequence[SearchHit]) -> tuple[Item, ...]:
    """The results as items, in their order."""
    return tuple(_item(store, probe, hit) for hit in hits)


def _item(store: WorldStore, probe: Probe, hit: SearchHit) -> Item:
    sources = store.sources(hit.id)
    refs = store.refs_of
    covers = frozenset(ref for source in sources for ref in refs.get(source, ()))
    text = hit.text + "".join(f"\n{one}" for one in attachments(hit))
    if hit.layer == "raw":
        carries = covers
    else:
        carries = frozenset(
            ref
            for source in sources
            if carried(store.records[source].text, text)
            for ref in refs.get(source, ())
        )
    sessions = dict.fromkeys(
        store.records[source].session for source in sorted(sources, key=_number)
    )
    return Item(
        hit.id,
        hit.layer,
        hit.kind,
        text,
        hit.status,
        covers,
        carries,
        tuple(sessions),
        _side(store, probe, covers, text, derived=hit.layer != "raw"),
        tokens_of(text),
        hit.said_at or hit.valid_from,
        hit.speaker,
    )


def _number(ident: str) -> int:
    return int(ident[1:])


def attachments(hit: SearchHit) -> tuple[str, ...]:
    """Texts of what a search folded into a message."""
    found = getattr(hit, "attachments", ())
    return tuple(str(getattr(one, "text", one)) for one in found)


def tokens_of(text: str) -> int:
    """Tokens as they are counted here: characters / 4, rounded up."""
    return -(-len(text) // 4)


@lru_cache(maxsize=20_000)
def content(text: str) -> frozenset[str]:
    """Stems of the words that carry something."""
    return frozenset(stem(word) for word in words(text) if word not in STOP_WORDS)


def carried(source: str, text: str) -> bool:
    """Whether `text` holds the words of `source` itself: at least half of what they say, or all of
    a sentence of it word for word."""
    wanted = content(source)
    if not wanted:
        return False
    if len(wanted & content(text)) >= _HELD * len(wanted):
        return True
    said = text.strip().rstrip(".!?").casefold()
    return len(said) > 20 and said in source.casefold()


def _side(
    store: WorldStore, probe: Probe, covers: frozenset[str], text: str, *, derived: bool
) -> Side:
    new = not covers.isdisjoint(probe.current_refs)
    old = not covers.isdisjoint(probe.stale_refs)
    if new and old:
        return _by_text(store, probe, text) if derived else "mixed"
    if new or old:
        return "current" if new else "stale"
    return "distractor" if not covers.isdisjoint(probe.distractor_refs) else "other"


def _by_text(store: WorldStore, probe: Probe, text: str) -> Side:
    """What a memory is that rests on the old statement and on the new one: its own words decide."""
    new, old = holds_new(store, probe, text), holds_old(store, probe, text)
    if new and not old:
        return "current"
    return "stale" if old and not new else "mixed"


def holds_new(store: WorldStore, probe: Probe, text: str) -> bool:
    """Whether a text holds the current value: the answer, else what only the new records say."""
    if any(holds(text, value) for value in probe.answer):
        return True
    return _distinct(store, probe.current_refs, probe.stale_refs, text)


def holds_old(store: WorldStore, probe: Probe, text: str) -> bool:
    """Whether a text holds the old value and does not say that it is over."""
    if probe.stale_answer:
        return any(unmarked(text, value) for value in probe.stale_answer)
    return _distinct(store, probe.stale_refs, probe.current_refs, text)


def _distinct(store: WorldStore, these: Sequence[str], others: Sequence[str], text: str) -> bool:
    """Whether a text holds at least half of the words that only these records have."""
    own, other = (_words_of(store, refs) for refs in (these, others))
    only = own - other
    return bool(only) and len(only & content(text)) >= _HELD * len(only)


def _words_of(store: WorldStore, refs: Sequence[str]) -> frozenset[str]:
    by_ref: Mapping[str, Sequence[object]] = store.by_ref
    found: set[str] = set()
    for ref in refs:
        for record in by_ref.get(ref, ()):
            found |= content(str(getattr(record, "text", "")))
    return frozenset(found)


# --- values in texts ------------------------------------------------------------------------------

_TEENS = (
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
)
_NUMBERS = {word: str(n) for word, n in (*DIGITS.items(), *zip(_TEENS, range(13, 21), strict=True))}
_MONTHS = {month: f"{number:02d}" for number, month in enumerate(MONTHS, 1)}
_MONTHS |= {month[:3]: number for month, number in _MONTHS.items()}
_DAY_FIRST = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?(?: of)? ([a-z]{3,9})\.?,? (\d{4})\b")
_MONTH_FIRST = re.compile(r"\b([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})\b")
_ISO = re.compile(r"\b(\d{4})[-/](\d{1,2})[-/](\d{1,2})\b")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_TOKEN = re.compile(r"\d+(?:\.\d+)?|[^\W\d_]+(?:['’][^\W\d_]+)*")
_ARTICLES = frozenset({"a", "an", "the"})


def normalised(text: str) -> str:
    """Words, numbers and dates of a text in one form each, blanks between and around them.

    `Twenty` and `20`, `1,000` and `1000`, `7 May 2023` and `2023-05-07` are the same.
    """
    found = _THOUSANDS.sub("", text.casefold().replace("’", "'"))
    found = _ISO.sub(lambda m: _date(m[0], m[1], m[2], m[3]), found)
    found = _DAY_FIRST.sub(lambda m: _date(m[0], m[3], _MONTHS.get(m[2]), m[1]), found)
    found = _MONTH_FIRST.sub(lambda m: _date(m[0], m[3], _MONTHS.get(m[1]), m[2]), found)
    tokens = [_NUMBERS.get(token, token) for token in _TOKEN.findall(found)]
    return " " + " ".join(token for token in tokens if token not in _ARTICLES) + " "


def _date(whole: str, year: str, month: str | None, day: str) -> str:
    return whole if month is None else f" {int(day)} month{int(month)} {year} "


def holds(text: str, value: str) -> bool:
    """Whether a value stands in a text as whole words; numbers and dates in any form."""
    wanted = normalised(value)
    return bool(wanted.strip()) and wanted in normalised(text)


def unmarked(text: str, value: str) -> bool:
    """Whether a value stands in a text with no word of the past near it."""
    wanted = normalised(value)
    if not wanted.strip():
        return False
    whole = normalised(text)
    at = whole.find(wanted)
    while at >= 0:
        if not _PAST.search(whole[max(0, at - _NEAR) : at + len(wanted) + _NEAR]):
            return True
        at = whole.find(wanted, at + 1)
    return False
