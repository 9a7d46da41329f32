"""`mem audit`."""

from typing import Annotated, Literal

from memcli import api
from memcli.cli._answer import answer, note, write
from memcli.cli._command import command
from memcli.cli._options import JsonOption, QuietOption, StoreOption, words
from memcli.cli._params import Option
from memcli.core.reports import SEVERITIES, AuditReport, Severity
from memcli.core.values import replace
from memcli.errors import InputError, UsageError
from memcli.render import audit as render

Format = Literal["text", "json", "sarif", "junit", "github"]


@command(
    "mem audit",
    "mem audit --deep --fail-on warning",
    "mem audit --select P,I --ignore P107",
    "mem audit --json > known.json; mem audit --baseline known.json",
    "mem audit --format sarif > mem.sarif",
    no="there is a finding at --fail-on, or worse",
)
def audit(
    fail_on: Annotated[
        Literal["error", "warning", "info"],
        Option("--fail-on", help="Exit 1 on findings of this severity, or worse."),
    ] = "error",
    select: Annotated[
        list[str] | None,
        Option("--select", metavar="CODES", help="Only checks that begin so: P,I101."),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        Option("--ignore", metavar="CODES", help="Leave out checks that begin so."),
    ] = None,
    baseline: Annotated[
        str | None,
        Option("--baseline", metavar="FILE", help="Leave out the findings in this answer."),
    ] = None,
    format: Annotated[Format, Option("--format", help="How to show it.")] = "text",
    deep: Annotated[
        bool, Option("--deep", help="Also replay the journal and compare; slower.")
    ] = False,
    self_test: Annotated[
        bool,
        Option("--self-test", help="Plant each defect in a copy; exactly its check must fire."),
    ] = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Check that every memory is sound and the store is whole."""
    if as_json and format not in ("text", "json"):
        raise UsageError(
            "--json and --format disagree.", where="mem audit", hint="give one of them"
        )
    known = _known(baseline)
    with api.open_store(store) as opened:
        path = str(opened.path)
        if self_test:
            report = opened.audit_self_test()
        else:
            report = opened.audit(select=words(select), ignore=words(ignore), deep=deep)
    report, left_out = _without(report, known)
    if left_out:
        note(f"{left_out:,} known by the baseline, left out", quiet=quiet)
    _print(report, "json" if as_json else format, fail_on, path, planted=self_test)
    least = SEVERITIES.index("info" if self_test else fail_on)
    return int(any(SEVERITIES.index(found.severity) >= least for found in report.findings))


def _print(
    report: AuditReport, format: Format, fail_on: Severity, path: str, *, planted: bool
) -> None:
    if format in ("text", "json"):
        answer(
            format == "json",
            lambda: render.as_json(report),
            lambda: render.as_page(report, planted=planted),
        )
        return
    from memcli.render import audit_ci

    if format == "sarif":
        answer(True, lambda: audit_ci.sarif(report, path), lambda: render.as_page(report))
    elif format == "junit":
        write(audit_ci.junit(report, fail_on))
    else:
        write(audit_ci.github(report, path))


def _known(path: str | None) -> frozenset[tuple[str, str]]:
    """Codes and subjects of the findings in an earlier `mem audit --json`."""
    if path is None:
        return frozenset()
    import json

    try:
        with open(path, "rb") as file:
            answer = json.loads(file.read())
        return frozenset((found["code"], found["subject"]) for found in answer["findings"])
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
    except (ValueError, KeyError, TypeError, RecursionError):
        problem = "is no answer of mem audit --json"
    raise InputError(f"The baseline {problem}.", where=path, hint=f"mem audit --json > {path}")


def _without(report: AuditReport, known: frozenset[tuple[str, str]]) -> tuple[AuditReport, int]:
    new = tuple(f for f in report.findings if (f.code, f.subject) not in known)
    return replace(report, findings=new), len(report.findings) - len(new)
