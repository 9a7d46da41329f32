"""Random lives of a store: passes, rollbacks of everything, undo, redo, ingests.

The promises of the engine, for any plan: records never change; apply then rollback gives the same
digest; undo and redo are exact; the fold equals the tables; as-of a pass equals the dump made then.
"""

import os
import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from memcli.core.memories import ROLES, Slot
from memcli.core.plan import (
    Add,
    Cite,
    Link,
    Operation,
    Plan,
    Rate,
    Retire,
    Revise,
    Supersede,
    Unlink,
)
from memcli.errors import MovedError, RefusedError
from tests.engine.world import World, said

WORDS = ("camping", "lisbon", "tea", "ruff", "garden", "piano", "bike", "soup")
NAMES = st.sampled_from(("alpha", "beta"))
TIMES = st.sampled_from((None, "2025-01-01", "2025-06-01T10:00:00Z"))
ENDS = st.sampled_from(("2027-01-01T00:00:00Z", "2028-02-02", "not a time"))
SLOTS = st.sampled_from((None, None, Slot("Ada", "drinks", "tea"), Slot("Ada", "drinks", "soup")))
ATTRIBUTES = st.sampled_from(({}, {"count": 2}))


def sentence(draw: st.DrawFn) -> str:
    """A text of a few words: few enough that texts repeat."""
    return "Ada says " + " ".join(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=2)))


@st.composite
def plans(draw: st.DrawFn, world: World) -> Plan:
    """Any plan over what is in the store, with ids that do not exist among them."""
    view = world.view
    records = [record.id for record in view.records()] or ["r1"]
    memories = [memory.id for memory in view.memories()]
    versions = [memory.ref for memory in view.memories()]
    ops: list[Operation] = []
    drafts: list[str] = []

    def cites() -> tuple[Cite, ...]:
        pool = records + versions + drafts + ["r999"]
        found = []
        for ref in draw(st.lists(st.sampled_from(pool), min_size=1, max_size=3)):
            source = view.get(ref)
            quote = draw(st.booleans()) and source is not None
            words = source.text.split() if quote and source is not None else []
            found.append(Cite(ref, (" ".join(words[-2:]),) if words else ()))
        return tuple(found)

    for nth in range(draw(st.integers(1, 5))):
        kind = draw(
            st.sampled_from(
                ["add", "add", "revise", "supersede", "retire", "link", "unlink", "rate"]
            )
        )
        target = draw(st.sampled_from(memories)) if memories else None
        ends = [*memories, *drafts]
        if kind == "add" or target is None:
            draft = f"new:{nth + 1}"
            ops.append(
                Add(
                    "fact",
                    sentence(draw),
                    cites(),
                    draft,
                    slot=draw(SLOTS),
                    valid_from=draw(TIMES),
                    attributes=draw(ATTRIBUTES),
                )
            )
            drafts.append(draft)
        elif kind == "revise":
            text = sentence(draw) if draw(st.booleans()) else None
            ops.append(
                Revise(
                    target,
                    text,
                    attributes=draw(ATTRIBUTES),
                    evidence=cites() if draw(st.booleans()) else (),
                    replace_evidence=draw(st.booleans()),
                    slot=draw(SLOTS),
                    valid_from=draw(TIMES),
                )
            )
        elif kind == "supersede":
            by = draw(st.one_of(st.none(), st.sampled_from(ends)))
            ops.append(Supersede(target, draw(ENDS), by=by))
        elif kind == "retire":
            into = draw(st.one_of(st.none(), st.sampled_from(ends)))
            ops.append(Retire(target, "no longer", merged_into=into))
        elif kind == "link":
            source, end = draw(st.sampled_from(ends)), draw(st.sampled_from([*records, *ends]))
            ops.append(Link(source, end, draw(st.sampled_from(ROLES))))
        elif kind == "unlink":
            memory = view.get(target)
            held = [(e.ref, "evidence") for e in memory.evidence]  # type: ignore[union-attr]
            held += [(link.ref, link.role) for link in memory.links]  # type: ignore[union-attr]
            end, role = draw(st.sampled_from(held))
            ops.append(Unlink(target, end, role))  # type: ignore[arg-type]
        else:
            what = draw(st.sampled_from([*records, *ends]))
            ops.append(Rate(what, "importance", draw(st.integers(1, 10))))
    free = [record.id for record in view.unconsumed("alpha")]
    consumed = draw(st.lists(st.sampled_from(free), unique=True, max_size=3)) if free else []
    return Plan(ops=tuple(ops), consumed=tuple(consumed))


