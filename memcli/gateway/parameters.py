"""What may be sent along with a request besides its messages: a closed list, without keys."""

import json
from collections.abc import Mapping
from typing import Any

from memcli.gateway.tables import bad, is_secret, secret
from memcli.kit.secrets import mask

# Under which names a request says how long its reply may be.
REPLY_LIMITS = ("max_tokens", "max_completion_tokens")
DEFAULT_REPLY = 4096  # tokens
_PLAIN = frozenset(
    [
        "temperature",
        "top_p",
        "top_k",
        "min_p",
        "seed",
        "frequency_penalty",
        "presence_penalty",
        "repetition_penalty",
        "repeat_penalty",
        "reasoning_effort",
        "verbosity",
        "num_ctx",
        "keep_alive",
        "stop",
        "logit_bias",
    ]
) | frozenset(REPLY_LIMITS)
# Tables of a provider's own. They are looked through for keys.
_TABLES = frozenset({"thinking", "extra_body", "chat_template_kwargs"})
_DEEPEST = 6


def parameters(sent: Mapping[str, Any], place: str, where: str) -> dict[str, Any]:
    """The parameters of a request, with the defaults: greedy, and with an end.

    Raises UsageError for a name that is not known, and for what holds a key.
    """
    for key, value in sent.items():
        if is_secret(key) and key not in _PLAIN:
            raise secret(key, place, where)
        if key not in _PLAIN | _TABLES:
            known = ", ".join(sorted(_PLAIN | _TABLES))
            raise bad(f"{place} cannot say {key!r}; it can say {known}", where)
        _must_be_json(key, value, place, where)
        _must_be_public(key, value, place, where)
    found: dict[str, Any] = {"temperature": 0, **sent}
    if not any(name in found for name in REPLY_LIMITS):
        found["max_tokens"] = DEFAULT_REPLY
    for name in REPLY_LIMITS:
        limit = found.get(name, 1)
        if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
            raise bad(f"{place} {name} is not a whole number from 1", where)
    return found


def reply_limit(sent: Mapping[str, Any]) -> int:
    """How many tokens a reply may have under these parameters."""
    return min((sent[name] for name in REPLY_LIMITS if name in sent), default=DEFAULT_REPLY)


def _must_be_json(key: str, value: Any, place: str, where: str) -> None:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise bad(f"{place} {key} is no value of JSON", where) from None


def _must_be_public(key: str, value: Any, place: str, where: str, depth: int = 0) -> None:
    if depth > _DEEPEST:
        raise bad(f"{place} {key} is nested too deeply", where)
    if isinstance(value, str) and mask(value)[0] != value:
        raise secret(key, place, where)
    if isinstance(value, list):
        for inner in value:
            _must_be_public(key, inner, place, where, depth + 1)
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if is_secret(str(name)) and not str(name).endswith("tokens"):
                raise secret(str(name), place, where)
            _must_be_public(str(name), inner, place, where, depth + 1)
