"""Claims as they are shown to a backend, with what rules read of them beside the text."""

from memcli.core.values import dataclass, replace
from memcli.kit.handles import Item


@dataclass(frozen=True)
class ShownClaim:
    """A claim (`item.ref` names it in the answer), its slot and its start.

    A model is shown the item alone; `attribute`, `value` and `subject` are for rules.
    """

    item: Item
    attribute: str | None = None
    value: str | None = None
    subject: str = ""
    valid_from: str | None = None

    def dated(self) -> Item:
        """The item with the day from which it holds, if that is known, else with its own."""
        since = (self.valid_from or "")[:10]
        return replace(self.item, day=since) if since else self.item
