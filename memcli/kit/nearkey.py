"""The near key (rule C20): what two texts share when they say the same in the same order.

Equal near keys and the guard (`kit.guard`) make a duplicate without a model. The order of words
is kept, for "use ruff instead of flake8" and its reverse differ in nothing else.
"""

import json
import unicodedata
from functools import lru_cache

from memcli.core.patterns import pattern
from memcli.kit.stem import stem
from memcli.kit.words import listed

_NOT = {"can't": "can not", "cannot": "can not", "won't": "will not", "shan't": "shall not"}
_PARTS = pattern(r"\b(can't|cannot|won't|shan't)\b")
_AIN_T = pattern(r"n't\b")
_SHORT = {"'re": " ", "'m": " ", "'ll": " will", "'ve": " have"}
_SHORTENED = pattern(r"(?<=\w)('re|'m|'ll|'ve)\b")
# Marks that tell apart what letters do not: C++ and C, C# and C, 50% and 50, AT&T.
_KEPT = "%&#@/"
_TOKEN = pattern(r"\d+(?:[.,:]\d+)*|[^\W_]+(?:_[^\W_]+)*[#%]?|[%&@/]|\S")
_DROPPED = listed("a an the am is are was were be been being")


@lru_cache(maxsize=1 << 15)  # asked for again and again, once a strategy for each quote
def near_key(text: str) -> str:
    """Stems joined by blanks: lower case, NFKC, without punctuation, articles and "to be".

    Symbols and numbers stay. The key of a text that holds nothing else is empty.
    """
    plain = unicodedata.normalize("NFKC", text).lower().replace("’", "'")
    plain = _PARTS.sub(lambda found: _NOT[found[1]], plain)
    plain = _AIN_T.sub(" not", plain)
    plain = _SHORTENED.sub(lambda found: _SHORT[found[1]], plain)
    kept = (word for word in _TOKEN.findall(plain) if word not in _DROPPED)
    return " ".join(stem(word) for word in kept if _counts(word))


def same_key(first: str, second: str) -> bool:
    """Whether two texts have equal near keys. An empty key equals nothing, not even itself."""
    key = near_key(first)
    return bool(key) and key == near_key(second)


def merge_key(uid: str, survivor: str) -> str:
    """What stands for the near key in the tombstone of a merge (kind "merge"): the pair of uids."""
    return json.dumps([uid, survivor], separators=(",", ":"))


def _counts(token: str) -> bool:
    """Whether a token is more than punctuation or an invisible mark."""
    return len(token) > 1 or token in _KEPT or unicodedata.category(token)[0] not in "PCZ"
