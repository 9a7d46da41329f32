"""One day: what is asked about it, and what is planned of the answers."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from memcli.core.plan import Cite
from memcli.core.records import Record
from memcli.kit.asking import Talk
from memcli.kit.days import KIND, RULES, Day, Summaries, quoted_whole
from memcli.kit.draft import Draft
from memcli.kit.handles import Item
from memcli.kit.instructions import is_instruction
from memcli.kit.joining import cites_of
from memcli.kit.nearkey import near_key
from memcli.kit.overlay import ref_of
from memcli.kit.points import Point, Pointing, beside, shown_of
from memcli.kit.recalled import Recalled
from memcli.kit.traits import Noted
from memcli.kit.windows import windows
from memcli.ports import Failed, Pending
from memcli.strategies.summarize.params import NAME, Params
from memcli.strategies.summarize.parts import NOTHING, Points, joined
from memcli.tasks.extract_traits import ExtractTraits, Traits
from memcli.tasks.summarise import Form, Summarise

_POINTS = 12  # of a day, or of a part of one


class Work:
    """One day: what is asked about it, and what is planned of the answers."""

    def __init__(self, draft: Draft, params: Params, day: Day, recalled: Recalled) -> None:
        self.draft = draft
        self.params = params
        self.day = day
        self.recalled = recalled
        self.verbatim = draft.made_by == RULES
        self.found: list[Point] | Pending | Failed = []
        self.noted: list[tuple[Noted, Point]] = []
        self.beside: dict[str, list[str]] = {"mood": [], "reply_style": []}
        self.unasked: Pending | None = None  # the traits

    # --- asking ---------------------------------------------------------------------------------

    def run(self) -> Talk:
        """Ask about the day, in parts if it is long; its beginning is never dropped."""
        told = self.day.told
        parts = windows(told, exchanges=1, batch=len(told), max_tokens=self.params.max_input)
        points: list[list[Point]] = []
        for part in parts:
            found = yield from self._part(part.records)
            if not isinstance(found, list):
                self.found = found
                return
            points.append(found)
        self.found = yield from joined(
            self.draft, points, lambda items: self._task("merge", items), verbatim=self.verbatim
        )

    def _part(self, records: Sequence[Record]) -> Points:
        shown = [shown_of(record, self.day.date) for record in records]
        items = tuple(map(self.day.item, records))
        pointing = Pointing(self.draft, shown, verbatim=self.verbatim, recalled=self.recalled)
        answer = yield self._task("day", items)
        if isinstance(answer, Pending | Failed):
            return answer
        points = pointing.all((one, one.section) for one in answer.points)
        if self.params.traits:
            traits = yield ExtractTraits("day", items)
            if isinstance(traits, Failed):
                return traits
            if isinstance(traits, Pending):
                self.unasked = traits
            else:
                self._note(traits, pointing)
        return points

    def _task(self, form: Form, items: tuple[Item, ...]) -> Summarise:
        return Summarise(
            form,
            items,
            most=_POINTS,
            words=self.params.day_words,
            sections=("event",),
            verbatim=self.params.digest,
        )

    def _note(self, traits: Traits, pointing: Pointing) -> None:
        for one in traits.traits:
            point = pointing.one(one)
            if point is not None and not is_instruction(one.dimension):
                self.noted.append((Noted(one.dimension, point.text, one.level), point))
        for name, text in (("mood", traits.mood), ("reply_style", traits.reply_style)):
            if text and not is_instruction(text):
                self.beside[name].append(text)

    # --- planning -------------------------------------------------------------------------------

    def plan(self, fresh: Collection[str]) -> dict[str, str]:
        """Plan the day; the memory that it adds or revises, with the label of what does."""
        draft, day = self.draft, self.day
        draft.select(day.ids)
        waiting = [record for record in day.records if record.id in fresh]
        if isinstance(self.found, Failed):
            draft.fail(f"{day.name}: {self.found.reason}")
        elif isinstance(self.found, Pending):
            draft.pend(self.found.reason, len(waiting))
        elif self.found:
            return self._store(self.found, waiting)
        elif not day.told:
            draft.consume(record.id for record in waiting)
        elif self.verbatim:
            draft.pend("needs-model", len(waiting))
        else:
            draft.fail(f"{day.name}: {NOTHING}")
        return {}

    def _store(self, points: Sequence[Point], waiting: Sequence[Record]) -> dict[str, str]:
        draft = self.draft
        text = "\n".join(point.text for point in points)
        cites = cites_of(
            cite for point in (*points, *(one for _, one in self.noted)) for cite in point.cites
        )
        made: dict[str, str] = {}
        if draft.tombstoned(KIND, near_key(text), [cite.ref for cite in cites]):
            draft.reject(text, "tombstoned")
        else:
            made = self._write(text, cites, self._attributes(points))
        self._consume([point.text for point in points], waiting)
        return made

    def _write(
        self, text: str, cites: Sequence[Cite], attributes: Mapping[str, Any]
    ) -> dict[str, str]:
        draft, day = self.draft, self.day
        held = Summaries(draft, NAME).of(day)
        if held is None:
            label = draft.add(
                KIND, text, evidence=cites, attributes=attributes, valid_from=day.start
            )
            return {label: label}
        revised = draft.revise(
            ref_of(held),
            text=text,
            attributes=attributes,
            evidence=cites,
            replace_evidence=True,
            valid_from=day.start,
            reason="the records of the day are others",
        )
        return {held.id: revised or ""}

    def _attributes(self, points: Sequence[Point]) -> dict[str, Any]:
        own = {name: "; ".join(dict.fromkeys(said)) for name, said in self.beside.items() if said}
        lines = beside(points, "sections", *(("speakers",) if self.verbatim else ()))
        settled = self.params.traits and self.unasked is None
        return {
            "date": self.day.date,
            "set_hash": self.day.mark,
            **lines,
            **own,
            **({"traits": [one.as_dict() for one, _ in self.noted]} if settled else {}),
            **({"assumed_zone": True} if self.day.assumed else {}),
        }

    def _consume(self, lines: Sequence[str], waiting: Sequence[Record]) -> None:
        """What models settled is settled; of what rules did, what is quoted whole (C26)."""
        done = [] if self.unasked is not None else list(waiting)
        if self.verbatim:
            done = [record for record in done if quoted_whole(record, lines)]
        if done:
            self.draft.consume(record.id for record in done)
        if len(done) < len(waiting):
            reason = "needs-model" if self.unasked is None else self.unasked.reason
            self.draft.pend(reason, len(waiting) - len(done))
        self.draft.settle()
