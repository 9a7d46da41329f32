"""Which model answers which task, how it is asked, what it may cost: from `mem.toml` and options.

[model]                       # for every task ...
name = "openai/gpt-5-mini"
[model.rate]                  # ... but for those of a table of their own
name = "ollama/qwen3:4b"
"""

import json
import math
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

from memcli import tasks
from memcli.errors import UsageError

RULES = "extractive"  # the name of the backend that needs no model


@dataclass(frozen=True)
class ModelSettings:
    """One model and how it is asked.

    `parameters` are sent with every request and are part of what a call is filed under. `timeout`
    and `backoff` (the first pause before a second try, doubled each time) are seconds; `retries`
    counts tries after the first; `concurrency` calls run at a time.
    """

    name: str
    api_base: str | None = None
    api_key_env: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=lambda: dict(_PARAMETERS))
    timeout: float = 120.0
    retries: int = 4
    backoff: float = 1.0
    concurrency: int = 8


@dataclass(frozen=True)
class Price:
    """US dollars for a million tokens, in and out."""

    input: float
    output: float


@dataclass(frozen=True)
class Limits:
    """What one pass may use at most; None: as much as it needs."""

    max_calls: int | None = None
    max_tokens: int | None = None
    max_usd: float | None = None


@dataclass(frozen=True)
class Models:
    """The model of a pass, and those of single settings; without a model of the pass rules answer
    all but these."""

    default: ModelSettings | None
    by_setting: Mapping[str, ModelSettings] = field(default_factory=dict)
    prices: Mapping[str, Price] = field(default_factory=dict)

    @property
    def name(self) -> str | None:
        """The model of tasks that have none of their own; None for the rules."""
        return None if self.default is None else self.default.name

    def of(self, setting: str) -> ModelSettings | None:
        """The model that answers the tasks of a setting; None for the rules."""
        return self.by_setting.get(setting, self.default)

    @property
    def any(self) -> bool:
        """Whether a model is asked at all."""
        return self.default is not None or bool(self.by_setting)


# Greedy and bounded: the same request should get the same answer, and no reply runs on for ever.
_PARAMETERS: dict[str, Any] = {"temperature": 0, "max_tokens": 4096}
_NUMBERS: dict[str, tuple[type, float, float]] = {
    "timeout": (float, 0.01, 3600),
    "retries": (int, 0, 20),
    "backoff": (float, 0, 60),
    "concurrency": (int, 1, 64),
}
# Arguments of a request that are not free to choose.
_OURS = frozenset(
    {
        *(
            "model",
            "messages",
            "timeout",
            "num_retries",
            "max_retries",
            "stream",
            "response_format",
        ),
        *(
            "api_base",
            "base_url",
            "n",
            "tools",
            "tool_choice",
            "functions",
            "mock_response",
            "client",
        ),
    }
)
_TEXTS = ("name", "api_base", "api_key_env")
_SENT = ("temperature", "max_tokens")  # parameters that have a key of their own
_KNOWN = (*_TEXTS, *_NUMBERS, *_SENT, "parameters")


@cache
def task_settings() -> tuple[str, ...]:
    """The names of tables that may name a model of their own, from the tasks there are."""
    found = set()
    for info in pkgutil.iter_modules(tasks.__path__):
        if not info.name.startswith("_"):
            module = import_module(f"{tasks.__name__}.{info.name}")
            found |= {
                value.setting
                for value in vars(module).values()
                if isinstance(value, type)
                and value.__module__ == module.__name__
                and hasattr(value, "setting")
            }
    return tuple(sorted(found))


def models(
    table: Mapping[str, Any], prices: Mapping[str, Any], *, given: str | None, where: str
) -> Models:
    """The models of a pass. `given`, from the command line, answers every task.

    `table` is [model] of the file `where`, `prices` its [prices]. Raises UsageError for what does
    not fit.
    """
    common = {key: value for key, value in table.items() if key not in task_settings()}
    only(common, _KNOWN, "[model]", where)
    name = given or common.get("name")
    if name is not None and not (isinstance(name, str) and name.strip()):
        raise bad("[model] name is not the name of a model in quotes", where)
    default = None if name in (None, RULES) else _settings({**common, "name": name}, "model", where)
    own: dict[str, ModelSettings] = {}
    if given is None:
        for setting in task_settings():
            if setting in table:
                own[setting] = _own(common, table[setting], setting, where)
    return Models(default, own, _prices(prices, where))


def _own(common: Mapping[str, Any], table: Any, setting: str, where: str) -> ModelSettings:
    place = f"model.{setting}"
    if not isinstance(table, Mapping):
        raise bad(f"[{place}] is not a table", where)
    only(table, _KNOWN, f"[{place}]", where)
    merged = {**common, **table}
    if "name" not in merged:
        raise bad(f"[{place}] names no model, and [model] does not either", where)
    if "name" in table and table["name"] != common.get("name"):
        # The address and key of one model are not those of another.
        for key in ("api_base", "api_key_env"):
            if key not in table:
                merged.pop(key, None)
    return _settings(merged, place, where)


