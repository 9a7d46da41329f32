"""The embedder wordllama-256: on a small package made here, and on the real one where it is."""

import math
import random
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from memcli.engine.embedding import encode
from memcli.errors import GatewayError
from memcli.gateway.local import lacking, local
from memcli.gateway.naming import WORDLLAMA
from memcli.gateway.wordllama import WordLlama
from memcli.store import vectors
from tests.gateway import packages

real = pytest.mark.skipif(
    lacking(WORDLLAMA) is not None, reason="there is no wheel of wordllama for this Python"
)
WORDS = [
    *("tea", "lake", "soup", "with", "lentils", "the", "piano", "is", "out", "of", "tune", "I"),
    *("moved", "to", "Lisbon", "in", "June", "17", "times", "déjà", "東京", "<s>", "???", "a\tb"),
]


def texts(count: int) -> list[str]:
    """Sentences of few and many words, empty ones too."""
    lots = random.Random(3)
    made = [" ".join(lots.choices(WORDS, k=lots.choice((0, 1, 2, 9, 40)))) for _ in range(count)]
    return [*made, "", "  \n", "\ud800 lone", "tea " * 3_000]


def one_by_one(embedder: WordLlama, given: list[str]) -> list[tuple[float, ...]]:
    """As a reading command embeds, without NumPy."""
    return [tuple(embedder._one(ids)) for block in embedder._tokens(given) for ids in block]


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    weights = packages.wordllama(tmp_path)
    packages.first(monkeypatch, tmp_path)
    return weights


class TestSmall:
    """Without the real weights, so under every Python."""

    def test_the_mean_of_the_tokens_at_unit_length(self, small: Path) -> None:
        tea, lake, both = WordLlama().embed(["tea", "lake", "tea lake"])
        for vector in (tea, lake, both):
            assert math.hypot(*vector) == pytest.approx(1, abs=1e-7)
        weights = small.read_bytes()
        assert len(tea) == 256
        # The two words have not the same length, so that their mean is not that of the unit vectors.
        rows = struct.unpack("<2304e", weights[-2304 * 2 :])
        sums = [a + b for a, b in zip(rows[256:512], rows[512:768], strict=True)]
        length = math.hypot(*sums)
        assert both == pytest.approx([value / length for value in sums], abs=1e-7)

    @pytest.mark.parametrize("count", [3, 300])
    def test_with_and_without_numpy(self, small: Path, count: int) -> None:
        given = texts(count)
        embedder = WordLlama()
        single = one_by_one(embedder, given)
        together = [v for ids in embedder._tokens(given) for v in embedder._with_numpy(ids)]
        assert len(single) == len(together) == len(given)
        for one, other in zip(single, together, strict=True):
            assert one == pytest.approx(other.tolist(), abs=1e-6)
        stored = {
            text: data
            for text, vector in zip(given, single, strict=True)
            if (data := vectors.encode(vector, embedder.dtype)) is not None
        }
        assert encode(embedder, given) == stored

    def test_nothing_is_zero_and_never_stored(self, small: Path) -> None:
        assert WordLlama().embed(["", " \n"]) == [(0.0,) * 256] * 2
        assert encode(WordLlama(), ["", "  ", "tea"]).keys() == {"tea"}

    def test_the_beginning_of_a_long_text_counts(self, small: Path) -> None:
        one, other = WordLlama().embed(["tea " * 1_000 + "lake", "tea " * 1_000 + "soup"])
        assert one == other

    @pytest.mark.parametrize("harm", ["cut", "empty", "no header", "other", "no tokenizer"])
    def test_files_that_are_not_those(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harm: str
    ) -> None:
        weights = packages.wordllama(tmp_path, dtype="F32" if harm == "other" else "F16")
        packages.first(monkeypatch, tmp_path)
        if harm == "cut":
            weights.write_bytes(weights.read_bytes()[:-1])
        elif harm == "empty":
            weights.write_bytes(b"")
        elif harm == "no header":
            weights.write_bytes(b"\xff" * 100)
        elif harm == "no tokenizer":
            next((tmp_path / "wordllama" / "tokenizers").iterdir()).write_text("{}", "utf-8")
        with pytest.raises(GatewayError, match="wordllama-256 cannot be used"):
            WordLlama().embed(["tea"])

    def test_the_fingerprint_knows_the_files(self, small: Path) -> None:
        described = WordLlama().described()
        assert described["weights"]["file"] == "l2_supercat_256.safetensors"  # type: ignore[index]
        assert described["weights"]["size"] == small.stat().st_size  # type: ignore[index]
        assert len(described["tokenizer"]["sha256"]) == 64  # type: ignore[index]
        small.write_bytes(small.read_bytes()[:-2] + b"\0\0")
        assert WordLlama().described() != described
        # A command that only reads takes a file of that name and size for the one it was.
        assert WordLlama(described).described() == described
        small.write_bytes(small.read_bytes() + b"\0")
        assert WordLlama(described).described() != described


@real
class TestReal:
    def test_with_and_without_numpy(self) -> None:
        embedder = WordLlama()
        given = texts(300)
        for one, other in zip(one_by_one(embedder, given), embedder.embed(given), strict=True):
            assert one == pytest.approx(other, abs=1e-6)

    def test_words_of_one_meaning_are_near(self) -> None:
        car, automobile, soup = WordLlama().embed(["car", "automobile", "soup"])
        near = sum(a * b for a, b in zip(car, automobile, strict=True))
        far = sum(a * b for a, b in zip(car, soup, strict=True))
        assert near > 0.5 > 0.3 > far

    def test_what_the_package_itself_makes(self) -> None:
        """The first numbers of wordllama 0.4.0's own embed(..., norm=True) for these weights."""
        (made,) = WordLlama().embed(["Ada lives in Lisbon"])
        expected = (0.02297387, -0.041565, 0.03736585, -0.06632455)
        assert made[:4] == pytest.approx(expected, abs=1e-6)

    def test_one_question_needs_no_numpy(self) -> None:
        code = (
            "import sys; from memcli.gateway.local import local;"
            "local('wordllama-256').embed_query(['where is the lake'] * 20);"
            "print(sorted({'numpy', 'wordllama', 'safetensors', 'huggingface_hub'} & set(sys.modules)))"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.stdout.strip() == "[]", done.stderr

    def test_it_is_what_the_name_gives(self) -> None:
        assert isinstance(local(WORDLLAMA), WordLlama)
