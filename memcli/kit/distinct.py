"""Ids that a source gives twice: the same message again, or another one under the same id."""

import hashlib
import json
from collections.abc import Iterable, Iterator

from memcli.core.found import Found, Skipped, Unit
from memcli.core.values import replace
from memcli.kit.secrets import mask


def distinct(units: Iterable[Unit]) -> Iterator[Unit]:
    """The units; what repeats an id with the same text and calls is skipped as `duplicate_id`.

    With another text it is a record of its own, named `id+` and the SHA-256 of the text as hex:
    nothing that was said may be lost. (`id@` names a text that took the place of a former one;
    here both are there.) Holds two numbers of eight bytes for each unit.
    """
    seen: dict[int, int] = {}
    for unit in units:
        if not isinstance(unit, Found):
            yield unit
            continue
        said = _said(unit)
        mark = _short(said)
        first = seen.get(_short(unit.identity))
        if first is not None and first != mark:
            shown, _ = mask(said)
            other = hashlib.sha256(shown.encode()).hexdigest()
            unit = replace(unit, identity=f"{unit.identity}+{other}")
        key = _short(unit.identity)
        if key in seen:
            yield Skipped("duplicate_id", unit.line)
        else:
            seen[key] = mark
            yield unit


def _said(unit: Found) -> str:
    calls = unit.attributes.get("calls")
    return f"{unit.text}\n{json.dumps(calls, sort_keys=True)}" if calls else unit.text


def _short(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
