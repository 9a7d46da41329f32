"""Whether an answer is right, by rules: for runs without a model, and beside a model's verdict."""

import re
from collections.abc import Sequence

from memcli.evals.items import content, holds, normalised, unmarked
from memcli.evals.suite import Probe
from memcli.evals.worlds import WorldStore
from memcli.kit.signs import names, numbers

NOT_KNOWN = "That is not known."
_REFUSES = re.compile(
    r"\b(not known|unknown|(?:do|does|did|is|are|was|were|has|have|can|could)(?: not|n't|n’t)"
    r"(?: \w+){0,3} (?:know|known|say|said|mention|mentioned|told|tell|information|answer|record"
    r"|specified|stated|discussed|recall)|no (?:information|mention|record|answer|idea)"
    r"|never (?:said|mentioned|told|discussed)|not (?:mentioned|said|stated|specified|discussed))\b",
    re.IGNORECASE,
)
_DIFFERS = re.compile(
    r"\b(contradict\w*|conflict\w*|inconsisten\w*|both said|two different|differ\w*|disagree\w*|"
    r"cannot both|can't both|on the other hand|but (?:also|later|earlier|then)|which (?:one )?(?:is|"
    r"holds)|unclear|clarify)\b",
    re.IGNORECASE,
)
_LONG = 6  # words of an answer from which on it need not be said word for word
_SHARE = 0.6  # of its content words, then


def refuses(text: str) -> bool:
    """Whether an answer says that there is none."""
    return _REFUSES.search(text) is not None


def is_right(probe: Probe, text: str, stale: Sequence[str]) -> bool:
    """Whether `text` answers the probe. `stale`: values that were, and are not.

    Rules see words: a right answer in other words is wrong to them.
    """
    if probe.kind == "abstain":
        return refuses(text)
    if probe.kind == "contradiction" and _DIFFERS.search(text):
        return True
    if not any(_gives(text, one) for one in probe.answer):
        return False
    if probe.kind in ("update", "history", "noise", "implicit"):
        return not any(_wrongly(text, one, probe) for one in stale)
    return True


def _gives(text: str, answer: str) -> bool:
    if holds(text, answer):
        return True
    wanted = content(answer)
    if len(normalised(answer).split()) < _LONG or not wanted:
        return False
    return len(wanted & content(text)) >= _SHARE * len(wanted)


def _wrongly(text: str, value: str, probe: Probe) -> bool:
    """Whether the stale value stands there as if it held."""
    if any(holds(one, value) for one in probe.answer):
        return False
    return holds(text, value) if probe.kind == "history" else unmarked(text, value)


def stale_values(store: WorldStore, probe: Probe) -> tuple[str, ...]:
    """What the old records say and the new ones do not: as the suite tells, else their names and
    numbers."""
    if probe.stale_answer or not probe.stale_refs:
        return probe.stale_answer
    old, new = (
        " \n".join(record.text for ref in refs for record in store.by_ref.get(ref, ()))
        for refs in (probe.stale_refs, probe.current_refs)
    )
    known = f"{new}\n{probe.question}"
    found = [*sorted(names(old)), *(value for value, _ in numbers(old))]
    return tuple(dict.fromkeys(one for one in found if not holds(known, one)))
