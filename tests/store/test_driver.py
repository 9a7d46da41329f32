"""The choice of SQLite, in processes of their own: it is made once, at import."""

import json
import os
import sqlite3
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
ASK = (
    "import json; from memcli.store import driver;"
    "connection = driver.sqlite3.connect(':memory:');"
    "print(json.dumps([driver.DRIVER, driver.sqlite3.__name__, driver.load_vec(connection)]))"
)
CAN_LOAD = hasattr(sqlite3.Connection, "enable_load_extension")


def ask(wanted: str | None) -> list[object]:
    environment = {key: value for key, value in os.environ.items() if key != "MEM_SQLITE"}
    if wanted is not None:
        environment["MEM_SQLITE"] = wanted
    done = subprocess.run(
        [sys.executable, "-c", ASK],
        cwd=ROOT,
        env={**environment, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    assert isinstance(found, list)
    return found


def test_by_itself_it_takes_one_that_loads_extensions_if_there_is_one() -> None:
    name, _, loads = ask(None)
    if CAN_LOAD:
        assert (name, loads) == ("stdlib", True)
    elif find_spec("pysqlite3") is not None:
        assert (name, loads) == ("pysqlite3", True)
    else:
        assert (name, loads) == ("plain", False)


def test_plain_loads_nothing() -> None:
    assert ask("plain") == ["plain", "sqlite3", False]


@pytest.mark.skipif(find_spec("pysqlite3") is None, reason="there is no pysqlite3 wheel here")
def test_the_wheel_on_request() -> None:
    assert ask("pysqlite3") == ["pysqlite3", "pysqlite3.dbapi2", True]


def test_an_unknown_one_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "memcli", "log"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "MEM_SQLITE": "oracle"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "MEM_SQLITE" in done.stderr
    assert "Traceback" not in done.stderr


def test_numpy_is_not_imported_for_the_choice() -> None:
    code = "import sys; from memcli.store import driver; driver.extension_path();" + (
        "print({'numpy', 'sqlite_vec'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "set()"
