"""Identity of records, version 1 (formats.md, section 4): from the source, never from the run.

All digests are SHA-256 over canonical JSON, as 64 hex digits, of normalised and masked text: no
hash of a short secret is kept, and redaction on or off gives the same ids.
"""

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from memcli.kit.normalise import clean, normalise
from memcli.kit.secrets import mask, mask_value

VERSION = 1


def canonical(text: str) -> str:
    """The form of a text that enters identity: normalised, secrets as typed marks."""
    return mask(normalise(text))[0]


def digest(*parts: Any) -> str:
    """SHA-256 of JSON values, in order, as hex. None and the empty string differ."""
    text = json.dumps([VERSION, *parts], ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


class Chain:
    """The prefix chain of one conversation, for formats with neither ids nor times.

    Each id covers the ids before it, so growth adds the tail only. `seed` is the key of a named
    conversation, or what `--session` gave to keep apart conversations that begin alike.
    """

    def __init__(self, seed: str = "") -> None:
        self._last = canonical(seed)

    def step(self, role: str, speaker: str | None, text: str, calls: Sequence[Any] = ()) -> str:
        """The id of the next message, kept or skipped. `calls`: call ids, names, arguments."""
        shown = mask_value(clean(list(calls)))[0] if calls else []
        who = None if speaker is None else canonical(speaker)
        self._last = digest(self._last, role, who, canonical(text), shown)
        return self._last


def timed(container: str, who: str, said_at: str | None, text: str) -> str:
    """The digest with times: for sources without ids. Number equal ones with `Occurrences`."""
    return digest(container, canonical(who), said_at or "", canonical(text))


class Occurrences:
    """Numbers equal ids within one input: `id`, `id#2`, `id#3`.

    Holds eight bytes of each id: 90 bytes a record in all, whatever the texts.
    """

    def __init__(self) -> None:
        self._seen: dict[int, int] = {}

    def name(self, ident: str) -> str:
        """`ident` as it is the first time, with the number of its occurrence after that."""
        key = _short(ident)
        count = self._seen[key] = self._seen.get(key, 0) + 1
        return ident if count == 1 else f"{ident}#{count}"

    def __contains__(self, ident: str) -> bool:
        return _short(ident) in self._seen


class Histories:
    """Which conversations of an input repeat or continue an earlier one.

    Home-made agents log every request with the whole history before it. Without this, each
    repeated message would be a new record, since equal ids in one input are numbered.
    """

    def __init__(self) -> None:
        self.occurrences = Occurrences()
        self._ends: dict[int, int] = {}

    def repeated(self, ids: Sequence[str], *, named: bool) -> int:
        """How many leading ids of a conversation an earlier one has already given.

        All, if it is the beginning of a longer one. If both have no name and are equal, none: two
        equal conversations are two. A name (part of each id) makes them one that was written
        again. Notes the end of this one.
        """
        if named:
            return next(
                (number for number, ident in enumerate(ids) if ident not in self.occurrences),
                len(ids),
            )
        last = _short(ids[-1])
        if ids[-1] in self.occurrences and not self._ends.get(last):
            return len(ids)
        given = 0
        for number in range(len(ids) - 1, 0, -1):
            end = _short(ids[number - 1])
            if self._ends.get(end):
                self._ends[end] -= 1
                given = number
                break
        self._ends[last] = self._ends.get(last, 0) + 1
        return given


def _short(ident: str) -> int:
    return int.from_bytes(hashlib.blake2b(ident.encode(), digest_size=8).digest(), "big")
