"""What methods share that draw facts from conversations: who waits, windows, answers, and the end.

A session is asked about window by window. A window whose answer is no use is asked about in halves
(C11); in the end records are settled, or left for a model (C26).
"""

from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from memcli.core.plan import Plan
from memcli.core.records import Record
from memcli.core.values import dataclass
from memcli.kit.asking import Talk, is_fault, is_useless, together
from memcli.kit.draft import Draft
from memcli.kit.ground import Ground
from memcli.kit.handles import Voice
from memcli.kit.overlay import Overlay
from memcli.kit.recalled import Recalled
from memcli.kit.selection import SELECTED, set_aside
from memcli.kit.sessions import Follow, join
from memcli.kit.standing import RULES, Standing
from memcli.kit.windows import Conversation, Window, sessions
from memcli.ports import Context, Failed, Pending, Task, View

# Asks about one window, or about half of it.
Ask = Callable[[Window], Talk]


class Speaking(Protocol):
    """Parameters of a method that draws facts from what was said."""

    @property
    def roles(self) -> frozenset[str]:
        """Whose words become facts."""
        ...

    @property
    def retry_failed(self) -> bool:
        """Whether records that were set aside are tried again (C27)."""
        ...


P = TypeVar("P", bound=Speaking)


def listened_to(by_assistant: bool) -> frozenset[str]:
    """Whose words become facts; `memory` is what another memory system exported."""
    return frozenset({"user", "memory"} | ({"assistant"} if by_assistant else set()))


def voices(shown: Iterable[Record], roles: Collection[str]) -> tuple[Voice, ...]:
    """The voices that facts are drawn from, as a task names them."""
    found: list[Voice] = ["user"]
    if "assistant" in roles:
        found.append("assistant")
    if any(record.role == "memory" for record in shown):
        found.append("other")
    return tuple(found)


def check_least(params: Any, **least: int) -> None:
    """Raise ValueError for the first parameter that is less than it may be."""
    for name, value in least.items():
        if getattr(params, name) < value:
            raise ValueError(f"{name} is less than {value}")


@dataclass(frozen=True)
class Waiting:
    """What waits for a method, by session. `failed`: records that failed alone before; `aside`:
    how many failed too often (C27)."""

    sessions: dict[str, list[Record]]
    failed: frozenset[str]
    aside: int


def waiting_for(view: View, ctx: Context, strategy: str, *, retry: bool) -> Waiting:
    """The records that `strategy` has not settled, but for those that are set aside."""
    failures = view.failures(strategy)
    found = view.unconsumed(strategy, kinds=SELECTED)
    aside = set_aside(failures, retry=retry) & {record.id for record in found}
    asked = [record for record in found if record.id not in aside]
    ctx.waits(record.id for record in asked)
    return Waiting(sessions(asked), frozenset(failures), len(aside))


class Listener:
    """Asks about windows, and keeps what is settled. `name`: the method; `setting`: that of the task
    that draws facts. `ground`: what the view holds, where others are planned on it too."""

    def __init__(
        self,
        view: View,
        ctx: Context,
        *,
        name: str,
        setting: str,
        roles: frozenset[str],
        ground: Ground | None = None,
    ) -> None:
        self.ctx = ctx
        self.name = name
        self.roles = roles
        self.draft = draft_of(view, ctx, name, setting, ground)
        self.recalled = Recalled(view, self.draft.ground)
        self.by_rule = ctx.made_by(setting) == RULES
        self.settled: list[Window] = []
        self.undecided: set[str] = set()

    def heard(self, window: Window) -> list[Record]:
        """The records of a window that have a text. None, and the window is settled, where nobody
        speaks whose words become facts: then there is nothing to ask."""
        self.draft.select(window.ids)
        shown = [record for record in window.records if record.text.strip()]
        if any(record.role in self.roles for record in shown):
            return shown
        for record in shown:
            for text in self.recalled.sentences(record):
                self.draft.reject(text, "recalled-text")
        self.settled.append(window)
        return []

    def ask(self, window: Window, task: Task[Any], again: Ask) -> Generator[Task[Any], Any, Any]:
        """The answer about a window; None where there is none, and the window is seen to."""
        answer = yield task
        if isinstance(answer, Pending):
            self.draft.pend(answer.reason, len(window.records))
            return None
        if isinstance(answer, Failed):
            yield from fail(self.draft, window, answer, again)
            return None
        return answer

    def consume(self, records: Iterable[Record], standing: Standing) -> None:
        """What a model settled is settled; what rules settled, if all of it stands in `standing`,
        which reads the draft (C26)."""
        done, left = [], 0
        for record in records:
            if record.id in self.undecided or (self.by_rule and not standing.is_settled(record)):
                left += 1
            else:
                done.append(record.id)
        if done:
            self.draft.consume(done)
        if left:
            self.draft.pend("needs-model", left)
            self.draft.settle()


class Session(Listener, Generic[P]):
    """The plan of one session, on its windows in order. `method`: its name; `setting`: that of the
    task that draws facts. `failed`: records that failed alone in an earlier pass; `ground`: what the
    view holds."""

    method: ClassVar[str]
    setting: ClassVar[str]

    def __init__(
        self,
        view: View,
        ctx: Context,
        params: P,
        waiting: Sequence[Record],
        failed: Collection[str],
        ground: Ground,
    ) -> None:
        super().__init__(
            view, ctx, name=self.method, setting=self.setting, roles=params.roles, ground=ground
        )
        self.params = params
        self.standing = Standing(Overlay(view, ground=ground), params.roles)
        self.session = waiting[0].session
        said = view.records(kinds=SELECTED, session=self.session)
        self.talk = Conversation(shown(said), waiting, failed)

    def run(self) -> Talk:
        """Ask about each window in order; then say what is settled."""
        raise NotImplementedError


def shown(records: Iterable[Record]) -> Iterator[Record]:
    """Those that may be shown: what a verdict took out is not shown as context either."""
    return (record for record in records if record.status not in ("faded", "rejected"))


def fail(draft: Draft, window: Window, answer: Failed, again: Ask) -> Talk:
    """Ask about the halves; a record that fails alone is marked (C11)."""
    halves = window.halves() if is_useless(answer) else None
    if halves is not None:
        for half in halves:
            yield from again(half)
        return
    draft.fail(f"{window.name}: {answer.reason}")
    if is_fault(answer):
        draft.mark_failed(window.ids)


def draft_of(
    view: View, ctx: Context, name: str, setting: str, ground: Ground | None = None
) -> Draft:
    """An empty plan of a method, whose facts are worded by whoever answers `setting`."""
    made_by = ctx.made_by(setting)
    return Draft(
        view, strategy=name, made_by=made_by, embed=ctx.embed, ground=ground, looked=ctx.looked
    )


def by_session(view: View, ctx: Context, params: P, plan: type[Session[P]], follow: Follow) -> Plan:
    """Plan each session that waits on the view as it is, and join the plans (C33).

    `follow` says what becomes of two values of one slot that two sessions set.
    """
    waiting = waiting_for(view, ctx, plan.method, retry=params.retry_failed)
    ground = Ground(view)
    talks = [
        plan(view, ctx, params, records, waiting.failed, ground)
        for records in waiting.sessions.values()
    ]
    together(ctx, [talk.run() for talk in talks])
    whole = (
        talks[0].draft
        if len(talks) == 1
        else draft_of(view, ctx, plan.method, plan.setting, ground)
    )
    if len(talks) > 1:
        join(whole, [talk.draft.plan() for talk in talks], ctx.single_valued, follow)
    if waiting.aside:
        whole.pend("set-aside", waiting.aside)
    return whole.plan()
