"""What all tests share: the data beside the repository, which few people have."""

from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
SHARED = REPOSITORY.parent / "shared"


@pytest.fixture(scope="session")
def shared_samples() -> Path:
    """Samples of transcript formats with a manifest of what they hold; skips without them."""
    return _beside("samples")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Conversations of public benchmarks, for measuring only; skips without them."""
    return _beside("data")


def _beside(name: str) -> Path:
    folder = SHARED / name
    if not folder.is_dir():
        pytest.skip(f"there is no folder ../shared/{name} beside the repository")
    return folder
