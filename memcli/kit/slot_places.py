"""Where somebody lives: a place that is no team and no tool, and no stay that has an end.

One lives in Lisbon, and in Lisbon "this week" while one's home is elsewhere; one moves to Rome, to
Finance and to Python 3.12. Where the words leave it open, no place is read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memcli.core.patterns import pattern
from memcli.kit.slot_tools import is_tool
from memcli.kit.slot_values import place_value
from memcli.kit.words import listed

if TYPE_CHECKING:
    from memcli.core.patterns import Pattern

_AHEAD = 80  # characters behind the place that are looked at
_SOME = r"(?:a|an|the|this|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,3}|several)"
_SPAN = (
    r"(?:nights?|days?|weeks?|weekends?|fortnights?|months?|summer|winter|spring|autumn|fall|semester|"
    r"term|season|holidays?|vacation|conference|trip|wedding|visit|internship|while)"
)
_STAY = pattern(
    rf"\b(?:(?:just |only )?for {_SOME}(?: (?!now\b)[\w-]{{1,12}}){{0,3}}? ?\b{_SPAN}\b(?!,? (?:now|already|or so now)\b)|"
    r"for the time being|until|till|temporarily|(?:on|during) (?:a|my|our|the|this) (?:[\w-]{1,15} )?"
    r"(?:trip|holidays?|vacation|visit|stay|exchange))\b",
    re.IGNORECASE,
)
# One may have moved for good this week, but does not live somewhere for good this week.
_SPELL = pattern(
    rf"(?<!as of )(?<!since )(?<!from )\b(?:(?:this|next|these [\w-]{{1,12}}) (?:coming )?{_SPAN}|today|"
    r"tonight|tomorrow)\b",
    re.IGNORECASE,
)
_OPENING = pattern(r"\A[^,;:.!?]{0,60}")
_CLAUSE = pattern(r"[,;:.!?](?: |\Z)| (?:and|but|so) (?:I|we|my|our|i)\b")

_TEAMS = listed("""
    finance engineering marketing sales hr legal support operations ops product design research
    security infrastructure infra platform data analytics science accounting procurement logistics
    payments it qa devops sre customer success billing growth compliance administration admin
    management consulting backend frontend mobile payroll purchasing human resources relations
    public development business internal audit risk controlling r&d communications editorial and
    """)
_NO_PLACE = pattern(
    r"(?:['’]s)? (?:\w+ )?(?:team|department|dept|group|division|squad|unit|org|desk|side|role|position|"
    r"tier|plan|version|edition|branch|office suite|framework|library)\b|"
    r"[ -]?v?\d|\.\d| (?:as|for|in) (?:my|our|this|the|all|every)(?: [\w-]{1,20}){0,2}? (?:projects?|"
    r"code\w*|builds?|deploy\w*|notes|tool\w*|editor|shell|terminal|databases?|backend|frontend|repos?|"
    r"repositor\w+|apps?|services?|sites?|website|blog|e-?mails?|passwords?|scripts?|tests?)\b",
    re.IGNORECASE,
)


def home_value(text: str, at: int) -> int | None:
    """The place where somebody lives; None of a stay with an end, or for this week alone."""
    end = place_value(text, at)
    if end is None or _is_said(_STAY, text, at, end) or _is_said(_SPELL, text, at, end):
        return None
    return end


def moved_value(text: str, at: int) -> int | None:
    """The place that somebody moved to; None of a team, a tool or a version, or of a stay."""
    end = place_value(text, at)
    if end is None or _is_said(_STAY, text, at, end):
        return None
    name = re.sub(r"[ -]?v?\d+\Z", "", text[at:end])
    known = is_tool(name) if name else True
    if name != text[at:end] or known or _NO_PLACE.match(text, end):
        return None
    return None if set(name.lower().split()) <= _TEAMS else end


def _is_said(what: Pattern, text: str, at: int, end: int) -> bool:
    """Whether it stands in the clause behind the place, or opens the sentence before it."""
    behind = text[end : end + _AHEAD]
    cut = _CLAUSE.search(behind)
    opening = _OPENING.match(text)
    before = "" if opening is None else text[: min(opening.end(), at)]
    return any(what.search(part) for part in (behind[: cut.start() if cut else None], before))
