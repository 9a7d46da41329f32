"""The Context that strategies get: one clock, one seed, one backend, one embedder."""

from array import array
from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Any, Protocol, TypeVar, cast

from memcli.core.journal import Usage
from memcli.gateway.extractive import Extractive
from memcli.gateway.hashed import HashEmbedder
from memcli.kit.slots import SINGLE_VALUED
from memcli.ports import Failed, Pending, Task

Answer = TypeVar("Answer")


class Backend(Protocol):
    """Answers typed tasks. `name` stands beside what it made: `extractive`, or a model's name."""

    @property
    def name(self) -> str:
        """How answers are labelled."""
        ...

    def answer(self, tasks: Sequence[Task[Any]]) -> list[Any | Pending | Failed]:
        """For each task, in order, its typed answer, Pending or Failed; they are independent."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors, and says from which cosine on two texts count as near."""

    @property
    def name(self) -> str:
        """The model."""
        ...

    @property
    def related(self) -> float:
        """Cosine from which on two texts may be about one topic."""
        ...

    @property
    def near_duplicate(self) -> float:
        """Cosine from which on two texts may say the same."""
        ...

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Vectors of unit length, one a text; zero for an empty text."""
        ...


class RunContext:
    """Implements ports.Context for one run. `now` is ISO 8601 UTC; `seed` goes to the journal.

    `went` is told how many of how many records were looked at, again and again.
    """

    def __init__(
        self,
        *,
        now: str,
        seed: int = 0,
        backend: Backend | None = None,
        embedder: Embedder | None = None,
        single_valued: frozenset[str] = SINGLE_VALUED,
        went: Callable[[int, int], None] | None = None,
    ) -> None:
        self._backend: Backend = backend or Extractive()
        self._embedder: Embedder = embedder or HashEmbedder()
        self._vectors: dict[str, array[float]] = {}  # a tuple takes four times as much
        self._went = went
        self._waiting: set[str] = set()
        self._looked: set[str] = set()
        self.now = now
        self.rng = Random(seed)
        self.backend = self._backend.name
        self.related = self._embedder.related
        self.near_duplicate = self._embedder.near_duplicate
        self.single_valued = single_valued

    def ask(self, task: Task[Answer]) -> Answer | Pending | Failed:
        """The answer to one task."""
        return self.ask_all([task])[0]

    def ask_all(self, tasks: Sequence[Task[Answer]]) -> list[Answer | Pending | Failed]:
        """The answers to independent tasks, in their order; no call for none."""
        if not tasks:
            return []
        if self._went is None:
            return cast("list[Answer | Pending | Failed]", self._backend.answer(tasks))
        answers: list[Answer | Pending | Failed] = []
        for task in tasks:
            answers += self._backend.answer([task])
            self.looked(task.sources())
        return answers

    def waits(self, records: Iterable[str]) -> None:
        """These are to be looked at."""
        self._waiting.update(records)

    def looked(self, records: Iterable[str]) -> None:
        """These were looked at, and whatever else was shown beside."""
        if self._went is not None:
            self._looked.update(self._waiting.intersection(records))
            self._went(len(self._looked), len(self._waiting))

    def made_by(self, setting: str) -> str:
        """Who answers the tasks of this setting."""
        known = getattr(self._backend, "made_by", None)
        return self.backend if known is None else str(known(setting))

    @property
    def usage(self) -> Usage:
        """What the backend and the embedder used; what is built in uses nothing."""
        used = [getattr(one, "usage", None) for one in (self._backend, self._embedder)]
        total = Usage()
        for one in used:
            if isinstance(one, Usage):
                total = total.plus(one)
        return total

    def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        """Vectors of unit length, one a text; each text is embedded once a run."""
        fresh = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if fresh:
            vectors = self._embedder.embed(fresh)
            for text, vector in zip(fresh, vectors, strict=True):
                self._vectors[text] = array("d", vector)
        return [tuple(self._vectors[text]) for text in texts]
