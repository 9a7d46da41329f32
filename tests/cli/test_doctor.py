import pytest

from memcli import api
from memcli.core.reports import DoctorReport
from tests.cli.conftest import Run
from tests.cli.fakes import FakeStore
from tests.render import samples


def test_what_is_amiss_is_exit_1(run: Run, store: FakeStore) -> None:
    result = run("doctor", "--store", "x.db")
    assert (result.code, result.err) == (1, "")
    assert store.asked == [("doctor", ("x.db",), {})]
    assert "try: pip install sqlite-vec" in result.out


def test_all_well(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    report = DoctorReport(samples.DOCTOR.lines[:1])
    monkeypatch.setattr(api, "doctor", lambda path=None: report)
    result = run("doctor", "--json")
    assert (result.code, result.json["ok"]) == (0, True)
