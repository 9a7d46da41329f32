"""Vectors by any embedding model that LiteLLM reaches; litellm is imported at the first request.

A model behind a name can change. So a store keeps what was learned of its model: with the first
request of a run three fixed texts are sent along, and their vectors must come back as they were.
"""

import base64
import binascii
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from memcli.core.values import dataclass
from memcli.errors import GatewayError
from memcli.gateway import calibration
from memcli.gateway.chat import ProviderError
from memcli.gateway.embedder_settings import EmbedderSettings
from memcli.gateway.embedding_requests import Requests, Vector
from memcli.gateway.failures import failed
from memcli.gateway.measured import UNMEASURED_FUSION
from memcli.gateway.naming import REMOTE
from memcli.gateway.trying import Clock

VERSION = 2  # of what is done here to texts and vectors, of the probes, of the calibration
PROBES = (
    "Ada moved from Lisbon to Oslo in March 2024 and now works at a bakery.",
    "def add(left, right): return left + right",
    "Wann fährt der letzte Zug nach Wien?",
)
SAME = 0.999  # cosine at which a probe's vector counts as the one that was stored


class DriftedError(GatewayError):
    """Under the name of the store's model another model answers, or none that was ever learned."""


@dataclass(frozen=True)
class Learned:
    """What a store knows of its model: the name under which it answered, and its probes' vectors
    (as `_packed`)."""

    returned: str
    dimensions: int
    probes: tuple[str, ...]


