"""Whether what was found answers at all: something is always nearest, also to what nobody said.

Nothing of a score says so: the best of a search has the best score. What tells a little is whether
one result says all that is asked for, and whether a name of the question stands anywhere.
"""

from collections.abc import Callable, Collection, Sequence

from memcli.core.reports import Match, SearchHit
from memcli.kit import fitting
from memcli.kit.asked import Asked

LOOKED_AT = 5  # of the first results: what ranks lower answers no better

# Words of a question -> those of them that no text holds.
Absent = Callable[[Sequence[str]], Collection[str]]


def match_of(
    asked: Asked, speakers: Collection[str], hits: Sequence[SearchHit], floor: float, absent: Absent
) -> Match:
    """How far the first results say what `asked`, as it was read, wants to know.

    `speakers`: those of its words that name who speaks in the store; `floor`: 0..1, the share below
    which it is called weak.
    """
    wanted = fitting.wanted(asked, speakers)
    if wanted is None or not hits:
        return Match()
    named = any("speaker" in hit.parts for hit in hits)
    best, share = hits[0], 0.0
    for hit in hits[:LOOKED_AT]:
        found = fitting.fit(wanted, _text(hit), hit.speaker, named=named, least=share)
        if found > share:
            best, share = hit, found
    missing = wanted.lacks(fitting.held([_all_of(best)]))
    unseen = wanted.lacks(fitting.held([_all_of(hit) for hit in hits]))
    nowhere = tuple(word for word in absent(unseen) if word in unseen) if unseen else ()
    unknown = frozenset(nowhere).intersection(fitting.named(asked))
    weak = floor > 0 and (share < floor or bool(unknown))
    return Match(round(share, 3), weak, missing, nowhere)


def _all_of(hit: SearchHit) -> str:
    return f"{hit.speaker or ''} {_text(hit)}"


def _text(hit: SearchHit) -> str:
    return "\n".join((hit.text, *(one.text for one in hit.attachments)))
