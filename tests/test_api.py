"""The Python interface is written in parts that are imported late; nobody is to notice."""

import inspect
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from memcli import api
from memcli.api.store import PARTS
from memcli.errors import UsageError


@pytest.mark.parametrize("part", PARTS)
def test_each_part_is_listed_with_all_its_methods(part: str) -> None:
    written = vars(import_module(f"memcli.api.{part}").Part)
    assert {name for name in written if not name.startswith("_")} == set(PARTS[part])


@pytest.mark.parametrize("name", [name for names in PARTS.values() for name in names])
def test_a_method_is_found_with_its_docstring_and_signature(name: str) -> None:
    method = getattr(api.Store, name)
    assert method.__doc__
    assert next(iter(inspect.signature(method).parameters)) == "self"


@pytest.mark.parametrize("name", api.__all__)
def test_a_public_name_is_there(name: str) -> None:
    assert getattr(api, name) is not None


def test_a_part_comes_with_the_first_call_of_a_method() -> None:
    code = (
        "import sys; from memcli.api import Store\n"
        "assert 'memcli.api.showing' not in sys.modules\n"
        "Store.show\n"
        "assert 'memcli.api.showing' in sys.modules and 'memcli.api.passes' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=60)


def test_an_override_runs_once_with_the_first_call() -> None:
    code = (
        "from memcli.api import Store\n"
        "ran = []\n"
        "class Mine(Store):\n"
        "    def show(self, *given, **named):\n"
        "        ran.append(given)\n"
        "        return super().show(*given, **named)\n"
        "    @classmethod\n"
        "    def why(cls):\n"
        "        return super().why\n"
        "Mine.__init__ = lambda self: None\n"
        "try:\n"
        "    Mine().show(1, 2, 3, 4, 5, 6, 7, 8, 9)\n"
        "except TypeError:\n"
        "    pass\n"
        "assert len(ran) == 1, ran\n"
        "assert Mine.why() is Store.why is not Mine.why\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=60)


def test_what_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'open_shop'"):
        _ = api.open_shop  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "wrong",
    [
        {"layer": "derivd"},
        {"include": ["supersedd"]},
        {"include": "superseded"},
        {"scope": {"user": "ada"}},
        {"rank": "best"},
        {"floor": 2.0},
        {"k": 0},
        {"budget": 0},
        {"valid_at": "once"},
        {"known_at": "p9"},
    ],
)
def test_what_a_search_does_not_know_is_refused(wrong: dict[str, Any], tmp_path: Path) -> None:
    with api.open_store(tmp_path / "m.db", mode="create") as opened:
        opened.add("Bees hum.")
        with pytest.raises(UsageError):
            opened.search("bees", **wrong)
        assert opened.search("bees", include=["superseded"], layer="raw").results


def test_a_store_that_is_used_in_another_thread_says_what_to_do(tmp_path: Path) -> None:
    with api.open_store(tmp_path / "m.db", mode="create") as opened:
        opened.add("Bees hum.")
        with ThreadPoolExecutor() as pool:
            failed = pool.submit(opened.search, "bees").exception()
        assert isinstance(failed, UsageError)
        assert "thread" in failed.what
        assert failed.hint == "open the store in each thread that uses it"
