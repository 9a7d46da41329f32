import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from memcli.core.reports import AuditReport, Finding
from tests.cli.conftest import Run
from tests.cli.fakes import FakeStore
from tests.render import samples


def test_options_reach_the_api(run: Run, store: FakeStore) -> None:
    run("audit", "--select", "P,I1", "--select", "Q", "--ignore", "P107", "--deep")
    asked = {"select": ("P", "I1", "Q"), "ignore": ("P107",), "deep": True}
    assert store.asked[1] == ("audit", (), asked)


WARNING = AuditReport(samples.AUDIT.findings[:1], samples.AUDIT.checked)
INFO = AuditReport(samples.AUDIT.findings[2:], samples.AUDIT.checked)


@pytest.mark.parametrize(
    ("report", "fail_on", "code"),
    [
        (samples.AUDIT, "error", 1),
        (WARNING, "error", 0),
        (WARNING, "warning", 1),
        (INFO, "warning", 0),
        (INFO, "info", 1),
        (samples.CLEAN, "info", 0),
    ],
)
def test_fail_on(run: Run, store: FakeStore, report: AuditReport, fail_on: str, code: int) -> None:
    store.answers["audit"] = report
    for extra in ([], ["--json"], ["--format", "junit"]):
        assert run("audit", "--fail-on", fail_on, *extra).code == code


def test_the_self_test_fails_on_anything(run: Run, store: FakeStore) -> None:
    assert run("audit", "--self-test").code == 0
    store.answers["audit_self_test"] = AuditReport((Finding("P102", "info", "P102", "silent"),), ())
    assert run("audit", "--self-test").code == 1


def test_a_baseline_leaves_out_what_is_known(run: Run, store: FakeStore, tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    path.write_text(run("audit", "--json").out, "utf-8")
    result = run("audit", "--baseline", str(path))
    assert (result.code, result.out) == (0, "No finding in 4 checks.\n")
    assert result.err == "3 known by the baseline, left out\n"
    new = Finding("P102", "error", "m8", "cites r9")
    store.answers["audit"] = AuditReport((*samples.AUDIT.findings, new), ())
    result = run("audit", "--baseline", str(path), "--json")
    assert result.code == 1
    assert [found["subject"] for found in result.json["findings"]] == ["m8"]


@pytest.mark.parametrize("text", ["", "[]", '{"findings": 3}', '{"findings": [{}]}', "[" * 100_000])
def test_a_baseline_that_is_none(run: Run, store: FakeStore, tmp_path: Path, text: str) -> None:
    path = tmp_path / "known.json"
    path.write_text(text, "utf-8")
    result = run("audit", "--baseline", str(path))
    assert result.code == 2
    assert "is no answer of mem audit" in result.err


def test_formats_of_others(run: Run, store: FakeStore) -> None:
    assert json.loads(run("audit", "--format", "sarif").out)["version"] == "2.1.0"
    assert ElementTree.fromstring(run("audit", "--format", "junit").out).tag == "testsuites"
    assert run("audit", "--format", "github").out.startswith("::warning file=memory.db,title=Q201")
    assert run("audit", "--format", "json").json["counts"]["error"] == 1