def _settings(table: Mapping[str, Any], place: str, where: str) -> ModelSettings:
    values: dict[str, Any] = {}
    for key in _TEXTS:
        if key in table:
            if not isinstance(table[key], str) or not table[key].strip():
                raise bad(f"[{place}] {key} is not a text", where)
            values[key] = table[key].strip()
    for key, (kind, least, most) in _NUMBERS.items():
        if key in table:
            values[key] = kind(number(table[key], kind, least, most, f"[{place}] {key}", where))
    sent = table.get("parameters", {})
    if not isinstance(sent, Mapping):
        raise bad(f"[{place}.parameters] is not a table", where)
    _must_be_parameters(sent, f"[{place}.parameters]", where)
    parameters = {**_PARAMETERS, **sent}
    if "temperature" in table:
        parameters["temperature"] = number(
            table["temperature"], float, 0, 5, f"[{place}] temperature", where
        )
    if "max_tokens" in table:
        parameters["max_tokens"] = number(
            table["max_tokens"], int, 1, 10_000_000, f"[{place}] max_tokens", where
        )
    return ModelSettings(parameters=parameters, **values)


def _must_be_parameters(sent: Mapping[str, Any], place: str, where: str) -> None:
    no_secrets(sent, place, where)
    for key, value in sent.items():
        if key in _OURS:
            raise bad(f"{place} cannot say {key!r}: that is settled elsewhere", where)
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError):
            raise bad(f"{place} {key} is no value of JSON", where) from None


def limits(table: Mapping[str, Any], given: Limits, where: str) -> Limits:
    """What a pass may use: what the command line says, else [budget] of the file `where`."""
    only(table, ("max_calls", "max_tokens", "max_usd"), "[budget]", where)
    found: dict[str, Any] = {}
    for key, kind in (("max_calls", int), ("max_tokens", int), ("max_usd", float)):
        value = getattr(given, key)
        if value is not None:
            _must_hold(key, value)
        elif key in table:
            value = number(table[key], kind, 0, 1e12, f"[budget] {key}", where)
        found[key] = value
    return Limits(**found)


def _must_hold(key: str, value: float) -> None:
    """Raise UsageError for a limit that limits nothing: no sum is above "not a number"."""
    if not math.isfinite(value) or value < 0:
        option = f"--{key.replace('_', '-')}"
        raise UsageError(
            f"{option} {value} is no limit.",
            where=option,
            hint="0 or more; without it there is none",
        )


def _prices(table: Mapping[str, Any], where: str) -> dict[str, Price]:
    found = {}
    for name, value in table.items():
        place = f'[prices."{name}"]'
        if not isinstance(value, Mapping):
            raise bad(f"{place} is not a table", where)
        only(value, ("input", "output"), place, where)
        found[name] = Price(
            *(
                float(number(value.get(key, 0), float, 0, 1e6, f"{place} {key}", where))
                for key in ("input", "output")
            )
        )
    return found


def number(value: Any, kind: type, least: float, most: float, place: str, where: str) -> Any:
    """`value`, if it is a number of this kind (int, float) in this range; else a UsageError."""
    fits = isinstance(value, int if kind is int else int | float) and not isinstance(value, bool)
    if not fits or not math.isfinite(value) or not least <= value <= most:
        word = "a whole number" if kind is int else "a number"
        raise bad(f"{place} is not {word} from {least:g} to {most:g}", where)
    return value


def only(table: Mapping[str, Any], known: tuple[str, ...], place: str, where: str) -> None:
    """Raise UsageError for a key that is not `known`, or that holds a secret."""
    no_secrets(table, place, where)
    for key in table:
        if key not in known:
            tables = f", and the tables {', '.join(task_settings())}" if place == "[model]" else ""
            raise bad(f"{place} has no {key!r}; it has {', '.join(known)}{tables}", where)


def no_secrets(table: Mapping[str, Any], place: str, where: str) -> None:
    """Raise UsageError for a key of a provider: these stand in the environment alone."""
    for key in table:
        bare = key.lower().replace("-", "_")
        if bare in ("api_key", "key", "token", "secret", "password", "authorization", "headers"):
            raise UsageError(
                f"{place} holds {key!r}: a key never stands in a file.",
                where=where,
                hint='put it into an environment variable, and name that: api_key_env = "MY_KEY"',
            )


def bad(why: str, where: str) -> UsageError:
    """What to raise for settings that cannot be used."""
    return UsageError(
        f"The settings cannot be used: {why}.", where=where, hint="correct the file, or move it"
    )
