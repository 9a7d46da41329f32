"""Parameters of a strategy: `k=v` from the command line and mem.toml, by the type of the default."""

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

from memcli.errors import UsageError
from memcli.registry import Strategy

# Narrower than int() and float(): no digits of other scripts, no blanks, nothing infinite.
_INT = re.compile(r"-?[0-9]{1,15}")
_FLOAT = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?")

_BITS = 64


def build(strategy: Strategy, configured: Mapping[str, Any], given: Mapping[str, str]) -> Any:
    """The strategy's parameters; what is given goes before what is configured.

    Raises UsageError for an unknown name or a value that is not of the default's type.
    """
    return of_type(strategy.params, strategy.info.name, configured, given)


def of_type(
    kind: type[Any], strategy: str, configured: Mapping[str, Any], given: Mapping[str, str]
) -> Any:
    """The same by the type of the parameters alone."""
    values: dict[str, Any] = {}
    known = {field.name: field for field in dataclasses.fields(kind)}
    for origin, pairs in (("mem.toml", configured), ("--param", given)):
        for name, value in pairs.items():
            if name not in known:
                raise UsageError(
                    f"{strategy} has no parameter {name!r}.",
                    where=origin,
                    hint="it has " + ", ".join(known),
                )
            values[name] = _convert(name, value, known[name].default, origin)
    try:
        return kind(**values)
    except ValueError as error:
        raise UsageError(
            f"The parameters do not fit: {error}.",
            where=strategy,
            hint=f"mem strategies {strategy} lists them with their defaults",
        ) from error


def _convert(name: str, value: Any, default: Any, origin: str) -> Any:
    kind = type(default)
    try:
        if kind is bool:
            return {"true": True, "false": False}[str(value).lower()]
        if kind is int and not isinstance(value, bool) and _INT.fullmatch(str(value)):
            return int(value)
        if kind is float and not isinstance(value, bool) and _FLOAT.fullmatch(str(value)):
            return float(value)
        if kind is str:
            return str(value)
    except (KeyError, ValueError, TypeError, OverflowError):
        pass
    # Python does not write numbers of thousands of digits.
    long = isinstance(value, int) and value.bit_length() > _BITS
    shown = "..." if long else value
    raise UsageError(
        f"{name}={shown} is not a value of the type {kind.__name__}.",
        where=origin,
        hint=f"the default is {name}={default}",
    )
