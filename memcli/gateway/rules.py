"""Answers by rule to the tasks of strategies that keep facts (strategies/README.md, section 5).

Texts are spans of what was shown; what no rule can decide is said to be so, and never guessed.
"""

from memcli.kit.dates import relative_words
from memcli.kit.facts import Stated, facts, is_introduction
from memcli.kit.guard import Claim, may_merge
from memcli.kit.handles import Item
from memcli.kit.moments import parse_time
from memcli.kit.nearkey import near_key, same_key
from memcli.kit.single import says_only
from memcli.tasks._shown import ShownClaim
from memcli.tasks.compare_claims import CompareClaims, Compared, Verdict, Verdicts
from memcli.tasks.extract_facts import ExtractFacts, Fact, FactQuote, Facts
from memcli.tasks.observe import Belief, Created, Observe, Observed, Updated, Words
from memcli.tasks.reconcile import Decision, Decisions, KnownMemory, NewFact, Reconcile

UNDECIDED = "needs-model"


def extracted(task: ExtractFacts) -> Facts:
    """The facts in the items of the voices asked for, word for word, each wording once a voice: said
    again, it rests on both.

    Of claims each is told as often as it was said, for how often decides over their state; and so
    is what sets a slot, which may have held another value in between, or tells a time by its own.
    """
    found: dict[tuple[str | None, str], Fact] = {}
    for item in task.items:
        if item.voice in task.speakers:
            for stated in facts(item.text):
                apart = task.form == "claims" or stated.slot or relative_words(stated.text)
                key = (item.ref if apart else item.speaker, near_key(stated.text))
                fact = _fact(item, stated, task.form)
                found[key] = fact if key not in found else _said_again(found[key], fact)
    return Facts(facts=tuple(found.values()))


def _said_again(fact: Fact, again: Fact) -> Fact:
    return fact.model_copy(
        update={
            "sources": tuple(dict.fromkeys((*fact.sources, *again.sources))),
            "quotes": tuple(dict.fromkeys((*fact.quotes, *again.quotes))),
        }
    )


def _fact(item: Item, stated: Stated, form: str) -> Fact:
    return Fact(
        text=stated.text,
        sources=(item.ref,),
        quotes=(FactQuote(source=item.ref, text=stated.text),),
        by=item.voice,
        subject=item.speaker or "",
        attribute=stated.slot.attribute if stated.slot else None,
        value=stated.slot.value if stated.slot else None,
        valid_from=item.day,
        explicit=form != "claims" or is_introduction(stated.text),
        change=stated.change,
    )


def reconciled(task: Reconcile) -> Decisions:
    """One decision a fact: same by near key, replaced in its slot, else added.

    An `add` whose reason is `needs-model` stands near a memory that no rule decides on.
    """
    near = dict(task.near)
    return Decisions(
        decisions=tuple(_decided(task, fact, near.get(fact.item.ref, ())) for fact in task.facts)
    )


def _decided(task: Reconcile, fact: NewFact, near: tuple[str, ...]) -> Decision:
    ref = fact.item.ref
    alike = [memory for memory in task.memories if same_key(fact.item.text, memory.item.text)]
    for memory in alike:
        if _may_be_same(fact, memory):
            return Decision(
                fact=ref, op="noop", target=memory.item.ref, how="same", reason="equal near key"
            )
    former = _in_slot(task, fact)
    if former is not None and not _may_end(fact, former):
        return Decision(fact=ref, op="add", target=former.item.ref, reason=UNDECIDED)
    if former is not None:
        # Also where the fact is the older one: the strategy knows what late news means (C22).
        return Decision(
            fact=ref,
            op="update",
            target=former.item.ref,
            how="replaces",
            text=fact.item.text,
            reason=f"another value of {fact.attribute}",
        )
    shown = {memory.item.ref for memory in task.memories}
    undecided = alike or not shown.isdisjoint(near)
    return Decision(fact=ref, op="add", reason=UNDECIDED if undecided else "nothing near")


def _may_be_same(fact: ShownClaim, memory: ShownClaim) -> bool:
    """Whether nothing keeps the two apart; a subject that is not known keeps nothing apart."""
    subjects = {one.subject.casefold() for one in (fact, memory) if one.subject}
    speakers = {one.item.speaker for one in (fact, memory) if one.item.speaker}
    if len(subjects) > 1 or len(speakers) > 1:
        return False
    return may_merge(Claim(fact.item.text), Claim(memory.item.text))


