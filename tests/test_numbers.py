"""Whole numbers that no float holds, wherever they come from: refused, never a failure."""

import json
from pathlib import Path
from typing import Any

import pytest

from memcli.api import open_store
from memcli.core.calls import CallReply, CallRequest
from memcli.engine.embedders import Thrifty
from memcli.engine.params import build
from memcli.engine.verdict import typed_value
from memcli.errors import GatewayError, UsageError
from memcli.gateway import settings
from memcli.gateway.chat import ProviderError
from memcli.gateway.embedder_settings import embedder
from memcli.gateway.embedding_requests import in_order
from memcli.gateway.settings import Limits
from memcli.registry import get_strategy
from memcli.store.calls import StoredCalls
from tests.engine.world import World

HUGE = 10**400
LONGER = 16**6000  # more digits than Python writes
NUMBERS = [HUGE, -HUGE, LONGER, -LONGER]


@pytest.mark.parametrize("value", NUMBERS, ids=["huge", "-huge", "longer", "-longer"])
class TestSettings:
    @pytest.mark.parametrize(
        "key", ["timeout", "retries", "backoff", "concurrency", "temperature", "max_tokens"]
    )
    def test_of_a_model(self, key: str, value: int) -> None:
        with pytest.raises(UsageError):
            settings.models({"name": "a", key: value}, {}, given=None, where="mem.toml")

    def test_prices(self, value: int) -> None:
        with pytest.raises(UsageError):
            settings.models({}, {"a": {"input": value}}, given=None, where="mem.toml")

    @pytest.mark.parametrize("key", ["max_calls", "max_tokens", "max_usd"])
    def test_budgets(self, key: str, value: int) -> None:
        with pytest.raises(UsageError):
            settings.limits({key: value}, Limits(), "mem.toml")
        with pytest.raises(UsageError) as refused:
            settings.limits({}, Limits(**{key: value}), "mem.toml")
        assert refused.value.where == f"--{key.replace('_', '-')}"

    @pytest.mark.parametrize("key", ["timeout", "batch", "related"])
    def test_of_an_embedder(self, key: str, value: int) -> None:
        with pytest.raises(UsageError):
            embedder("a", {key: value}, "mem.toml")

    @pytest.mark.parametrize("key", ["questions", "threshold"])
    def test_parameters(self, key: str, value: int) -> None:
        with pytest.raises(UsageError):
            build(get_strategy("reflect"), {key: value}, {})


def test_a_verdict() -> None:
    for text in ("001" + "9" * 5000, "9" * 5000, "0" * 5000):
        with pytest.raises(UsageError):
            typed_value("importance", text)
    assert typed_value("importance", "10") == 10


def test_vectors_of_a_server() -> None:
    with pytest.raises(ProviderError, match="something else than numbers"):
        in_order([{"index": 0, "embedding": [HUGE, 1.0]}], 1)


def test_a_budget_that_a_file_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mem.toml").write_text(f"[budget]\nmax_calls = {HUGE}\n", "utf-8")
    with open_store(tmp_path / "m.db", mode="create") as store:
        store.add("I live in Ghent.")
        with pytest.raises(UsageError):
            store.consolidate("reflect")


class Remote:
    """An embedder that would have to be asked."""

    name, dimensions, dtype, longest = "litellm:x", 2, "float32", 100
    related = near_duplicate = 0.5
    remote = True

    def described(self) -> dict[str, Any]:
        return {}


@pytest.mark.parametrize("text", [f"[{HUGE}, 1.0]", "[" * 100_000, "[1e999, 1.0]", "5", "{}"])
def test_a_recorded_vector_that_is_none(world: World, text: str) -> None:
    log = StoredCalls(world.connection, lambda: "2026-01-01T00:00:00.000Z")
    thrifty = Thrifty(world.connection, Remote(), log, ask=False)  # type: ignore[arg-type]
    request: CallRequest = thrifty._request("tea")
    log.record(request, CallReply(text), "accepted", ())
    with pytest.raises(GatewayError, match="1 texts have no vector"):
        thrifty.embed(["tea"])
    log.record(request, CallReply(json.dumps([1, 0.5])), "accepted", ())
    assert thrifty.embed(["tea"]) == [[1.0, 0.5]]


def test_nothing_is_asked_for_that_cannot_be_recorded(world: World) -> None:
    def refuse() -> None:
        raise UsageError("no")

    log = StoredCalls(world.connection, lambda: "2026-01-01T00:00:00.000Z")
    asking = Thrifty(world.connection, Remote(), log, ask=True, may_record=refuse)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="no"):
        asking.embed(["tea"])


@pytest.fixture
def world(tmp_path: Path) -> Any:
    made = World(tmp_path)
    yield made
    made.close()
