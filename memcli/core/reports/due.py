"""Strategies, and when they are due."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from memcli.core.values import dataclass, field


@dataclass(frozen=True)
class Due:
    """Whether a strategy's trigger fires, its value against the threshold, and what waits."""

    strategy: str
    due: bool
    why: str
    value: float
    threshold: float
    warning: str | None = None
    pending: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class StrategyInfo:
    """What `mem strategies` says of one method."""

    name: str
    aliases: tuple[str, ...]
    source: str
    kinds: tuple[str, ...]
    due: str
    calls: str
    without_model: str
    conflicts: Literal["overwrite", "keep-both", "invalidate", "none"]
    parameters: Mapping[str, Any]
    doc: str = ""
