"""What is installed here: its health, the consolidation methods and the transcript formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from memcli.core.reports import DoctorReport, StrategyInfo


def doctor(path: str | Path | None = None) -> DoctorReport:
    """Health of the installation and, if there is one, of the store."""
    from memcli import config
    from memcli.api.configured import embedder_table
    from memcli.engine.doctor import examine

    return examine(config.store_path(path), embedder_table)


def strategies(name: str | None = None) -> tuple[StrategyInfo, ...]:
    """What consolidation methods there are; raises UsageError for an unknown name."""
    from memcli import registry

    if name is not None:
        return (registry.get_strategy(name).info,)
    return tuple(found.info for found in registry.strategies().values())


def formats() -> tuple[tuple[str, str, str, str], ...]:
    """(name, title, how it is recognised, default scope) of each transcript format."""
    from memcli import registry

    return tuple(
        (found.name, found.title, found.recognised, found.scope)
        for found in registry.readers().values()
    )


def format_warnings() -> tuple[str, ...]:
    """What is wrong with readers that other packages bring."""
    from memcli import registry

    registry.readers()
    return registry.reader_warnings()
