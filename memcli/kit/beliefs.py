"""Which observations are shown beside what is new, and how they are borne out.

Source: vectorize-io/hindsight 1.1.0, hindsight_api/engine/consolidation: the rankings by text and by
vector are interleaved and not fused, for fusion pushed the near-identical twin out of the window.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest

from memcli.core import ids
from memcli.core.memories import Memory
from memcli.core.records import Record
from memcli.kit.draft import Draft
from memcli.kit.handles import Item
from memcli.kit.overlay import ref_of
from memcli.kit.proving import proof
from memcli.kit.windows import tokens
from memcli.ports import Context

_SOUGHT = 50  # places of each ranking that are looked at for a text


def live(draft: Draft, kind: str) -> dict[str, Memory]:
    """The memories of a kind whose claim stands, by id."""
    found = draft.memories(kind=kind, superseded=False)
    return {memory.id: memory for memory in found if memory.status == "active"}


def interleaved(
    draft: Draft, ctx: Context, text: str, among: Mapping[str, Memory], max_tokens: int
) -> list[str]:
    """Ids of those `among` that are near to a text, by words and by vector in turns."""
    worded = (hit.id for hit in draft.search(text, _SOUGHT))
    by_vector = (hit.id for hit in draft.nearest(text, ctx.embed([text])[0], _SOUGHT))
    ranked = [[ident for ident in found if ident in among] for found in (worded, by_vector)]
    wanted = []
    for ident in dict.fromkeys(filter(None, chain(*zip_longest(*ranked)))):
        max_tokens -= tokens(among[ident].text)
        if max_tokens < 0:
            break
        wanted.append(ident)
    return wanted


def bases(
    draft: Draft, pool: Sequence[Memory], now: str, *, each: int, whole: int
) -> Iterator[Item]:
    """For each observation how often and when it was said, and its newest words.

    `each`, `whole`: tokens of words that are shown for one, and for all.
    """
    for memory in pool:
        found = (draft.get(root) for root in draft.closure(memory.id))
        borne = proof([one for one in found if isinstance(one, Record)], now)
        text = f"{borne.count} {'record' if borne.count == 1 else 'records'}"
        if borne.first is not None and borne.last is not None:
            text += f", {borne.first[:10]} to {borne.last[:10]}"
        room = min(each, whole)
        quotes = [quote.text for one in memory.evidence for quote in one.quotes]
        for quote in dict.fromkeys(reversed(quotes)):
            room -= tokens(quote)
            if room < 0:
                break
            whole -= tokens(quote)
            text += f"; “{quote}”"
        yield Item(ref_of(memory), text, memory=True, roots=roots_of(draft, memory))


def roots_of(draft: Draft, memory: Memory) -> tuple[str, ...]:
    """Of a draft the records that it rests on, for what is shown of it; none of a stored memory."""
    return tuple(sorted(draft.closure(memory.id))) if ids.is_draft(memory.id) else ()


def newest_day(draft: Draft, refs: Iterable[str]) -> str | None:
    """The day of the newest record that these rest on."""
    newest = draft.newest(refs)
    return None if newest is None else newest[:10]
