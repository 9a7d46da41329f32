"""Run audit checks over a store."""

import dataclasses
from collections.abc import Sequence

from memcli import registry
from memcli.core.reports import AuditReport, Finding
from memcli.errors import RefusedError, UsageError
from memcli.retrieval.view import InspectSearchView
from memcli.store.view import StoreView


def chosen(select: Sequence[str], ignore: Sequence[str], *, deep: bool) -> list[registry.Check]:
    """The checks whose codes begin with one of `select` (all if empty) and none of `ignore`.

    Raises UsageError for a prefix that fits no code: a check that is not run finds nothing.
    """
    known = registry.checks()
    for prefix in (*select, *ignore):
        if not prefix or not any(code.startswith(prefix) for code in known):
            raise UsageError(
                f"No check has a code that begins with {prefix!r}.",
                where="--select or --ignore",
                hint="there are " + ", ".join(known),
            )
    return [
        check
        for code, check in known.items()
        if (not select or code.startswith(tuple(select)))
        and not (ignore and code.startswith(tuple(ignore)))
        and (deep or not check.deep or code in select)
    ]


def audit(
    view: StoreView,
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    deep: bool = False,
) -> AuditReport:
    """Findings of the chosen checks on the state that `view` sees, in the order of codes."""
    inspected = InspectSearchView(view.connection, view.at)
    inspected.deep = deep
    findings: list[Finding] = []
    checks = chosen(select, ignore, deep=deep)
    for check in checks:
        findings += [
            dataclasses.replace(found, code=check.code, name=check.name)
            for found in check.run(inspected)
        ]
    return AuditReport(tuple(findings), tuple(check.code for check in checks))


def gate(view: StoreView) -> None:
    """Refuse a state that an audit finds an error in (`--gate`)."""
    report = audit(view)
    wrong = [found for found in report.findings if found.severity == "error"]
    if wrong:
        raise RefusedError(
            f"The pass would leave {len(wrong)} errors: {wrong[0].code} {wrong[0].subject}"
            f" {wrong[0].message}.",
            where="--gate",
            hint="nothing was written; mem consolidate --dry-run shows the plan",
            details={"findings": [dataclasses.asdict(found) for found in wrong]},
        )
