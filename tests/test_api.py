"""The Python interface is written in parts that are imported late; nobody is to notice."""

import inspect
import subprocess
import sys
from importlib import import_module

import pytest

from memcli import api
from memcli.api.store import PARTS


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