def _in_slot(task: Reconcile, fact: NewFact) -> KnownMemory | None:
    """The newest memory with another value in the fact's slot, if the slot holds one value."""
    if fact.attribute not in task.single_valued or not fact.value:
        return None
    held = [memory for memory in task.memories if memory.value and _share_slot(fact, memory)]
    if any(_plain(memory.value) == _plain(fact.value) for memory in held):
        return None
    return max(held, key=_since, default=None)


def _share_slot(one: ShownClaim, other: ShownClaim) -> bool:
    subjects = {each.subject.casefold() for each in (one, other)}
    return one.attribute == other.attribute and len(subjects) == 1


def _may_end(one: ShownClaim, other: ShownClaim) -> bool:
    """Whether the older of two values may end: what says more than its slot would end with it."""
    new, old = one.valid_from, other.valid_from
    late = new is not None and old is not None and parse_time(new) < parse_time(old)
    ended = one if late else other
    return says_only(ended.item.text, ended.attribute or "")


def _plain(value: str | None) -> str:
    return " ".join((value or "").casefold().split())


def _since(memory: KnownMemory) -> float:
    if memory.valid_from is None:
        return float("-inf")
    return parse_time(memory.valid_from).timestamp()


def compared(task: CompareClaims) -> Verdicts:
    """A verdict an item: the same by near key, in contradiction by slot; the rest undecided."""
    return Verdicts(verdicts=tuple(_verdict(task, item) for item in task.items))


def _verdict(task: CompareClaims, item: Compared) -> Verdict:
    others = task.compared(item.item.ref)
    same = [one for one in others if _says_the_same(item, one)]
    against = [
        one for one in others if one not in same and _are_rivals(item, one, task.single_valued)
    ]
    more = [one for one in against if not _may_end(item, one)]
    against = [one for one in against if one not in more]
    left = [*more, *(one for one in others if one not in (*same, *against, *more))]
    reasons = {
        "equal near key": same,
        f"another value of {item.attribute}": against,
        UNDECIDED: left,
    }
    return Verdict(
        item=item.item.ref,
        same_as=tuple(one.item.ref for one in same),
        contradicts=tuple(one.item.ref for one in against),
        undecided=tuple(one.item.ref for one in left),
        reason="; ".join(reason for reason, found in reasons.items() if found),
    )


def _says_the_same(item: Compared, other: Compared) -> bool:
    return same_key(item.item.text, other.item.text) and _may_be_same(item, other)


def _are_rivals(one: ShownClaim, other: ShownClaim, single_valued: frozenset[str]) -> bool:
    """Whether the two set one slot, which holds one value, to two; not which of them is so."""
    if one.attribute not in single_valued or not (one.value and other.value):
        return False
    return _share_slot(one, other) and _plain(one.value) != _plain(other.value)


def observed(task: Observe) -> Observed:
    """An observation a fact, word for word; an update where it sets the slot of another anew."""
    creates: dict[tuple[str | None, str], Created] = {}
    for item in task.items:
        if item.voice in task.speakers:
            for stated in facts(item.text):
                key = (item.speaker, near_key(stated.text))
                creates[key] = _with(creates.get(key), _created(item, stated))
    items = {item.ref: item for item in task.items}
    updates = {
        key: Updated(**dict(one), target=belief.item.ref, current_text=belief.item.text)
        for key, one in creates.items()
        if (belief := _set_anew(task, one, items[one.sources[0]])) is not None
    }
    return Observed(
        creates=tuple(one for key, one in creates.items() if key not in updates),
        updates=tuple(updates.values()),
    )


def _created(item: Item, stated: Stated) -> Created:
    return Created(
        text=stated.text,
        sources=(item.ref,),
        quotes=(Words(source=item.ref, text=stated.text),),
        attribute=stated.slot.attribute if stated.slot else None,
        value=stated.slot.value if stated.slot else None,
    )


def _with(known: Created | None, again: Created) -> Created:
    """The same said again is further evidence."""
    if known is None:
        return again
    sources = tuple(dict.fromkeys((*known.sources, *again.sources)))
    return known.model_copy(update={"sources": sources, "quotes": (*known.quotes, *again.quotes)})


def _set_anew(task: Observe, one: Created, item: Item) -> Belief | None:
    """The belief whose slot this sets to another value; when each holds is for the strategy."""
    shown = ShownClaim(item, one.attribute, one.value, subject=item.speaker or "user")
    rivals = (
        belief
        for belief in task.pool
        if _are_rivals(shown, belief, task.single_valued)
        and says_only(belief.item.text, belief.attribute or "")
    )
    return next(rivals, None)
