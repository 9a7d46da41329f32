"""What must hold after a pass, whatever it is good for: sources, quotes, records, rollback."""

from collections.abc import Sequence
from dataclasses import asdict

from memcli.core.reports import SearchHit
from memcli.core.values import dataclass
from memcli.evals.worlds import WorldStore


@dataclass(slots=True)
class Integrity:
    """Counts over worlds; see core.reports.EvalIntegrity."""

    memories: int = 0
    sourced: int = 0
    quotes: int = 0
    quotes_found: int = 0
    worlds: int = 0
    records_unchanged: int = 0
    searches: int = 0
    searches_restored: int = 0
    _hash: str = ""
    _before: tuple[str, ...] = ()

    def before(self, store: WorldStore, found: Sequence[Sequence[SearchHit]]) -> None:
        """What there is before a pass."""
        self._hash = store.record_hash()
        self._before = tuple(map(_written, found))

    def after(self, store: WorldStore) -> None:
        """Look at what a pass made."""
        self.worlds += 1
        self.records_unchanged += store.record_hash() == self._hash
        for memory in store.memories():
            self.memories += 1
            self.sourced += bool(store.sources(memory.id))
            for evidence in memory.evidence:
                cited = store.view.get(evidence.ref)
                for quote in evidence.quotes:
                    self.quotes += 1
                    self.quotes_found += cited is not None and (
                        cited.text[quote.start : quote.end] == quote.text
                    )

    def restored(self, found: Sequence[Sequence[SearchHit]]) -> None:
        """Look at what the same searches give after the pass was taken back."""
        self.searches += len(found)
        now = map(_written, found)
        self.searches_restored += sum(a == b for a, b in zip(self._before, now, strict=True))

    def __add__(self, other: "Integrity") -> "Integrity":
        return Integrity(
            self.memories + other.memories,
            self.sourced + other.sourced,
            self.quotes + other.quotes,
            self.quotes_found + other.quotes_found,
            self.worlds + other.worlds,
            self.records_unchanged + other.records_unchanged,
            self.searches + other.searches,
            self.searches_restored + other.searches_restored,
        )


def _written(hits: Sequence[SearchHit]) -> str:
    """All that a search says, as text."""
    return repr([sorted(asdict(hit).items()) for hit in hits])
