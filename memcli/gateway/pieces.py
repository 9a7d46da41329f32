"""Tokens of a few words without the package tokenizers, which takes 70 ms to import and to load.

Byte pair encoding as of Sennrich et al. 2016 (arXiv:1508.07909), of the one file that is known
here, the tokenizer of Llama 2. Its 61,249 merges follow from its 32,000 tokens, so that these alone
are read (10 ms): two neighbours are joined wherever that gives a token, the one of the lowest number
first, then the one whose left part has the lowest; runs of blanks come last. A test holds all of
that against the file, and the tokens of thousands of texts against the package.
"""

import json
from functools import cache
from itertools import pairwise
from pathlib import Path

from memcli.core.patterns import pattern

# sha256 of the file of which this holds.
KNOWN = "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68"
_BLANK = "▁"
# No token has a blank after another sign, so words are cut for themselves.
_WORD = pattern(f"{_BLANK}*[^{_BLANK}]*")
# These are no words: the package cuts them out first.
_SPECIAL = ("<s>", "</s>", "<unk>")
# A word of more letters, which has no blank, is left to the package: here its cost grows as its square.
_LONGEST = 64
_BEGIN, _END = b'"vocab":', b'"merges":'


def tokens(path: Path, text: str) -> list[int] | None:
    """The numbers of the tokens of `text`, from the file of the hash KNOWN at `path`.

    None for a text that is left to the package. Raises OSError, ValueError for another file.
    """
    words = _WORD.findall(_BLANK + text.replace(" ", _BLANK))
    if any(special in text for special in _SPECIAL) or max(map(len, words)) > _LONGEST:
        return None
    known = _vocabulary(path)
    found: list[int] = []
    for word in words:
        found += _of_word(known, word)
    return found


@cache
def _vocabulary(path: Path) -> dict[str, int]:
    written = path.read_bytes()
    begin = written.index(_BEGIN) + len(_BEGIN)
    text = written[begin : written.index(_END, begin)].decode()
    known: dict[str, int] = json.JSONDecoder().raw_decode(text.lstrip())[0]
    return known


def _of_word(known: dict[str, int], word: str) -> list[int]:
    parts: list[str] = []
    for letter in word:
        parts += [letter] if letter in known else [f"<0x{byte:02X}>" for byte in letter.encode()]
    while len(parts) > 1:
        ranks = [
            (not (left + right).strip(_BLANK), known[left + right], known[left], at)
            for at, (left, right) in enumerate(pairwise(parts))
            if left + right in known
        ]
        if not ranks:
            break
        at = min(ranks)[-1]
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return [known[part] for part in parts]
