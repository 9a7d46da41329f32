"""Which records a block need not repeat, since memories in it say the same."""

from collections.abc import Sequence

from memcli.core.memories import Memory
from memcli.core.records import Record
from memcli.kit.asked import Asked
from memcli.kit.sentences import statements
from memcli.kit.stem import stem, stems
from memcli.kit.words import folded


class Covering:
    """Compares records with memories that rest on them, for one question."""

    def __init__(self, asked: Asked) -> None:
        self._wanted = frozenset(map(stem, asked.words))

    def whole(self, record: Record, memories: Sequence[Memory]) -> tuple[str, ...]:
        """Ids of memories in which together all that the record states stands word for word; none
        if a statement stands in none of them."""
        found: dict[str, None] = {}
        texts = [(one.id, folded(one.text)) for one in _citing(record, memories)]
        if not texts:
            return ()
        for statement in statements(record.text):
            said = folded(statement.text)
            holder = next((ident for ident, text in texts if said in text), None)
            if holder is None:
                return ()
            found[holder] = None
        return tuple(found)

    def adds_nothing(self, record: Record, memories: Sequence[Memory]) -> bool:
        """Whether memories that rest on the record hold all words of the question that it holds."""
        cited = _citing(record, memories)
        held = frozenset[str]().union(*(self._shared(one.text) for one in cited))
        return bool(cited) and self._shared(record.text) <= held

    def _shared(self, text: str) -> frozenset[str]:
        return self._wanted & stems(text)


def _citing(record: Record, memories: Sequence[Memory]) -> list[Memory]:
    return [one for one in memories if any(cited.ref == record.id for cited in one.evidence)]