class LiteLLMEmbedder:
    """Implements context.Embedder by requests to a provider. One run; not for several threads.

    `described` is the fingerprint that the store has, `thresholds` its related and near_duplicate;
    without them `learn` comes first. Every request raises GatewayError, after the tries that
    `settings` allow; `requests` and `tokens` (None if a provider did not tell) count what was sent.
    """

    remote = late = True
    dtype = "int8-peak"
    fusion = UNMEASURED_FUSION

    def __init__(
        self,
        settings: EmbedderSettings,
        described: Mapping[str, Any] | None = None,
        thresholds: tuple[float, float] = (1.0, 1.0),
        *,
        clock: Clock | None = None,
    ) -> None:
        self.settings = settings
        self.name = REMOTE + settings.name
        self.longest = settings.characters
        self.portion = settings.batch * settings.concurrency  # as many as fly at once
        self._measured = thresholds
        self._learned = self._read(described or {})
        self._checked = False
        self._requests = Requests(settings, clock or Clock())

    # --- what it is -----------------------------------------------------------------------------

    @property
    def dimensions(self) -> int:
        """How long its vectors are; 0 before that is known."""
        return self._learned.dimensions if self._learned is not None else 0

    @property
    def measured(self) -> tuple[float, float]:
        """(related, near_duplicate) as they were measured."""
        return self._measured

    @property
    def related(self) -> float:
        """See context.Embedder; as `mem.toml` says, else as measured."""
        given = self.settings.related
        return self._measured[0] if given is None else given

    @property
    def near_duplicate(self) -> float:
        """See context.Embedder; never below `related`."""
        given = self.settings.near_duplicate
        return max(self.related, self._measured[1] if given is None else given)

    @property
    def requests(self) -> int:
        """How many requests were answered."""
        return self._requests.answered

    @property
    def tokens(self) -> int | None:
        """How many tokens they took; None if a provider did not tell."""
        return self._requests.tokens

    def described(self) -> dict[str, object]:
        """The fingerprint: all that decides over its vectors, as a store keeps it."""
        known = self._learned
        if known is None:
            return self._fixed()
        return {
            **self._fixed(),
            "returned": known.returned,
            "dimensions": known.dimensions,
            "probes": list(known.probes),
        }

    def _fixed(self) -> dict[str, object]:
        return {
            "name": self.name,
            "provider": self.settings.name.partition("/")[0] if "/" in self.settings.name else "",
            "sent": self.settings.name,
            "normalisation": "unit",
            "truncation": self.longest,
            "version": VERSION,
        }

    def _read(self, described: Mapping[str, Any]) -> Learned | None:
        """What `described` says was learned, if it is of this model and these settings."""
        if any(described.get(key) != value for key, value in self._fixed().items()):
            return None
        returned, dimensions = described.get("returned"), described.get("dimensions")
        probes = described.get("probes")
        if not isinstance(returned, str) or type(dimensions) is not int or dimensions < 1:
            return None
        if not isinstance(probes, list) or len(probes) != len(PROBES):
            return None
        if any(_unpacked(probe, dimensions) is None for probe in probes):
            return None
        return Learned(returned, dimensions, tuple(probes))

    # --- what it does ---------------------------------------------------------------------------

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """A vector of unit length for each text, in order; zero for one without a visible
        character, which is not sent. Equal texts are sent once.

        Raises DriftedError where the model is not the one that the store knows.
        """
        starts = [text[: self.longest] for text in texts]
        wanted = list(dict.fromkeys(start for start in starts if start.strip()))
        made = dict(zip(wanted, self._vectors(wanted), strict=True)) if wanted else {}
        nothing = (0.0,) * self.dimensions
        return [made.get(start, nothing) for start in starts]

    def blocks(self, texts: Sequence[str]) -> Iterator[list[Vector]]:
        """See engine.embedding.StoreEmbedder; all at once, for requests are made of many."""
        yield self.embed(texts)

    def embed_query(self, texts: Sequence[str]) -> list[Vector]:
        """Vectors of questions: as of any text."""
        return self.embed(texts)

    def check(self) -> None:
        """Send the probes if this run has not yet; raises DriftedError as `embed` does."""
        self._vectors([])

    def learn(self) -> None:
        """Find out what the model's vectors and cosines are like; one request, or few."""
        texts = [*PROBES, *(text[: self.longest] for text in calibration.sentences())]
        self._requests.expect(None)
        with self._told():
            vectors = self._requests.vectors(texts)
        probes = vectors[: len(PROBES)]
        self._learned = Learned(
            self._requests.model, len(probes[0]), tuple(_packed(vector) for vector in probes)
        )
        self._measured = calibration.thresholds(vectors[len(PROBES) :])
        self._checked = True
        self._requests.expect(self.dimensions)

    def close(self) -> None:
        """Close connections."""
        self._requests.close()

    def _vectors(self, texts: list[str]) -> list[Vector]:
        first: list[Vector] = []
        if self._learned is None:
            raise self._drifted("its vectors are of another version, or of other settings")
        if not self._checked:
            head = texts[: max(0, self.settings.batch - len(PROBES))]
            with self._told():
                came = self._requests.vectors([*PROBES, *head])
            self._compare(self._learned, came[: len(PROBES)])
            first, texts = came[len(PROBES) :], texts[len(head) :]
        with self._told():
            return [*first, *self._requests.vectors(texts)]

    def _compare(self, known: Learned, probes: Sequence[Vector]) -> None:
        """Raise DriftedError unless these are the vectors that the store has of the probes."""
        if len(probes[0]) != known.dimensions:
            raise self._drifted(f"{len(probes[0])} dimensions instead of {known.dimensions}")
        for probe, text in zip(probes, known.probes, strict=True):
            stored = _unpacked(text, known.dimensions)
            assert stored is not None
            length = calibration.cosine(stored, stored) ** 0.5
            likeness = calibration.cosine(probe, stored) / length if length else 0.0
            if likeness < SAME:
                raise self._drifted(f"the vector of a known text has cosine {likeness:.4f}")
        self._checked = True
        self._requests.expect(known.dimensions)

    def _drifted(self, why: str) -> DriftedError:
        answered, known = self._requests.model, self._learned
        names = ""
        if known is not None and answered != known.returned:
            names = f" (it answers as {answered}, and did as {known.returned})"
        return DriftedError(
            f"{self.name} is not the model that made this store's vectors: {why}{names}.",
            where=self.settings.api_base or self.name,
            hint="mem reindex makes them anew; mem reindex --embedder NAME takes another model",
            details={"kind": "drifted"},
        )

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn a provider's failure into one that can be shown."""
        try:
            yield
        except ProviderError as error:
            details = {"requests": self.requests, "tokens": self.tokens}
            raise failed(error, self.settings, "embedder", details=details) from error


def _packed(vector: Vector) -> str:
    """A vector of a probe as it is kept: half floats in base64, exact to a cosine of .999999."""
    return base64.b64encode(struct.pack(f"<{len(vector)}e", *vector)).decode()


def _unpacked(text: object, dimensions: int) -> Vector | None:
    try:
        return struct.unpack(f"<{dimensions}e", base64.b64decode(str(text), validate=True))
    except (struct.error, binascii.Error, ValueError):
        return None
