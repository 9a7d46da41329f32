"""Findings for continuous integration: SARIF 2.1.0, JUnit XML, GitHub annotations."""

import hashlib
from html import escape

from memcli import __version__
from memcli.core.reports import SEVERITIES, AuditReport, Finding, Severity
from memcli.render.output import Document
from memcli.render.text import count, safe

_LEVEL = {"error": "error", "warning": "warning", "info": "note"}
_COMMAND = {"error": "error", "warning": "warning", "info": "notice"}


def sarif(report: AuditReport, store: str) -> Document:
    """A SARIF log with one run; each finding points at the store file and names its subject."""
    names = {found.code: found.name for found in report.findings}
    codes = sorted({*report.checked, *names})
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "mem",
                        "version": __version__,
                        "rules": [_rule(code, names.get(code)) for code in codes],
                    }
                },
                "results": [_result(found, codes, store) for found in report.findings],
            }
        ],
    }


def _rule(code: str, name: str | None) -> Document:
    return {"id": code, "name": name} if name else {"id": code}


def _result(found: Finding, codes: list[str], store: str) -> Document:
    print_of = hashlib.sha256(f"{found.code} {found.subject}".encode("utf-8", "replace"))
    return {
        "ruleId": found.code,
        "ruleIndex": codes.index(found.code),
        "level": _LEVEL[found.severity],
        "message": {"text": _said(found)},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": _uri(store)},
                    "region": {"startLine": 1},  # code scanning shows no result without one
                },
                "logicalLocations": [{"name": found.subject, "kind": "object"}],
            }
        ],
        "partialFingerprints": {"memFinding/v1": print_of.hexdigest()},
    }


def _uri(path: str) -> str:
    from urllib.parse import quote

    return quote(path.replace("\\", "/"), errors="replace")


def junit(report: AuditReport, fail_on: Severity) -> str:
    """A test case a check; it fails with each finding of at least `fail_on`."""
    least = SEVERITIES.index(fail_on)
    by_code: dict[str, list[Finding]] = {code: [] for code in report.checked}
    for found in report.findings:
        by_code.setdefault(found.code, []).append(found)
    failing = {
        code: [found for found in all_found if SEVERITIES.index(found.severity) >= least]
        for code, all_found in by_code.items()
    }
    failures = sum(bool(found) for found in failing.values())
    counts = f'tests="{len(by_code)}" failures="{failures}" errors="0" skipped="0"'
    out = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="mem" {counts}>',
        f'  <testsuite name="mem audit" {counts}>',
    ]
    for code in sorted(by_code):
        out += _case(code, by_code[code], failing[code])
    return "\n".join([*out, "  </testsuite>", "</testsuites>"]) + "\n"


def _case(code: str, every: list[Finding], failing: list[Finding]) -> list[str]:
    name = f"{code} {every[0].name}".strip() if every else code
    head = f'    <testcase classname="mem.audit" name="{_xml(name)}"'
    if not every:
        return [f"{head}/>"]
    out = [f"{head}>"]
    if failing:
        # One element a case: more than one is read by few programs.
        message = _xml(f"{failing[0].subject}: {failing[0].message}")
        body = "\n".join(_xml(f"{found.subject}: {_said(found)}") for found in failing)
        kind = failing[0].severity
        out.append(f'      <failure type="{kind}" message="{message}">{body}</failure>')
    milder = [found for found in every if found not in failing]
    if milder:
        body = "\n".join(_xml(f"{f.severity} {f.subject}: {_said(f)}") for f in milder)
        out.append(f"      <system-out>{body}</system-out>")
    return [*out, "    </testcase>"]


def _xml(text: str) -> str:
    # `safe` first: XML 1.0 has no way to write most control characters.
    return escape(safe(text).replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd"))


def github(report: AuditReport, store: str) -> str:
    """Workflow commands that GitHub Actions shows as annotations."""
    out = []
    for found in report.findings:
        title = _property(f"{found.code} {found.name}".strip())
        text = _data(f"{found.subject}: {_said(found)}")
        out.append(f"::{_COMMAND[found.severity]} file={_property(store)},title={title}::{text}\n")
    checks = count(len(report.checked), "check")
    return "".join(out) + f"{count(len(report.findings), 'finding')} in {checks}\n"


def _data(text: str) -> str:
    return safe(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _said(found: Finding) -> str:
    return f"{found.message} (try: {found.hint})" if found.hint else found.message
