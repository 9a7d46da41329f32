"""Word stems, so that "camping" and "camped" meet.

Source: M. F. Porter 1980, An algorithm for suffix stripping, Program 14(3), written anew from the
rules of the paper. Words that are not plain lower-case English letters come back as they are.
"""

import re
from functools import lru_cache
from itertools import pairwise

from memcli.kit.words import words

# No word is longer; what is, is no word, and `_consonant` would climb down a run of y.
_PLAIN = re.compile(r"[a-z]{3,40}")

# (suffix, what replaces it), in the paper's order: the first suffix that fits decides.
_STEP_2 = (
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("abli", "able"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
)
_STEP_3 = (
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
)
# Longest first, so that "ement" is tried before "ment" and "ent".
_STEP_4 = (
    *("ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti"),
    *("ous", "ive", "ize", "ion", "al", "er", "ic", "ou"),
)
# Most words end in none of them, which is told fastest of all at once.
_ENDS_2, _ENDS_3 = (tuple(suffix for suffix, _ in step) for step in (_STEP_2, _STEP_3))


@lru_cache(maxsize=512)
def stems(text: str) -> frozenset[str]:
    """The stems of all words of a text; who compares results asks for those of one many times."""
    return frozenset(stem(word.removesuffix("'s")) for word in words(text))


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """The stem of a lower-case word; words of one or two letters, or over 40, stay whole."""
    if not _PLAIN.fullmatch(word):
        return word
    word = _plural(word)
    word = _past(word)
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    if word.endswith(_ENDS_2):
        word = _replace(word, _STEP_2)
    if word.endswith(_ENDS_3):
        word = _replace(word, _STEP_3)
    if word.endswith(_STEP_4):
        word = _strip(word)
    return _tidy(word)


def _consonant(word: str, at: int) -> bool:
    letter = word[at]
    if letter in "aeiou":
        return False
    return letter != "y" or at == 0 or not _consonant(word, at - 1)


def _measure(part: str) -> int:
    """How often a vowel is followed by a consonant: the m of the paper."""
    kinds = [_consonant(part, at) for at in range(len(part))]
    return sum(not before and after for before, after in pairwise(kinds))


def _has_vowel(part: str) -> bool:
    return any(not _consonant(part, at) for at in range(len(part)))


def _double(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _consonant(word, len(word) - 1)


def _short(word: str) -> bool:
    """Whether it ends consonant, vowel, consonant, the last none of w, x, y: the *o of the paper."""
    last = len(word) - 1
    return (
        last >= 2
        and _consonant(word, last - 2)
        and not _consonant(word, last - 1)
        and _consonant(word, last)
        and word[last] not in "wxy"
    )


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        rest = word.removesuffix(suffix)
        if rest == word:
            continue
        if not _has_vowel(rest):
            return word
        if rest.endswith(("at", "bl", "iz")):
            return rest + "e"
        if _double(rest) and rest[-1] not in "lsz":
            return rest[:-1]
        return rest + "e" if _measure(rest) == 1 and _short(rest) else rest
    return word


def _replace(word: str, rules: tuple[tuple[str, str], ...]) -> str:
    for suffix, new in rules:
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            return rest + new if _measure(rest) > 0 else word
    return word


def _strip(word: str) -> str:
    for suffix in _STEP_4:
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            if suffix == "ion" and not rest.endswith(("s", "t")):
                return word
            return rest if _measure(rest) > 1 else word
    return word


def _tidy(word: str) -> str:
    if word.endswith("e"):
        rest = word[:-1]
        size = _measure(rest)
        if size > 1 or (size == 1 and not _short(rest)):
            word = rest
    if word.endswith("ll") and _measure(word) > 1:
        word = word[:-1]
    return word
