"""What a plug-in may ask for. Everything here is a promise that a layer above keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

from memcli.core.edges import EdgeRow as EdgeRow
from memcli.core.memories import Memory
from memcli.core.options import ReadOptions as ReadOptions
from memcli.core.records import Record
from memcli.core.reports import SearchHit
from memcli.core.values import dataclass

if TYPE_CHECKING:
    from random import Random

    from memcli.core.calls import Call, CallReply, CallRequest, CallStatus

Answer_co = TypeVar("Answer_co", covariant=True)
Answer = TypeVar("Answer")


class Task(Protocol[Answer_co]):
    """A typed question to a backend: frozen input, typed answer, prompt, version."""

    @property
    def name(self) -> str:
        """What recorded calls are filed under."""
        ...

    @property
    def version(self) -> int:
        """Counts up with each change of the prompt or of the answer's form."""
        ...

    @property
    def setting(self) -> str:
        """The table of `mem.toml` that may name a model of its own for it: `[model.rate]`."""
        ...

    def sources(self) -> tuple[str, ...]:
        """Store ids of all that the prompt shows, of a draft those of what it rests on."""
        ...

    def guess(self) -> Answer_co:
        """An answer of the usual length, made up to count calls and tokens; never stored."""
        ...

    def messages(self) -> list[dict[str, str]]:
        """The prompt, as chat messages."""
        ...

    def schema(self) -> Mapping[str, Any]:
        """The JSON schema of the reply."""
        ...

    def parse(self, reply: Mapping[str, Any]) -> Answer_co:
        """The typed answer in a JSON reply; raises ValueError where it does not fit."""
        ...


@dataclass(frozen=True, slots=True)
class Pending:
    """Instead of an answer: the backend cannot say, and invents nothing (`needs-model`)."""

    reason: str = "needs-model"


@dataclass(frozen=True, slots=True)
class Failed:
    """Instead of an answer: it came and was no use after a repair, so its unit fails (C11)."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unasked(Failed):
    """Instead of an answer: a budget stopped before the call (C5). Nothing is wrong with the items."""

    reason: str = "budget"


@dataclass(frozen=True, slots=True)
class TooLong(Failed):
    """Instead of an answer: the prompt does not fit the model. Halves of it may; the items are not
    at fault (C6), whatever becomes of their unit."""


class Context(Protocol):
    """What a strategy may use besides the view. It reads no clock and draws no lots elsewhere."""

    now: str
    rng: Random
    backend: str
    related: float
    near_duplicate: float
    single_valued: frozenset[str]

    def ask(self, task: Task[Answer]) -> Answer | Pending | Failed:
        """The answer to one task."""
        ...

    def ask_all(self, tasks: Sequence[Task[Answer]]) -> list[Answer | Pending | Failed]:
        """The answers to independent tasks, in their order."""
        ...

    def made_by(self, setting: str) -> str:
        """Who answers the tasks of this setting: `extractive` or a model's name."""
        ...

    def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        """Vectors of unit length, one a text; the zero vector for an empty text."""
        ...

    def waits(self, records: Iterable[str]) -> None:
        """These are to be looked at: for who wants to know how far the pass is."""
        ...

    def looked(self, records: Iterable[str]) -> None:
        """These were looked at."""
        ...


class Held(Protocol):
    """The part of a view that needs no search; see View."""

    def get(self, ref: str) -> Record | Memory | None:
        """The record, memory or version, if held here."""
        ...

    def memories(
        self, *, kind: str | None = None, strategy: str | None = None, superseded: bool = True
    ) -> Sequence[Memory]:
        """Memories held, by id."""
        ...

    def closure(self, ref: str) -> frozenset[str]:
        """Ids of all records that `ref` rests on."""
        ...


