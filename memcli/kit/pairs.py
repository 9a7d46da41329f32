"""What a file holds twice: the same words once as what they are, and once as an event about them."""

from collections import deque
from collections.abc import Iterable


class Pairs:
    """Tells which events have an equal item, before or after them; each item pairs once.

    `keys` of an item are hashes of all that an event about it may say: the whole text, and each
    part. Holds a small entry for each item and event that has not met its like.
    """

    def __init__(self) -> None:
        self.paired: set[int] = set()
        self._items: dict[int, deque[list[bool]]] = {}
        self._events: dict[int, deque[int]] = {}

    def item(self, keys: Iterable[int]) -> bool:
        """Note an item. Whether an event about it came before."""
        names = set(keys)
        for key in names:
            waiting = self._events.get(key)
            if waiting:
                self.paired.add(waiting.popleft())
                return True
        taken = [False]
        for key in names:
            self._items.setdefault(key, deque()).append(taken)
        return False

    def event(self, key: int, place: int) -> bool:
        """Note the event at `place`. Whether its item came before."""
        waiting = self._items.get(key, deque())
        while waiting:
            taken = waiting.popleft()
            if not taken[0]:
                taken[0] = True
                self.paired.add(place)
                return True
        self._events.setdefault(key, deque()).append(place)
        return False


class Rewound:
    """The places of a file that were taken back: so many turns at a time, the last ones first."""

    def __init__(self) -> None:
        self._turns: list[int] = []
        self._spans: list[tuple[int, int]] = []

    def turn(self, place: int) -> None:
        """Note that a turn begins at `place`; places only grow."""
        self._turns.append(place)

    def back(self, turns: int, place: int) -> None:
        """Take back the last `turns` turns, as was said at `place`."""
        if turns <= 0 or not self._turns:
            return
        start = self._turns[-min(turns, len(self._turns))]
        del self._turns[-min(turns, len(self._turns)) :]
        # A span inside the new one is dropped, so that each place lies in at most one.
        while self._spans and self._spans[-1][0] >= start:
            self._spans.pop()
        self._spans.append((start, place))

    def __contains__(self, place: int) -> bool:
        low, high = 0, len(self._spans)
        while low < high:
            middle = (low + high) // 2
            if self._spans[middle][0] <= place:
                low = middle + 1
            else:
                high = middle
        return low > 0 and place < self._spans[low - 1][1]
