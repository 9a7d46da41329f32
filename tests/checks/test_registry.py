"""What every check has, whoever writes it."""

import inspect
from pathlib import Path

import pytest

from memcli import registry
from memcli.core.reports import SEVERITIES
from memcli.engine.defects import DEFECTS

CHECKS = registry.checks()
SOURCES = Path(__file__).parents[2] / "memcli" / "checks"


def module(code: str) -> str:
    return CHECKS[code].run.__module__.rsplit(".", 1)[-1]


def test_each_file_has_one_check_of_its_own_code() -> None:
    files = {path.stem for path in SOURCES.glob("*.py") if not path.stem.startswith("_")}
    assert files == {module(code) for code in CHECKS}
    assert len(files) == len(CHECKS)


@pytest.mark.parametrize("code", CHECKS)
def test_a_check_says_what_it_is(code: str) -> None:
    found = CHECKS[code]
    assert found.code == code
    assert found.severity in SEVERITIES
    assert module(code) == f"{code.lower()}_{found.name.replace('-', '_')}"
    assert found.run.__name__ == found.name.replace("-", "_")
    assert len(inspect.getdoc(found.run) or "") > 60


@pytest.mark.parametrize("code", CHECKS)
def test_a_check_has_tests_and_a_defect(code: str) -> None:
    assert Path(__file__).with_name(f"test_{module(code)}.py").exists()
    assert code in DEFECTS


def test_defects_are_for_checks() -> None:
    assert DEFECTS.keys() == CHECKS.keys()
    for defect in DEFECTS.values():
        assert defect.companions <= CHECKS.keys()
