"""What a transcript only repeats of the memory itself (rule C28), so that no loop arises.

Agents are shown memories and say them again. Said by others than the user, or within a wrapper in
which memories are handed over, a known text is no new evidence; a user who says it again is.
"""

import re
from collections.abc import Iterable

from memcli.core.patterns import pattern
from memcli.core.records import Record
from memcli.kit.ground import Ground
from memcli.kit.nearkey import near_key
from memcli.kit.sentences import statements
from memcli.kit.shelf import texts
from memcli.ports import View

# <memories>...</memories>, <recalled-memory ...>, <relevant_memories>, <memory_context>
_WRAPPER = pattern(
    r"<(?P<tag>(?:[a-z]{1,20}[-_])?memor(?:y|ies)(?:[-_][a-z]{1,20})?)(?:\s[^<>]{0,200})?>"
    r".*?(?:</(?P=tag)>|\Z)",
    re.IGNORECASE | re.DOTALL,
)


class Recalled:
    """Knows the texts of all memories of a view, also of those that are past.

    `ground`: what the view holds, where others ask for it too.
    """

    def __init__(self, view: View, ground: Ground | None = None) -> None:
        self._view = view
        self._memories = (ground or Ground(view)).memories

    def repeats(self, record: Record, text: str) -> bool:
        """Whether `text`, which stands in or was drawn from `record`, only repeats a memory."""
        found = record.text.find(text)
        if found >= 0 and any(
            start < found + len(text) and found < end for start, end in wrapped(record.text)
        ):
            return True
        return record.role != "user" and self._known(record, near_key(text))

    def sentences(self, record: Record) -> list[str]:
        """The statements of a record that only repeat a memory."""
        return [said.text for said in statements(record.text) if self.repeats(record, said.text)]

    def around(self, record: Record, quotes: Iterable[str]) -> bool:
        """Whether each of these words of `record` stands in a sentence that repeats a memory."""
        said = [
            any(
                start <= at and at + len(quote) <= end
                for start, end in self._spans(record)
                for at in [record.text.find(quote)]
            )
            for quote in quotes
        ]
        return bool(said) and all(said)

    def _spans(self, record: Record) -> list[tuple[int, int]]:
        spans = list(wrapped(record.text))
        if record.role != "user":
            spans += [
                (one.start, one.end)
                for one in statements(record.text)
                if self._known(record, near_key(one.text))
            ]
        return spans

    def _known(self, record: Record, key: str) -> bool:
        """Whether a memory has this key that does not itself rest on the record."""
        return bool(key) and any(
            record.id not in self._view.closure(ident) for ident in self._memories.ids(texts, key)
        )


def wrapped(text: str) -> list[tuple[int, int]]:
    """Where (start, end) memories are handed over in a text."""
    return [found.span() for found in _WRAPPER.finditer(text)]
