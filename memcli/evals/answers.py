"""What a report says of answers: how many are right by arm, whether the judge is to be believed."""

import dataclasses
from collections.abc import Sequence
from typing import Any

from memcli.core.reports import EvalArm, EvalDifference, EvalMetric
from memcli.evals.level2 import Answers, Planted
from memcli.evals.metrics import ANSWER
from memcli.evals.statistics import paired, wilson
from memcli.evals.suite import Suite
from memcli.evals.summing import verdict
from memcli.kit.figures import number, signed


def described(
    answered: Sequence[Answers],
    planted: Sequence[Planted],
    *,
    reader: str | None,
    judge: str | None,
    strict: bool,
) -> dict[str, Any]:
    """The object `answers` of mem.eval/1. `reader`, `judge`: models; None for rules."""
    return {
        "how": _how(reader, judge),
        "reader": reader or "extractive",
        "judge": judge or "rules",
        "strict": strict,
        "arms": [_arm(one) for one in answered],
        "planted": [row for one in planted for row in _planted(one)],
    }


def _how(reader: str | None, judge: str | None) -> str:
    if reader is None:
        return (
            "No model answered: each answer is the first result without a mark, word for word, and"
            " rules judged it. This tests the way there; it says nothing of what a reader makes of"
            " these results."
        )
    by = "rules alone judged" if judge is None else f"{judge} judged, rules beside it"
    return f"{reader} answered and {by}; all arms but none got the same short instruction."


def verdicts(one: Answers) -> list[float | None]:
    """The model's verdicts, or those of the rules where no model judged."""
    return one.by_rules if all(v is None for v in one.judged) else one.judged


def _arm(one: Answers) -> dict[str, Any]:
    found = [v for v in verdicts(one) if v is not None]
    share = wilson(sum(found), len(found))
    rules = [v for v in one.by_rules if v is not None]
    both = [
        (a, b)
        for a, b in zip(one.judged, one.by_rules, strict=True)
        if a is not None and b is not None
    ]
    return {
        "arm": one.arm.name,
        "letter": one.arm.letter,
        "n": len(found),
        "right": share.value,
        "low": share.low,
        "high": share.high,
        "right_by_rules": wilson(sum(rules), len(rules)).value,
        "agreement": wilson(sum(a == b for a, b in both), len(both)).value,
        "pending": sum(text is not None for text in one.texts) - len(found),
        "tokens": round(sum(one.tokens) / len(one.tokens), 3) if one.tokens else 0.0,
        "hypotheses": sum(text is not None for text in one.texts),
    }


def arms(made: Sequence[EvalArm], answered: Sequence[Answers]) -> tuple[EvalArm, ...]:
    """The arms with the share of their answers that is right; those that only answer, too."""
    known = {arm.name: arm for arm in made}
    out = []
    for one in answered:
        found = [v for v in verdicts(one) if v is not None]
        share = wilson(sum(found), len(found))
        metric = EvalMetric(ANSWER, share.value, share.low, share.high, share.n, "wilson")
        arm = known.get(one.arm.name) or EvalArm(one.arm.name, ())
        out.append(dataclasses.replace(arm, metrics=(*arm.metrics, metric)))
    return tuple(out)


def _planted(one: Planted) -> list[dict[str, Any]]:
    """The false-accept rate of each judge on one sort of wrong answers."""
    rows = []
    for judge, values in (("model", one.by_model), ("rules", one.by_rules)):
        if values:
            share = wilson(sum(values), len(values))
            rows.append(
                {
                    "lie": one.lie,
                    "judge": judge,
                    "n": share.n,
                    "accepted": share.value,
                    "low": share.low,
                    "high": share.high,
                }
            )
    return rows


def differences(suite: Suite, answered: Sequence[Answers], seed: int) -> list[EvalDifference]:
    """Every memory against the instruction, the placebo and, of a strategy, records. Never against
    no memory at all: that credits memory with what an instruction does."""
    clusters = [probe.cluster for probe in suite.probes]
    out: list[EvalDifference] = []
    for ours in answered:
        if ours.arm.letter not in "de":
            continue
        rows = []
        for theirs in answered:
            if theirs.arm.letter in ("bcd" if ours.arm.letter == "e" else "bc"):
                found = paired(verdicts(ours), verdicts(theirs), clusters, seed)
                rows.append(
                    EvalDifference(
                        ANSWER,
                        ours.arm.name,
                        theirs.arm.name,
                        found.value,
                        found.low,
                        found.high,
                        found.n,
                        verdict(found),
                    )
                )
        out += _believed(rows)
    return [one for one in out if one.n]


def _believed(rows: Sequence[EvalDifference]) -> list[EvalDifference]:
    """It is called a gain only where that over the instruction is one: else it is just higher."""
    gains = any(one.against == "instruction" and one.verdict == "gain" for one in rows)
    return [
        one if gains or one.verdict != "gain" else dataclasses.replace(one, verdict="higher")
        for one in rows
    ]


def findings(
    found: Sequence[EvalDifference], planted: Sequence[Planted], *, reader: str | None
) -> tuple[str, ...]:
    """What came out, in sentences. `reader`: None for the stand-in."""
    out = []
    whose = "answers" if reader is not None else "answers of the stand-in reader"
    for one in found:
        said = {
            "gain": "a gain over",
            "loss": "worse than",
            "higher": "above, though it is no gain over the instruction,",
            "none": "no better, as far as can be told, than",
        }.get(one.verdict, "not to be compared with")
        span = f"{signed(one.low)}..{signed(one.high)}"
        out.append(
            f"{whose} with {one.arm} are {said} {one.against} (difference {signed(one.value)},"
            f" 95 % {span}, n = {one.n})"
        )
    for lie in planted:
        values = lie.by_model or lie.by_rules
        if values:
            share = wilson(sum(values), len(values))
            out.append(
                f"the judge takes {number(share.value)} of planted {lie.lie} answers for right"
                f" (95 % {number(share.low)}-{number(share.high)}, n = {share.n})"
            )
    return tuple(out)
