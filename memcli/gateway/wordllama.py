"""The embedder `wordllama-256`: the mean of 256 numbers for each token, 40 us a text.

The package wordllama carries weights and tokenizer and is never imported: that takes .4 s, and its
own loader looks for the tokenizer in a folder that the wheel has not, then downloads it. Source:
l2_supercat of github.com/dleemiller/WordLlama, dimensions as there: special tokens and padding left
out, the mean over the tokens, unit length.
"""

import json
import math
import mmap
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from operator import add, mul
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memcli.gateway import pieces
from memcli.gateway.naming import WORDLLAMA
from memcli.gateway.packaged import Carried, Model, Packaged, Vector

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_DIMENSIONS = 256
_ROW = struct.Struct(f"<{_DIMENSIONS}e")
_FLOAT = struct.Struct("<f")
# From so many texts on NumPy pays for its import: 110 ms, where a text without it takes .4 ms.
_MANY = 256
# Up to so many are cut into tokens here; for more the package tokenizers is worth its import.
_FEW = 8
# Texts and tokens of a block: its rows, as float64 a megabyte, stay in the cache of the processor.
_TEXTS, _TOKENS = 32, 512

MODEL = Model(
    name=WORDLLAMA,
    distribution="wordllama",
    files=(
        Carried("weights", "wordllama", "weights/l2_supercat_256.safetensors"),
        Carried("tokenizer", "wordllama", "tokenizers/l2_supercat_tokenizer_config.json"),
    ),
    modules=("tokenizers",),
    install="pip install wordllama tokenizers; where there is no wheel of it: --embedder hash-1024",
    longest=4_000,
    version=2,
    settled={"pooling": "mean", "prefixes": ["", ""]},
)


class WordLlama(Packaged):
    """Vectors of `wordllama-256`. With NumPy if there are many texts, else without: the numbers of
    the weights are halves, whose sums are exact in float64, so that both ways give the same."""

    model = MODEL
    late = False
    portion = 2_000
    exact = True
    # Of 32,000 tokens, each at unit length, no component is over .342; nor was one in sentences.
    dtype = "int8-350"

    def __init__(self, recorded: Any = None) -> None:
        super().__init__(recorded)
        self._tokenizer: Tokenizer | None = None
        self._weights: mmap.mmap | None = None
        self._offset = self._rows = 0

    def blocks(self, texts: Sequence[str]) -> Iterator[Sequence[Vector]]:
        """See engine.embedding.StoreEmbedder."""
        many = len(texts) >= _MANY or "numpy" in sys.modules
        for ids in self._tokens(texts):
            yield self._with_numpy(ids) if many else [self._one(one) for one in ids]
        if many and self._weights is not None and hasattr(mmap, "MADV_DONTNEED"):
            # The system keeps the pages; in this process they would count for up to 16 MB.
            self._weights.madvise(mmap.MADV_DONTNEED)

    def _tokens(self, texts: Sequence[str]) -> Iterator[list[list[int]]]:
        """The tokens of each text, by blocks; none for a text without a visible character."""
        self._map()
        few = len(texts) <= _FEW and self._tokenizer is None and self._is_known
        cut = self._cut_few if few else self._cut_many()
        block: list[list[int]] = []
        count = 0
        for text in texts:
            start = self.start(text)
            ids = cut(start) if start.strip() else []
            block.append(ids)
            count += len(ids)
            if len(block) >= _TEXTS or count >= _TOKENS:
                yield block
                block, count = [], 0
        if block:
            yield block

    @cached_property
    def _is_known(self) -> bool:
        """Whether the tokenizer is the one that `pieces` knows."""
        found = next(one for one in self.model.files if one.role == "tokenizer")
        return self._file(found)["sha256"] == pieces.KNOWN

    @cached_property
    def _vocabulary(self) -> Path:
        """Where it lies, looked up once: that takes as long as to cut a question."""
        return self._path("tokenizer")

    def _cut_few(self, text: str) -> list[int]:
        try:
            ids = pieces.tokens(self._vocabulary, text)
        except (OSError, ValueError, KeyError) as error:
            raise self._failed(error) from error
        return self._cut_many()(text) if ids is None else ids

    def _cut_many(self) -> Callable[[str], list[int]]:
        tokenizer = self._loaded()

        def cut(text: str) -> list[int]:
            ids: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
            return ids

        return cut

    def _one(self, ids: Sequence[int]) -> Vector:
        sums: Sequence[float] = (0.0,) * _DIMENSIONS
        for token in ids:
            sums = list(map(add, sums, self._row(token)))
        length = _rounded(math.sqrt(sum(map(mul, sums, sums))))
        return tuple(value / length for value in sums) if length else tuple(sums)

    def _row(self, token: int) -> tuple[float, ...]:
        assert self._weights is not None
        place = min(token, self._rows - 1)
        return _ROW.unpack_from(self._weights, self._offset + place * _ROW.size)

    def _with_numpy(self, block: Sequence[Sequence[int]]) -> Any:
        import numpy as np  # where many texts are embedded, or something else has imported it

        assert self._weights is not None
        weights = np.frombuffer(
            self._weights, dtype="<f2", count=self._rows * _DIMENSIONS, offset=self._offset
        ).reshape(self._rows, _DIMENSIONS)
        said = [ids for ids in block if ids]
        out = np.zeros((len(block), _DIMENSIONS))
        if said:
            tokens = np.minimum(np.concatenate([np.asarray(ids) for ids in said]), self._rows - 1)
            starts = np.cumsum([0, *map(len, said)])[:-1]
            sums = np.add.reduceat(weights[tokens].astype(np.float64), starts, axis=0)
            lengths = np.sqrt((sums * sums).sum(axis=1)).astype(np.float32).astype(np.float64)
            lengths[lengths == 0] = 1
            out[[bool(ids) for ids in block]] = sums / lengths[:, None]
        return out

    def _loaded(self) -> "Tokenizer":
        """The tokenizer of the package; raises GatewayError for a file that is none."""
        if self._tokenizer is None:
            try:
                from tokenizers import Tokenizer

                tokenizer = Tokenizer.from_file(str(self._path("tokenizer")))
                # To this tokenizer a text is one word: what it keeps of 10,000 of them is 30 MB that
                # serve only texts that come again.
                if (resize := getattr(tokenizer.model, "_resize_cache", None)) is not None:
                    resize(0)
                self._tokenizer = tokenizer
            except Exception as error:
                raise self._failed(error) from error
        return self._tokenizer

    def _map(self) -> None:
        """Map the weights, once; raises GatewayError for a file that has none."""
        if self._weights is None:
            try:
                self._read_header()
            except Exception as error:
                raise self._failed(error) from error

    def _read_header(self) -> None:
        """A header's length in 8 bytes, the header as JSON, the numbers."""
        with self._path("weights").open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        (length,) = struct.unpack_from("<Q", mapped)
        told = json.loads(mapped[8 : 8 + length])["embedding.weight"]
        rows, dimensions = told["shape"]
        begin, end = told["data_offsets"]
        whole = end - begin == rows * dimensions * 2 and 8 + length + end <= len(mapped)
        if told["dtype"] != "F16" or dimensions != _DIMENSIONS or not rows or not whole:
            raise ValueError("its weights have another shape")
        self._weights, self._offset, self._rows = mapped, 8 + length + begin, rows


def _rounded(value: float) -> float:
    """A length as float32: sums in another order differ far behind it, so both ways agree."""
    return float(_FLOAT.unpack(_FLOAT.pack(value))[0])
