"""Which passes are due, asked of all methods at once."""

from pathlib import Path
from typing import Any

import pytest

from memcli import api
from memcli.core.records import Scope
from memcli.store import load
from tests.engine.world import NOW


def test_what_all_triggers_read_is_read_once_a_scope(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "two.db"
    with api.open_store(path, mode="create", now=NOW) as opened:
        for name in ("ada", "bo"):
            opened.add(f"I am {name}, and I live in Ghent.", scope=Scope(user=name))
    read: list[Scope | None] = []
    whole = load.records

    def counted(*args: Any, **given: Any) -> Any:
        read.append(given.get("scope"))
        return whole(*args, **given)

    monkeypatch.setattr(load, "records", counted)
    with api.open_store(path, now=NOW) as opened:
        found = opened.due()
    assert len(found) > 5
    assert read == [Scope(user="ada"), Scope(user="bo")]
