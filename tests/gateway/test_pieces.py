"""Tokens without the package tokenizers are those of the package."""

import hashlib
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memcli.gateway import pieces
from memcli.gateway.local import lacking
from memcli.gateway.naming import WORDLLAMA
from memcli.gateway.wordllama import WordLlama

if TYPE_CHECKING:
    from tokenizers import Tokenizer

pytestmark = pytest.mark.skipif(
    lacking(WORDLLAMA) is not None, reason="there is no wheel of wordllama for this Python"
)
SAID = (
    "where does Ada live now? I'd say in Lisbon, since 2024-05-01 (or so); the team's API v2.3 "
    "costs $1,200.50 at https://example.org/a_b?c=d#e and naïve déjà-vu fiancée Straße ЖЖ 東京 日本語 "
    "🙂 👩‍🚀 e\u0301 x\u200dy camelCase snake_case ALLCAPS <0x0A> <b> ▁ ▁▁x \t \n \x00 \x7f aaa abab"
)
LETTERS = "  aab\n\t'<>0xAé日🙂▁_Ä\u200d\u0301ЖЖ.,-19theing "


@pytest.fixture(scope="module")
def path() -> Path:
    return WordLlama()._path("tokenizer")


@pytest.fixture(scope="module")
def tokenizer(path: Path) -> "Tokenizer":
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(path))


def texts() -> Iterator[str]:
    """Sentences, rows of blanks, and letters of all scripts without order."""
    lots = random.Random(11)
    words = SAID.split(" ")
    for _ in range(2_000):
        yield " ".join(lots.choices(words, k=lots.randint(1, 12)))
        yield "".join(lots.choices(LETTERS, k=lots.randint(1, 40)))
        yield "".join(lots.choices(" ▁a", k=lots.randint(1, 40)))
        yield "".join(chr(lots.randrange(1, 0x3000)) for _ in range(lots.randint(1, 20)))


def test_thousands_of_texts(path: Path, tokenizer: "Tokenizer") -> None:
    for text in texts():
        wanted = tokenizer.encode(text, add_special_tokens=False).ids
        assert pieces.tokens(path, text) == wanted, text


@pytest.mark.parametrize("text", ["a <s> b", "</s>", "x<unk>", "n" * 70, "www." + "a" * 61 + " b"])
def test_what_is_left_to_the_package(path: Path, text: str) -> None:
    assert pieces.tokens(path, text) is None
    few, many = WordLlama(WordLlama().described()), WordLlama()
    many._loaded()
    assert few.embed([text]) == many.embed([text])


def test_the_merges_follow_from_the_tokens(path: Path) -> None:
    assert hashlib.sha256(path.read_bytes()).hexdigest() == pieces.KNOWN
    model = json.loads(path.read_text("utf-8"))["model"]
    known: dict[str, int] = model["vocab"]
    assert known == pieces._vocabulary(path)
    cuts = [(token[:at], token[at:]) for token in known for at in range(1, len(token))]
    merges = [(left, right) for left, right in cuts if left in known and right in known]
    merges.sort(key=lambda cut: (not "".join(cut).strip("▁"), known["".join(cut)], known[cut[0]]))
    assert [" ".join(cut) for cut in merges] == [
        one if isinstance(one, str) else " ".join(one) for one in model["merges"]
    ]
    assert all("▁" not in token.lstrip("▁") for token in known)


def test_vectors_are_the_same(tokenizer: "Tokenizer") -> None:
    described = WordLlama().described()
    few, many = WordLlama(described), WordLlama(described)
    many._loaded()
    for text in ("where does Ada live", "déjà vu in 東京 🙂", "  two  blanks ", ""):
        assert few.embed([text]) == many.embed([text])
    assert few._tokenizer is None


def test_another_file_is_read_by_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "KNOWN", "0" * 64)
    embedder = WordLlama()
    embedder.embed(["tea"])
    assert embedder._tokenizer is not None
