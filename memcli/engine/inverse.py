"""Operations are undone row by row, and only where each row may come or go."""

from collections.abc import Iterable
from itertools import groupby

from memcli.engine import circles
from memcli.errors import RefusedError
from memcli.store import reverts
from memcli.store.reverts import Journal, OpRow
from memcli.store.view import StoreView
from memcli.store.write import PassWriter


class Inverse:
    """Applies inverses of operations, newest first, and checks each row on the way."""

    def __init__(self, log: Journal, writer: PassWriter, name: str) -> None:
        self.log = log
        self.writer = writer
        self.name = name
        self.opened: dict[int, OpRow] = {}

    def apply(self, ops: Iterable[int]) -> None:
        """One revert for each pass that operations are taken back of."""
        listed = [self.log.op(number) for number in sorted(ops, reverse=True)]
        for pass_id, part in groupby(listed, key=lambda op: op.pass_id):
            self._one(pass_id, list(part))
        self._may_stand()
        self._refuse_circle()

    def _one(self, pass_id: int, ops: list[OpRow]) -> None:
        close: dict[int, OpRow] = {}
        reopen: dict[int, OpRow] = {}
        for op in ops:
            # What one operation opened and a later one closed comes and goes within the inverse.
            for item in op.opened:
                if reopen.pop(item, None) is None:
                    close[item] = op
            for item in op.closed:
                if close.pop(item, None) is None:
                    reopen[item] = op
        self._rows_are(close, held=True, pass_id=pass_id)
        self._rows_are(reopen, held=False, pass_id=pass_id)
        self.writer.op("revert", reopen=reopen, close=close, reverts=[op.id for op in ops])
        for item in close:
            self.opened.pop(item, None)
        self.opened.update(reopen)

    def _rows_are(self, items: Iterable[int], *, held: bool, pass_id: int) -> None:
        wanted = set(items)
        now = reverts.held(self.log.connection, wanted)
        wrong = (wanted - now) if held else now
        if wrong:
            what = reverts.describe(self.log.connection, min(wrong))
            state = "is not held any more" if held else "is held again already"
            raise self._refuse(f"{what} {state}", pass_id)

    def _refuse_circle(self) -> None:
        """Evidence that comes back must not close a circle with what was linked since."""
        if not reverts.evidence_among(self.log.connection, self.opened):
            return
        found = circles.find(StoreView(self.log.connection, self.writer.id))
        if found is not None:
            raise self._refuse(f"{found} would rest on itself", self.writer.id)

    def _may_stand(self) -> None:
        """Refuse a row that would rest on one that is not held now and was when it closed."""
        connection = self.log.connection
        rivals = reverts.rivals(connection, self.opened)
        bases = reverts.bases(connection, self.opened)
        held = reverts.held(connection, {one for sets in bases.values() for s in sets for one in s})
        for item, op in self.opened.items():
            if item in rivals:
                what = reverts.describe(connection, item)
                raise self._refuse(
                    f"{what} would be there twice, beside"
                    f" {reverts.describe(connection, rivals[item])}",
                    op.pass_id,
                )
            for base in bases.get(item, ()):
                if not held.isdisjoint(base):
                    continue
                if any(reverts.was_held(connection, one, op.pass_id) for one in base):
                    what = reverts.describe(connection, item)
                    under = ", ".join(reverts.describe(connection, one) for one in sorted(base)[:3])
                    raise self._refuse(f"{what} rests on {under}, not held any more", op.pass_id)

    def _refuse(self, why: str, pass_id: int) -> RefusedError:
        return RefusedError(
            f"{self.name} cannot be taken back now: {why}.",
            where=f"what p{pass_id} did",
            hint="mem log and mem history show what happened since; take that back first",
        )
