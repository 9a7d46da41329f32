"""Recorded calls, and what a pass would ask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from memcli.core.values import dataclass

if TYPE_CHECKING:
    from memcli.core.reports.ingest import BadUnit


@dataclass(frozen=True)
class EstimatedTask:
    """What a pass would ask of one model for one task. `cost_usd` None: not known."""

    task: str
    model: str
    calls: int
    calls_recorded: int
    tokens_in: int
    tokens_out: int
    cost_usd: float | None


@dataclass(frozen=True)
class EstimateReport:
    """What a pass would ask (`--estimate`), as far as it can be told without asking."""

    strategy: str
    model: str | None
    tasks: tuple[EstimatedTask, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class CallLine:
    """One recorded call in a list. `key` is sha256 in hex; `at` ISO 8601 UTC."""

    key: str
    task: str
    version: int
    model: str
    status: str
    tokens_in: int | None
    tokens_out: int | None
    cost_usd: float | None
    at: str


@dataclass(frozen=True)
class CallText:
    """One recorded call with its words: the chat messages, the reply, and why that ended."""

    line: CallLine
    messages: tuple[Mapping[str, str], ...]
    reply: str
    finish: str


@dataclass(frozen=True)
class CallsReport:
    """What `mem calls` did (`list`, `show`, `export`, `import`, `prune`) and with how many calls.

    `known`: of an import, how many were there already; `bad`: lines that are no calls.
    """

    action: str
    count: int
    known: int = 0
    path: str | None = None
    calls: tuple[CallLine, ...] = ()
    texts: tuple[CallText, ...] = ()
    bad: tuple[BadUnit, ...] = ()
