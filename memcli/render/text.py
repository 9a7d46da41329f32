"""Stored text made fit for a terminal: visible, harmless, short where it must be short."""

import re
import unicodedata

from memcli.core.patterns import pattern

# Controls (C0, DEL, C1), bidi controls, invisible operators and tags, line separators, lone
# surrogates: whatever could move the cursor, reorder or hide words. Joiners that scripts and
# emoji need (U+200C, U+200D) stay.
HARMFUL = pattern(
    "[\x00-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_TIME = pattern(r"(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})")


def safe(text: str) -> str:
    """`text` on one line, in which nothing can act on a terminal.

    A newline becomes ␊, an escape ␛, a bidi override ⟨U+202E⟩; a tab becomes four blanks.
    """
    return text if text.isprintable() else HARMFUL.sub(_visible, text)


def _visible(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code == 0x09:
        return "    "
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"⟨U+{code:04X}⟩"


def lines(text: str) -> list[str]:
    """`text` cut at its newlines (LF, CRLF) and at nothing else; at least one line."""
    return text.replace("\r\n", "\n").split("\n")


def brief(text: str, limit: int = 200) -> str:
    """`text` on one line of at most `limit` characters, runs of white space taken as one."""
    flat = " ".join(text[: limit * 8].split())
    if len(flat) <= limit and len(text) <= limit * 8:
        return flat
    cut = flat[:limit].rstrip()
    at_word = cut.rfind(" ", limit * 2 // 3)
    return (cut if at_word < 0 else cut[:at_word]) + " …"


def when(moment: str | None) -> str:
    """An ISO moment in UTC to the minute (`2026-03-04 09:12`); other text as it is."""
    if moment is None:
        return "no date"
    found = _TIME.match(moment)
    return f"{found[1]} {found[2]}" if found else moment


def cells(text: str) -> int:
    """How many columns of a terminal `text` takes (East Asian wide letters take two)."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def count(number: int, noun: str, plural: str | None = None) -> str:
    """`1 record`, `2 records`, `2 memories`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def listed(items: object, limit: int = 12) -> str:
    """Ids and the like, by commas, the tail counted: `m1, m2 and 5 more`."""
    every = [str(item) for item in items] if hasattr(items, "__iter__") else [str(items)]
    if len(every) <= limit + 1:
        return ", ".join(every)
    return f"{', '.join(every[:limit])} and {len(every) - limit:,} more"
