"""Findings of an audit."""

from __future__ import annotations

from typing import Literal

from memcli.core.values import dataclass

Severity = Literal["error", "warning", "info"]


SEVERITIES: tuple[Severity, ...] = ("info", "warning", "error")


@dataclass(frozen=True)
class Finding:
    """One thing an audit check found. `subject` is the id it is about, `hint` what to do."""

    code: str
    severity: Severity
    subject: str
    message: str
    hint: str = ""
    name: str = ""


@dataclass(frozen=True)
class AuditReport:
    """Findings, and the codes that were checked (a clean report with no code means nothing)."""

    findings: tuple[Finding, ...]
    checked: tuple[str, ...]

    def count(self, severity: Severity) -> int:
        """How many findings have exactly this severity."""
        return sum(finding.severity == severity for finding in self.findings)
