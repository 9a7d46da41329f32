"""Rows of recorded calls, read with care: one that was damaged is told from the others.

Recordings lie outside the journal, so nothing but a row itself says whether it is whole.
"""

from collections.abc import Sequence
from typing import Any

from memcli.core.calls import Call, DamagedCall
from memcli.core.callvalues import reply_of, request_of, status_of, text
from memcli.kit.jsonio import BadJsonError, parse


def _column(name: str, *kinds: str) -> str:
    """A column as it can always be fetched: text as bytes, for it may be no UTF-8, and what is of
    another kind than these as ''."""
    value = f"CAST({name} AS BLOB)" if "text" in kinds else name
    named = ", ".join(f"'{kind}'" for kind in kinds)
    return f"CASE WHEN typeof({name}) IN ({named}) THEN {value} ELSE '' END"


COLUMNS = ", ".join(
    (
        "id",
        _column("key", "blob"),
        *(_column(name, "text") for name in ("task", "model", "at", "status", "request", "reply")),
        _column("version", "integer"),
        _column("tokens_in", "integer", "null"),
        _column("tokens_out", "integer", "null"),
        _column("cost_usd", "real", "integer", "null"),
    )
)


def read(row: Sequence[Any]) -> Call | DamagedCall:
    """The call in a row of COLUMNS."""
    try:
        return _call(row)
    except (BadJsonError, ValueError) as error:
        number, key, task, model, at = row[:5]
        whole = key.hex() if isinstance(key, bytes) and len(key) == 32 else ""
        return DamagedCall(
            number, whole, _readable(task), _readable(model), _readable(at), str(error)
        )


def _call(row: Sequence[Any]) -> Call:
    number, key, task, model, at, status, request, reply, version, *rest = row
    asked = request_of(_json(request, "request"))
    tokens_in, tokens_out, cost = rest
    said = reply_of(
        _json(reply, "reply"), tokens_in=tokens_in, tokens_out=tokens_out, cost_usd=cost
    )
    if not isinstance(key, bytes) or key.hex() != asked.key:
        raise ValueError("its key is not the hash of its request")
    filed = (_text(task, "task"), version, _text(model, "model"))
    if filed != (asked.task, asked.version, asked.model):
        raise ValueError("it is filed under another task, version or model than its request names")
    return Call(number, asked, said, status_of(_text(status, "status")), _text(at, "at"))


def _json(value: Any, name: str) -> Any:
    if not isinstance(value, bytes):
        raise ValueError(f"{name} is no text")
    try:
        return parse(value)
    except BadJsonError as error:
        raise ValueError(f"{name} is {error.reason}") from error


def _text(value: Any, name: str) -> str:
    try:
        return text(value.decode() if isinstance(value, bytes) else None, name)
    except UnicodeDecodeError:
        raise ValueError(f"{name} is not UTF-8") from None


def _readable(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""
