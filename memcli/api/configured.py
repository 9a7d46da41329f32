"""What `mem.toml` says, as the engine takes it. Raises UsageError where that is no good."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memcli import config

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memcli.engine.consolidating import Tables
    from memcli.engine.embedders import Table


def embedder_table() -> Table:
    """[embedder], and the file it stands in."""
    from memcli.engine.embedders import Table

    configured = config.load()
    return Table(configured.embedder, str(configured.path or config.FILE))


def tables() -> Tables:
    """All that a pass goes by."""
    from memcli.engine.consolidating import Tables

    configured = config.load()
    return Tables(
        model=configured.model,
        budget=configured.budget,
        prices=configured.prices,
        parameters=configured.parameters,
        single_valued=configured.single_valued,
        where=str(configured.path or config.FILE),
    )


def parameters() -> Mapping[str, Mapping[str, Any]]:
    """[parameters.NAME]: strategy -> its parameters."""
    return config.load().parameters