class View(Protocol):
    """A read-only state as of one pass, narrowed to one scope where the engine says so.

    Records come in time order: by session order within a session (clocks go backwards in real
    files), sessions interleaved by time, records without any time first.
    """

    point: str

    def get(self, ref: str) -> Record | Memory | None:
        """The record `r1`, memory `m1` (its version held) or version `m1@2`, if held here."""
        ...

    def records(
        self,
        *,
        kinds: Sequence[str] | None = None,
        session: str | None = None,
        since: str | None = None,
        inactive: bool = False,
    ) -> Sequence[Record]:
        """Records in time order. `since` is an ISO date: records without time are left out."""
        ...

    def unconsumed(self, strategy: str, *, kinds: Sequence[str] | None = None) -> Sequence[Record]:
        """Records that `strategy` has not settled (C25), oldest first, within `--since` and so on."""
        ...

    def memories(
        self, *, kind: str | None = None, strategy: str | None = None, superseded: bool = True
    ) -> Sequence[Memory]:
        """Memories held, by id. With `superseded=False` only those whose claim still stands."""
        ...

    def closure(self, ref: str) -> frozenset[str]:
        """Ids of all records that `ref` rests on (itself, if a record)."""
        ...

    def tombstoned(self, kind: str, near: str, evidence: Sequence[str]) -> bool:
        """Whether this kind and near key was rejected and `evidence` brings no new record (C23)."""
        ...

    def rejected(self, kind: str) -> Sequence[frozenset[str]]:
        """Ids of the records that each rejected memory of this kind rested on (C23)."""
        ...

    def search(self, query: str, k: int) -> Sequence[SearchHit]:
        """The `k` best records and memories for `query` by text."""
        ...

    def nearest(self, text: str, vector: Sequence[float], k: int) -> Sequence[SearchHit]:
        """The `k` memories whose claim stands that are nearest to `text` by cosine, best first.

        `vector` is that of `text` by the run's embedder. None where the stored vectors are of
        another embedder. The score is the cosine.
        """
        ...

    def failures(self, strategy: str) -> Mapping[str, int]:
        """In how many passes in force each record failed alone for `strategy` (C27)."""
        ...

    def rated_by(self, ref: str, name: str = "importance") -> str | None:
        """Who gave the rating that counts: `extractive`, a model, `person`; None if unrated.

        `name`: importance, status or pinned.
        """
        ...

    def recalled(self) -> Mapping[str, str]:
        """When each record or memory (`r1`, `m1`) was last recalled, where recalls are logged."""
        ...

    def recalls(self) -> Mapping[str, Sequence[str]]:
        """All times at which each record or memory was recalled, in order."""
        ...

    def stored(self) -> Mapping[str, str]:
        """When each record and memory was first stored: of what has no time of its own."""
        ...

    def settled(self) -> Mapping[str, frozenset[str]]:
        """Strategy -> ids of the records that it has settled."""
        ...

    def last_pass(self, strategy: str) -> tuple[str, str] | None:
        """(id, time) of the newest pass of a strategy that was not taken back; None if none."""
        ...


class Inspector(View, Protocol):
    """A view for audit checks: besides memories and records, the bare facts of the file.

    `single_valued`: the attributes that hold one value at a time.
    """

    deep: bool
    single_valued: frozenset[str]

    def sqlite_errors(self) -> Sequence[str]:
        """What SQLite's own integrity check reports; empty when sound."""
        ...

    def foreign_key_errors(self) -> Sequence[tuple[str, str]]:
        """Rows that point nowhere, lives without a row, rows without a life: (row, what)."""
        ...

    def guard_errors(self) -> Sequence[tuple[str, str]]:
        """Triggers, tables, views that are missing, extra or not as this version: (name, what)."""
        ...

    def record_hash_errors(self) -> Sequence[tuple[str, str]]:
        """Records that are not what was stored, or not stored: (record or pass id, what)."""
        ...

    def chain_errors(self) -> Sequence[tuple[str, str]]:
        """Passes that are not what was hashed, or are gone: (pass id or "journal", what)."""
        ...

    def fold_errors(self) -> Sequence[tuple[str, str]]:
        """Differences between a replay of the journal and the tables: (subject, what)."""
        ...

    def index_errors(self) -> Sequence[tuple[str, str]]:
        """What an index misses, holds without need or holds otherwise: (index, what)."""
        ...

    def call_errors(self) -> Sequence[tuple[str, str]]:
        """Recorded calls that cannot be read, or are not filed under their request: (call, what)."""
        ...

    def edges(self) -> Iterator[EdgeRow]:
        """All edges held, whose child is held."""
        ...

    def merged_into(self, memory: str) -> str | None:
        """The memory, held, that `memory` was merged into, maybe by way of others."""
        ...


@runtime_checkable
class Source(Protocol):
    """Bytes to read, opened by somebody else: a file, a member of a zip, standard input."""

    path: str

    def chunks(self, size: int = 65536) -> Iterator[bytes]:
        """The bytes from the start, anew at each call."""
        ...

    def head(self, size: int = 65536) -> bytes:
        """The first bytes."""
        ...


Progress = Callable[[int], None]


class CallLog(Protocol):
    """Recorded calls (C32). What `record` took is durable when it comes back."""

    def recorded(self, key: str) -> Sequence[Call]:
        """The calls under this key, newest first."""
        ...

    def record(
        self, request: CallRequest, reply: CallReply, status: CallStatus, sources: Sequence[str]
    ) -> Call:
        """Keep an answer as it arrived. `sources`: store ids of what the prompt showed."""
        ...

    def link(self, call: Call, sources: Sequence[str]) -> None:
        """These items are shown in a recorded call: an erase has to find it."""
        ...

    def spend(self, calls: Sequence[int]) -> None:
        """The pass that asked has ended: its refused answers are not used again."""
        ...

    def candidates(self, task: str) -> Sequence[Call]:
        """All calls of a task, newest first: to say what a miss is nearest to."""
        ...
