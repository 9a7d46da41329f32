"""The overview of all days and the traits of character: one unit, after the days."""

from collections.abc import Mapping, Sequence
from itertools import chain

from memcli.core.memories import Memory
from memcli.core.plan import Cite
from memcli.core.records import Record
from memcli.core.values import replace
from memcli.kit.asking import Talk, together
from memcli.kit.days import RULES, Summaries, marked
from memcli.kit.draft import Draft
from memcli.kit.handles import Item
from memcli.kit.instructions import is_instruction
from memcli.kit.joining import cites_of
from memcli.kit.nearkey import near_key
from memcli.kit.overlay import ref_of
from memcli.kit.points import Point, Pointing, Shown, beside
from memcli.kit.traits import Noted, Seen, TraitBook, noted
from memcli.kit.windows import tokens
from memcli.ports import Context, Failed, Pending
from memcli.strategies.summarize.params import NAME, Params
from memcli.strategies.summarize.parts import NOTHING, joined
from memcli.tasks.extract_traits import ExtractTraits, Traits
from memcli.tasks.summarise import Form, Summarise

KIND = "overview"
_POINTS = 20


class Whole:
    """The overview of all days, and the traits: one unit. `labels`: days that the plan changes."""

    def __init__(
        self, draft: Draft, ctx: Context, params: Params, labels: Mapping[str, str]
    ) -> None:
        self.draft = draft
        self.params = params
        self.verbatim = draft.made_by == RULES
        self.labels = labels
        self.days = Summaries(draft, NAME).all()
        self.book = TraitBook(draft, ctx.made_by(ExtractTraits.setting), labels)
        self.overview: list[Point] | Pending | Failed = []
        self.traits: list[Seen] = []

    def run(self, ctx: Context) -> None:
        """Ask for and plan what is not up to date."""
        held = self._held()
        if not self.days:
            if held is not None:
                self.draft.retire(ref_of(held), reason="no day is left")
            return
        mark = marked(f"{day.attributes.get('date')}\n{day.text}" for day in self.days)
        if held is not None and not self._is_outdated(held, mark):
            return
        together(ctx, [self._talk()])
        if isinstance(self.overview, Failed):
            self.draft.fail(f"overview: {self.overview.reason}")
        elif isinstance(self.overview, list):
            self._store(held, mark, self.overview)

    def _held(self) -> Memory | None:
        """The overview there is."""
        found = self.draft.memories(kind=KIND, strategy=NAME, superseded=False)
        return next(iter(found), None)

    def _is_outdated(self, held: Memory, mark: str) -> bool:
        by_rule = held.made_by == RULES
        if self.verbatim and not by_rule:
            return False  # rules would undo the work of a model
        return held.attributes.get("days_hash") != mark or by_rule is not self.verbatim

    # --- asking ---------------------------------------------------------------------------------

    def _talk(self) -> Talk:
        points: list[list[Point]] = []
        for part in self._parts([day.text for day in self.days]):
            answer = yield self._task("overview", tuple(chain(*map(self._items, part))))
            if isinstance(answer, Pending | Failed):
                self.overview = answer
                return
            pointing = Pointing(self.draft, map(self._shown, part), verbatim=self.verbatim)
            points.append(pointing.all((one, one.section) for one in answer.points))
        self.overview = yield from joined(
            self.draft, points, lambda items: self._task("merge", items), verbatim=self.verbatim
        )
        if self.params.traits and isinstance(self.overview, list):
            yield from self._ask_traits()

    def _ask_traits(self) -> Talk:
        lines = {day.id: noted(day) for day in self.days}
        known = tuple(self._known(memory) for memory in self.book.live())
        for part in self._parts(
            ["\n".join(one.line for one in lines[day.id]) for day in self.days]
        ):
            items = tuple(
                replace(item, text=one.line)
                for day in part
                for item in self._items(day)[:1]
                for one in lines[day.id]
            )
            if not items:
                continue
            answer = yield ExtractTraits("overall", items, known=known)
            if isinstance(answer, Failed):
                self.overview = Failed(f"traits: {answer.reason}")
                return
            if isinstance(answer, Traits):
                self._see(answer, part, lines)

    def _see(
        self, answer: Traits, part: Sequence[Memory], lines: Mapping[str, Sequence[Noted]]
    ) -> None:
        shown = [
            replace(
                self._shown(day),
                text="\n".join(one.line for one in lines[day.id]),
                cites=(Cite(self._ref(day)),),
            )
            for day in part
        ]
        starts = {self._ref(day): day.valid_from for day in part}
        pointing = Pointing(self.draft, shown, verbatim=False)
        for one in answer.traits:
            point = None if is_instruction(one.dimension) else pointing.one(one)
            if point is None:
                continue
            refs = tuple(cite.ref for cite in point.cites)
            began = sorted(start for ref in refs if (start := starts[ref]))
            ends = (began[0], began[-1]) if began else (None, None)
            self.traits.append(Seen(one, point.text, refs, *ends))

    def _parts(self, texts: Sequence[str]) -> list[list[Memory]]:
        """The days, in parts of up to `max_input` tokens of these texts of theirs."""
        found: list[list[Memory]] = []
        room = 0
        for day, text in zip(self.days, texts, strict=True):
            cost = tokens(text)
            if not found or cost > room:
                found.append([])
                room = self.params.max_input
            found[-1].append(day)
            room -= cost
        return found

    def _task(self, form: Form, items: tuple[Item, ...]) -> Summarise:
        return Summarise(
            form,
            items,
            most=_POINTS,
            words=self.params.overview_words,
            sections=("history", "plan"),
            verbatim=_POINTS,
        )

    def _items(self, day: Memory) -> list[Item]:
        """The points of a day; each goes by the id of the day."""
        roots = tuple(sorted(self.draft.closure(day.id))) if day.id in self.labels else ()
        item = Item(self._ref(day), "", memory=True, day=self._date(day), roots=roots)
        return [replace(item, text=line) for line in day.text.splitlines()]

    def _shown(self, day: Memory) -> Shown:
        records = (self.draft.get(ref) for ref in sorted(self.draft.closure(day.id)))
        return Shown(
            self._ref(day),
            day.text,
            day=self._date(day),
            records=tuple(one for one in records if isinstance(one, Record)),
        )

    def _known(self, memory: Memory) -> Item:
        line = f"{memory.attributes.get('dimension')}: {memory.text}"
        return Item(ref_of(memory), line, memory=True)

    @staticmethod
    def _date(day: Memory) -> str | None:
        on = day.attributes.get("date")
        return on if isinstance(on, str) else None

    def _ref(self, day: Memory) -> str:
        """By which id a day is cited as it is now."""
        return day.id if day.id in self.labels else ref_of(day)

    # --- planning -------------------------------------------------------------------------------

    def _spoken(self, points: Sequence[Point]) -> list[Point]:
        """With who says the words, where they are lines of days by rule."""
        said = {
            (self._ref(day), line): speaker
            for day in self.days
            for line, speaker in zip(
                day.text.splitlines(), day.attributes.get("speakers") or (), strict=False
            )
        }
        return [
            replace(point, speaker=said.get((point.cites[0].ref, point.text))) for point in points
        ]

    def _store(self, held: Memory | None, mark: str, points: Sequence[Point]) -> None:
        draft = self.draft
        if not points and not self.verbatim:
            draft.fail(f"overview: {NOTHING}")
            return
        for seen in self.traits:
            self.book.settle(seen)
        self.book.renew({day.id: noted(day) for day in self.days})
        text = "\n".join(point.text for point in points)
        cites = cites_of(cite for point in points for cite in point.cites)
        refs = [cite.ref for cite in cites]
        if not points or draft.tombstoned(KIND, near_key(text), refs):
            draft.reject(text or "overview", "tombstoned" if points else "no-evidence")
            return
        needed = list(dict.fromkeys(self.labels[ref] for ref in refs if self.labels.get(ref)))
        lines = beside(self._spoken(points), "sections", "dates", "speakers")
        if held is None:
            draft.add(
                KIND,
                text,
                evidence=cites,
                attributes={"days_hash": mark, **lines},
                requires=needed,
            )
        else:
            draft.revise(
                ref_of(held),
                text=text,
                attributes={"days_hash": mark, **lines},
                evidence=cites,
                replace_evidence=True,
                requires=needed,
            )
