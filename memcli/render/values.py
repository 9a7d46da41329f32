"""Values in words: what a pass cost, what a parameter is set to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from memcli.render.text import count

if TYPE_CHECKING:
    from memcli.core.journal import Usage


def cost(usage: Usage, model: str | None) -> str:
    """`extractive: no call`, or calls, tokens and dollars."""
    name = model or "extractive"
    if not usage.calls and not usage.calls_recorded:
        return f"{name}: no call to a model"
    known = "cost unknown" if usage.cost_usd is None else f"${usage.cost_usd:.4f}"
    recorded = f" + {usage.calls_recorded:,} recorded" if usage.calls_recorded else ""
    tokens = f"{usage.tokens_in:,} tokens in, {usage.tokens_out:,} out"
    return f"{name}: {count(usage.calls, 'call')}{recorded}, {tokens}, {known}"


def so_far(usage: Usage) -> str:
    """`12 calls, 3,456 tokens`: what a pass used until now."""
    return f"{count(usage.calls, 'call')}, {usage.tokens_in + usage.tokens_out:,} tokens"


def dollars(amount: float | None) -> str:
    """`$0.0021`; a dash where it is not known."""
    return "-" if amount is None else f"${amount:.4f}"


def shown(value: Any) -> str:
    """A value as one would type it after `--param name=`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return ", ".join(f"{key}={shown(item)}" for key, item in value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return ",".join(shown(item) for item in value)
    return "-" if value is None else str(value)
