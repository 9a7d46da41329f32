"""A recorded answer is missing and none may be asked for: which recording is nearest, and why not."""

from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any

from memcli.core.calls import Call, CallRequest
from memcli.errors import GatewayError

_COMPARED = 20_000  # characters of a prompt that are compared
_SHOWN = 60


def missed(request: CallRequest, candidates: Sequence[Call], count: int) -> GatewayError:
    """The error of `count` misses, the first of them `request`."""
    nearest = _nearest(request, candidates)
    details: dict[str, Any] = {"misses": count, "task": request.task, "key": request.key}
    if nearest is None:
        hint = f"there is no recording of {request.task}: record one with --calls reuse"
    else:
        found = differences(request, nearest.request)
        details |= {"nearest": nearest.key, "differs": found}
        hint = f"the nearest is call {nearest.key[:12]} of {nearest.at}, which differs in " + (
            "; ".join(found) or "nothing, but its answer does not fit"
        )
    more = "" if count == 1 else f", the first of {count} missing so far"
    return GatewayError(
        f"There is no recorded answer to {request.task} by {request.model}{more}.",
        where="--calls none",
        hint=hint,
        details=details,
    )


def _nearest(request: CallRequest, candidates: Sequence[Call]) -> Call | None:
    """The candidate with the most alike prompt, and of equal ones the newest."""
    mine = _prompt(request)
    scored = [(_likeness(mine, _prompt(call.request)), -nth) for nth, call in enumerate(candidates)]
    return candidates[-max(scored)[1]] if scored else None


def _likeness(mine: str, other: str) -> float:
    if mine == other:
        return 1.0
    matcher = SequenceMatcher(None, mine.splitlines(), other.splitlines(), autojunk=False)
    return 0.99 * matcher.ratio()


def _prompt(request: CallRequest) -> str:
    return "\n".join(message["content"] for message in request.messages)[:_COMPARED]


def differences(request: CallRequest, other: CallRequest) -> list[str]:
    """In what two requests differ, in words: this one's value, then the other's."""
    found = []
    for name in ("model", "version"):
        mine, its = getattr(request, name), getattr(other, name)
        if mine != its:
            found.append(f"{name} ({mine} here, {its} there)")
    keys = sorted({*request.parameters, *other.parameters})
    for key in keys:
        mine, its = request.parameters.get(key), other.parameters.get(key)
        if mine != its:
            found.append(f"the parameter {key} ({mine} here, {its} there)")
    if dict(request.schema) != dict(other.schema):
        found.append("the schema of the reply")
    if (line := _first_line(request, other)) is not None:
        found.append(line)
    return found


def _first_line(request: CallRequest, other: CallRequest) -> str | None:
    mine, its = _prompt(request).splitlines(), _prompt(other).splitlines()
    for number, (here, there) in enumerate(zip_longest(mine, its, fillvalue=""), start=1):
        if here != there:
            at = next(
                (n for n, pair in enumerate(zip(here, there, strict=False)) if pair[0] != pair[1]),
                min(len(here), len(there)),
            )
            start = max(0, at - 20)
            return (
                f"line {number} of the prompt ({here[start : start + _SHOWN]!r} here,"
                f" {there[start : start + _SHOWN]!r} there)"
            )
    return None
