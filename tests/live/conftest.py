"""Tests against a real model run only if asked for: `pytest -m live tests/live`."""

import re
from collections.abc import Iterator

import pytest

from tests.live.model_server import missing, model_server


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what is marked `live` unless `-m` speaks of it.

    `-m "not live"` in pytest's default options would be lost as soon as somebody gives another -m.
    """
    if re.search(r"\blive\b", config.getoption("markexpr")):
        return
    skip = pytest.mark.skip(reason="asks a real model; run with -m live")
    for item in items:
        if item.get_closest_marker("live"):
            item.add_marker(skip)


@pytest.fixture(scope="session")
def live_api_base() -> Iterator[str]:
    """The `api_base` of a real model that completes chats and embeds, as `openai/NAME`."""
    lacking = missing()
    if lacking:
        pytest.skip(lacking)
    with model_server() as address:
        yield f"{address}/v1"
