"""Daily summaries: what happened on each day, one overview of all days, and traits of character.

Source: Zhong et al. 2023, MemoryBank (arXiv:2305.10250); its code
zhongwanjun/MemoryBank-SiliconFriend. A day whose records change is summed up anew, alone; the
overview is made from the days and never from itself. Without a model: verbatim digests.
"""

from memcli.core.plan import Plan
from memcli.kit.asking import together
from memcli.kit.days import RULES, Summaries, Waiting, days
from memcli.kit.draft import Draft
from memcli.kit.overlay import ref_of
from memcli.kit.recalled import Recalled
from memcli.kit.times import zone
from memcli.ports import Context, View
from memcli.registry import strategy
from memcli.strategies.summarize.day import Work
from memcli.strategies.summarize.overview import Whole
from memcli.strategies.summarize.params import NAME, Params
from memcli.tasks.extract_traits import ExtractTraits
from memcli.tasks.summarise import Summarise


@strategy(
    NAME,
    source="arXiv:2305.10250",
    params=Params,
    kinds=("day", "overview", "trait"),
    trigger="day",
    due="the records of a closed day changed",
    calls="2 a changed day + 2, where each is one part",
    without_model="verbatim digests; traits pending",
    conflicts="overwrite",
    aliases=("memorybank",),
    settles=ExtractTraits.setting,
)
def summarize(view: View, ctx: Context, params: Params) -> Plan:
    """Plan a summary of each closed day whose records changed, then the overview and the traits.

    A day is planned whole or not at all, and so is the overview with the traits. The records of a
    day are consumed when its summary and its traits are settled.
    """
    made_by = ctx.made_by(Summarise.setting)
    draft = Draft(view, strategy=NAME, made_by=made_by, looked=ctx.looked)
    writes = draft.made_by != RULES
    noted = not params.traits or ctx.made_by(ExtractTraits.setting) != RULES
    waiting = Waiting(view, NAME, writes=writes, settles=writes and noted)
    where = zone(params.tz)
    over = days(view, where, ctx.now, open_day=params.open_day)
    changed = waiting.changed(over)
    ctx.waits(ident for day in changed for ident in day.ids)
    recalled = Recalled(view, draft.ground)
    works = [Work(draft, params, day, recalled) for day in changed]
    together(ctx, [work.run() for work in works])
    fresh = waiting.fresh()
    labels = {ident: label for work in works for ident, label in work.plan(fresh).items()}
    rest = [ident for day in over if day not in changed for ident in day.ids if ident in fresh]
    if rest and waiting.settles:
        draft.consume(rest)  # freed by a rollback, and still what its day was drawn from
    elif rest:
        draft.pend("needs-model", len(rest))
    for gone in Summaries(draft, NAME).without(days(view, where, ctx.now, open_day=True)):
        draft.retire(ref_of(gone), reason="no record of that day is left")
    Whole(draft, ctx, params, labels).run(ctx)
    return draft.plan()