class Lives(RuleBasedStateMachine):
    """Random sequences on one store; each state is remembered as it was."""

    @initialize()
    def start(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.world = World(self.folder)
        # Safety against power cuts is not what is tested here, and costs most of the time.
        self.world.connection.execute("PRAGMA synchronous = OFF")
        self.said = 0
        self.dumps: dict[int, tuple[str, str]] = {}
        self.rows: dict[int, tuple[object, ...]] = {}
        self.ingest(3)

    def teardown(self) -> None:
        if hasattr(self, "world"):
            self.world.close()
            shutil.rmtree(self.folder)

    def remember(self) -> None:
        self.dumps[self.world.head] = (self.world.dump(), self.world.records_digest())

    def ingest(self, count: int) -> None:
        """A growing file: what is known is found again, what was taken back comes back."""
        self.said += count
        units = [
            said(f"id{nth}", f"{WORDS[nth % 8]} and {WORDS[(nth * 3 + 1) % 8]} number {nth}")
            for nth in range(self.said)
        ]
        self.world.ingest(units)
        self.remember()

    @rule(count=st.integers(0, 2))
    def grow(self, count: int) -> None:
        self.ingest(count)

    @rule(data=st.data(), name=NAMES)
    def apply_any(self, data: st.DataObject, name: str) -> None:
        plan = data.draw(plans(self.world))
        try:
            self.world.apply(self.fitted(plan, name), name)
        except RefusedError:
            return
        self.remember()

    @rule(data=st.data(), name=NAMES)
    def apply_what_was_planned_earlier(self, data: st.DataObject, name: str) -> None:
        """Two plans on one view, as two processes make them: the later one fits or is refused."""
        mine = self.fitted(data.draw(plans(self.world)), name)
        theirs = data.draw(plans(self.world))

        def meanwhile() -> None:
            try:
                self.world.apply(Plan(ops=theirs.ops), "gamma")
            except RefusedError:
                return
            self.remember()

        head = self.world.head
        try:
            self.world.apply(mine, name, meanwhile=meanwhile)
        except (RefusedError, MovedError):
            assert self.world.head in (head, head + 1)
            return
        self.remember()

    def fitted(self, plan: Plan, name: str) -> Plan:
        free = {record.id for record in self.world.view.unconsumed(name)}
        return Plan(ops=plan.ops, consumed=tuple(ref for ref in plan.consumed if ref in free))

    @rule(data=st.data(), name=NAMES, reject=st.booleans())
    def apply_then_roll_back(self, data: st.DataObject, name: str, reject: bool) -> None:
        """Promise 2, for any plan; and the rollback can itself be taken back."""
        before, rows = self.world.dump(), self.world.records_digest()
        try:
            report = self.world.apply(self.fitted(data.draw(plans(self.world)), name), name)
        except RefusedError:
            return
        if report.pass_id is None:
            return
        self.remember()
        after = self.world.dump()
        back = self.world.rollback(report.pass_id, reject=reject)
        self.remember()
        assert self.world.dump() == before
        assert self.world.records_digest() == rows
        assert back.pass_id is not None
        self.world.rollback(back.pass_id)
        self.remember()
        assert self.world.dump() == after

    @rule(data=st.data(), name=NAMES)
    def apply_as_reviewed(self, data: st.DataObject, name: str) -> None:
        """Through a file: the same state as without one; with items rejected, taken back exactly."""
        plan, before = self.fitted(data.draw(plans(self.world)), name), self.world.dump()
        try:
            document = self.world.propose(plan, name)
        except RefusedError:
            return
        directly = self.world.apply(plan, name)
        assert (document is None) == (directly.pass_id is None)
        if document is None or directly.pass_id is None:
            return
        self.remember()
        wanted = self.world.dump()
        self.world.rollback(directly.pass_id)
        self.remember()
        labels = [op["label"] for part in document["parts"] for op in part["operations"]]
        some = st.lists(st.sampled_from(labels), unique=True, max_size=2) if labels else st.just([])
        reject = data.draw(some)
        report = self.world.apply_file(document, *reject)
        assert reject or self.world.dump() == wanted
        if report.pass_id is not None:
            self.remember()
            self.world.rollback(report.pass_id)
            self.remember()
        assert self.world.dump() == before

    @precondition(lambda self: self.world.view.memories())
    @rule(data=st.data(), cascade=st.booleans(), whole=st.booleans())
    def roll_back_memory(self, data: st.DataObject, cascade: bool, whole: bool) -> None:
        memory = data.draw(st.sampled_from(list(self.world.view.memories())))
        target = memory.id if whole else memory.ref
        self.try_back(target, cascade)
        if cascade and whole and self.remembered:
            assert self.world.view.get(memory.id) is None

    @rule(data=st.data(), cascade=st.booleans(), reject=st.booleans())
    def roll_back_pass(self, data: st.DataObject, cascade: bool, reject: bool) -> None:
        number = data.draw(st.integers(1, self.world.head))
        self.try_back(f"p{number}", cascade, reject)

    def try_back(self, target: str, cascade: bool, reject: bool = False) -> None:
        """A rollback works or is refused; refused, it changes nothing."""
        before, head = self.world.dump(), self.world.head
        self.remembered = False
        try:
            self.world.rollback(target, cascade=cascade, reject=reject)
        except RefusedError:
            assert self.world.head == head
            assert self.world.dump() == before
            return
        self.remembered = True
        self.remember()

    @rule(data=st.data())
    def roll_back_to(self, data: st.DataObject) -> None:
        """The state is that of the point: all that came after is out of force."""
        number = data.draw(st.integers(max(self.world.head - 4, 0), self.world.head))
        try:
            self.world.rollback_to(f"p{number}")
        except RefusedError:
            return
        self.remember()
        assert self.world.dump() == self.world.dump(number)
        assert self.world.records_digest() == self.world.records_digest(number)

    @rule()
    def undo_redo(self) -> None:
        """Redo gives exactly what was there before the undo."""
        before, rows = self.world.dump(), self.world.records_digest()
        try:
            self.world.undo()
        except RefusedError:
            return
        self.remember()
        self.world.redo()
        self.remember()
        assert self.world.dump() == before
        assert self.world.records_digest() == rows

    @rule()
    def undo(self) -> None:
        try:
            self.world.undo()
        except RefusedError:
            return
        self.remember()

    @rule()
    def redo(self) -> None:
        try:
            self.world.redo()
        except RefusedError:
            return
        self.remember()

    @invariant()
    def all_holds(self) -> None:
        if not hasattr(self, "world"):
            return
        self.world.check()
        rows = self.world.record_rows()
        assert {ident: rows[ident] for ident in self.rows} == self.rows
        self.rows = rows

    @invariant()
    def the_past_stays(self) -> None:
        if not hasattr(self, "world"):
            return
        for number, (dump, records) in list(self.dumps.items())[-6:]:
            assert self.world.dump(number) == dump, f"as-of p{number} changed"
            assert self.world.records_digest(number) == records


TestLives = Lives.TestCase
TestLives.settings = settings(
    max_examples=int(os.environ.get("MEM_TEST_EXAMPLES", "60")),
    stateful_step_count=15,
    deadline=None,
    # Shrinking takes minutes and helps little here: a failing run prints its steps.
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
