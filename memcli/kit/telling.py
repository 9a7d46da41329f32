"""How much a turn of talk tells, whatever is asked.

Of turns that share their words with a question those answer that state something: of the speaker
himself, with names and times, at some length, rather than a question or a word of praise. The first
turns of a conversation bring the news.
"""

from memcli.core.patterns import pattern
from memcli.kit.asked import holds_time

# A name inside a sentence; at its beginning any word has a capital.
_NAME = pattern(r"(?<=[a-z,;:'] )[A-Z][a-z]+")
_NAMES = 3  # more than so many tell no more
_OWN = pattern(r"\b(?:I|[Mm]y|[Ww]e|[Oo]ur)\b")
_LONG = 300  # characters; what is longer tells no more


def tells(text: str) -> dict[str, float]:
    """What of this kind a text has, each 0..1: `long`, `names`, `own`, `time`, and `asks`, which
    tells less."""
    return {
        "long": min(1.0, len(text) / _LONG),
        "names": min(len(_NAME.findall(text)), _NAMES) / _NAMES,
        "own": float(_OWN.search(text) is not None),
        "time": float(holds_time(text)),
        "asks": float(text.rstrip().endswith("?")),
    }


def asks(text: str) -> bool:
    """Whether a text asks something."""
    return "?" in text or "\uff1f" in text
