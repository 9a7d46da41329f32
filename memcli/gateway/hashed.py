"""The embedder `hash-1024`: words and character n-grams hashed to 1,024 dimensions.

It needs no weights and no packages, and knows words by their letters alone: "paint", "painting"
and "painter" are near, "car" and "automobile" are not. A text is a bag of words.
"""

import hashlib
import math
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import compress
from operator import mul

from memcli.gateway.measured import MEASURED
from memcli.gateway.naming import HASH as NAME
from memcli.kit.stem import stem
from memcli.kit.words import COMMON_WORDS, STOP_WORDS, words

DIMENSIONS = MEASURED[NAME].dimensions

# Thresholds of this embedder (rule C21: they propose and decide nothing).
RELATED = MEASURED[NAME].related
NEAR_DUPLICATE = MEASURED[NAME].near_duplicate

# What changes vectors; the fingerprint is taken of it.
_VERSION = 1
_GRAMS = (3, 4, 5)
_COMMON, _CONTENT = 4, 12  # weights of words
_WORD_SHARE, _GRAM_SHARE = 24, 16  # of a word's length in the space: its stem, its n-grams
# A stem goes to four dimensions of half its weight: where two stems meet in one dimension, as some
# pair of 1,024 always does, their texts then look related by a sixteenth and not by a quarter.
_PLACES = 4
# Weights of a word that occurs n times: 8 * (1 + ln n), rounded.
_REPEATS = (0, 8, 14, 17, 19, 21, 22, 24, 25)
_LONGEST = 40  # characters of a word; a longer one is cut into pieces
_BLOCK = 50  # texts: a vector of floats takes thirty times the memory of its bytes
_WHOLE = tuple(range(DIMENSIONS))  # shared numbers, so that cached words stay small


class HashEmbedder:
    """Vectors of `hash-1024`: the same on every platform, Python and run."""

    name = NAME
    remote = late = False
    portion = 2_000
    dtype = "int8"
    dimensions = DIMENSIONS
    related = RELATED
    near_duplicate = NEAR_DUPLICATE
    measured = (RELATED, NEAR_DUPLICATE)
    fusion = MEASURED[NAME].fusion
    # A longer text is embedded by its beginning: what it is about stands there, and a megabyte of
    # tool output would take a second. Characters.
    longest = 4_000

    def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        """A vector of unit length for each text; zero for one without a visible character."""
        return [embed(text) for text in texts]

    def blocks(self, texts: Sequence[str]) -> Iterator[list[tuple[float, ...]]]:
        """See engine.embedding.StoreEmbedder."""
        for start in range(0, len(texts), _BLOCK):
            part = texts[start : start + _BLOCK]
            yield self.embed([text[: self.longest] for text in part])

    def embed_query(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        """Vectors of questions: as of any text."""
        return self.embed(texts)

    def fingerprint(self) -> str:
        """See `fingerprint`."""
        return fingerprint()

    def described(self) -> dict[str, object]:
        """What a store keeps of it: all that decides over its vectors."""
        return {"name": self.name, "sha256": fingerprint(), "truncation": self.longest}

    def close(self) -> None:
        """Nothing is open."""


def fingerprint() -> str:
    """The sha256, in hex, of all that changes a vector: constants, word lists, version of the code."""
    parts = (
        *(NAME, DIMENSIONS, _VERSION, _GRAMS, _COMMON, _CONTENT),
        *(
            _WORD_SHARE,
            _GRAM_SHARE,
            _PLACES,
            _REPEATS,
            _LONGEST,
            sorted(STOP_WORDS),
            sorted(COMMON_WORDS),
        ),
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def embed(text: str) -> tuple[float, ...]:
    """The vector of one text: 1,024 numbers, unit length or all 0.

    Sums are whole numbers, for Python 3.12 adds up floats otherwise than 3.10 does.
    """
    sums = [0] * DIMENSIONS
    for word, count in Counter(_tokens(text)).items():
        repeats = _REPEATS[min(count, len(_REPEATS) - 1)]
        places, values = _word(word)
        for place, value in zip(places, values, strict=True):
            sums[place] += value * repeats
    vector = [0.0] * DIMENSIONS
    present = list(filter(None, sums))
    length = math.sqrt(sum(map(mul, present, present)))
    for place, value in zip(compress(_WHOLE, sums), present, strict=True):
        vector[place] = value / length
    return tuple(vector)


def _tokens(text: str) -> list[str]:
    """The words of a text without stop words, long ones in pieces.

    The stop words of a text that has nothing else; what stands between blanks if it has no words.
    """
    said = words(text) or unicodedata.normalize("NFKC", text).split()
    found = [word for word in said if word not in STOP_WORDS] or said
    if max(map(len, found), default=0) <= _LONGEST:
        return found
    return [word[at : at + _LONGEST] for word in found for at in range(0, len(word), _LONGEST)]


@lru_cache(maxsize=16384)
def _word(word: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The dimensions that a word touches, and by how much."""
    weight = _COMMON if word in COMMON_WORDS or word in STOP_WORDS else _CONTENT
    bare = word.removesuffix("'s")
    marked = f"^{bare}$"
    grams = {
        marked[at : at + size] for size in _GRAMS for at in range(max(0, len(marked) - size + 1))
    }
    features = [(f"w{turn}{stem(bare)}", _WORD_SHARE * weight // 2) for turn in range(_PLACES)]
    share = round(_GRAM_SHARE * weight / math.sqrt(len(grams) or 1))
    features += [("g" + gram, share) for gram in sorted(grams)]
    touched: Counter[int] = Counter()
    for feature, value in features:
        digest = hashlib.blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=4).digest()
        number = int.from_bytes(digest, "big")
        touched[number % DIMENSIONS] += -value if number >> 31 else value
    return tuple(_WHOLE[place] for place in touched), tuple(touched.values())
