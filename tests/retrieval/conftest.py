"""A store for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.world import World


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """An empty store with the built-in embedder."""
    made = World(tmp_path)
    yield made
    made.close()
