"""Which model answers which task, how it is asked, what it may cost: from `mem.toml` and options.

[model]                       # for every task ...
name = "openai/gpt-5-mini"
[model.rate]                  # ... but for those of a table of their own
name = "ollama/qwen3:4b"
"""

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

from memcli import tasks
from memcli.core.values import dataclass, field
from memcli.errors import UsageError
from memcli.gateway.parameters import parameters
from memcli.gateway.tables import address, bad, number, only, text

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
    parameters: Mapping[str, Any] = field(default_factory=lambda: parameters({}, "", ""))
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

    @property
    def label(self) -> str | None:
        """What a pass is labelled with; None if no model is asked at all."""
        if self.default is not None or not self.by_setting:
            return self.name
        return " + ".join(sorted({settings.name for settings in self.by_setting.values()}))

    def of(self, setting: str) -> ModelSettings | None:
        """The model that answers the tasks of a setting; None for the rules."""
        found = self.by_setting.get(setting, self.default)
        return None if found is None or found.name == RULES else found

    def made_by(self, setting: str) -> str:
        """Who answers the tasks of a setting: the model's name, or the rules'."""
        found = self.of(setting)
        return RULES if found is None else found.name

    @property
    def any(self) -> bool:
        """Whether a model is asked at all."""
        return self.default is not None or any(map(self.of, self.by_setting))


_NUMBERS: dict[str, tuple[type, float, float]] = {
    "timeout": (float, 0.01, 3600),
    "retries": (int, 0, 20),
    "backoff": (float, 0, 60),
    "concurrency": (int, 1, 64),
}
_TEXTS = ("name", "api_base", "api_key_env")
# Parameters that have a key of their own.
_SENT: dict[str, tuple[type, float, float]] = {
    "temperature": (float, 0, 5),
    "max_tokens": (int, 1, 10_000_000),
}
_MOST = 1e12  # calls, tokens, dollars of one pass
# What belongs to one model, and is not taken over for another.
_OF_ONE_MODEL = ("api_base", "api_key_env")
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
    if given is not None and common.get("name", given) != given:
        # The address and key of one model are not those of another.
        common = {key: common[key] for key in common if key not in _OF_ONE_MODEL}
    only(common, (*_KNOWN, *task_settings()), "[model]", where)
    name = common.get("name") if given is None else given
    if name is not None:
        name = text(
            name,
            "[model] name" if given is None else "the name",
            where if given is None else "--model",
        )
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
        for key in _OF_ONE_MODEL:  # which are not those of another
            if key not in table:
                merged.pop(key, None)
    return _settings(merged, place, where)


def _settings(table: Mapping[str, Any], place: str, where: str) -> ModelSettings:
    values: dict[str, Any] = {}
    for key in _TEXTS:
        if key in table:
            read = address if key == "api_base" else text
            values[key] = read(table[key], f"[{place}] {key}", where)
    for key, (kind, least, most) in _NUMBERS.items():
        if key in table:
            values[key] = kind(number(table[key], kind, least, most, f"[{place}] {key}", where))
    sent = table.get("parameters", {})
    if not isinstance(sent, Mapping):
        raise bad(f"[{place}.parameters] is not a table", where)
    given = dict(sent)
    for key, (kind, least, most) in _SENT.items():
        if key in table:
            given[key] = number(table[key], kind, least, most, f"[{place}] {key}", where)
    found = parameters(given, f"[{place}.parameters]", where)
    return ModelSettings(parameters=found, **values)


def limits(table: Mapping[str, Any], given: Limits, where: str) -> Limits:
    """What a pass may use: what the command line says, else [budget] of the file `where`."""
    only(table, ("max_calls", "max_tokens", "max_usd"), "[budget]", where)
    found: dict[str, Any] = {}
    for key, kind in (("max_calls", int), ("max_tokens", int), ("max_usd", float)):
        value = getattr(given, key)
        if value is not None:
            _must_hold(key, value)
        elif key in table:
            value = number(table[key], kind, 0, _MOST, f"[budget] {key}", where)
        found[key] = value
    return Limits(**found)


def _must_hold(key: str, value: float) -> None:
    """Raise UsageError for a limit that limits nothing: no sum is above "not a number"."""
    # Compared as it is: a whole number may be larger than any float.
    if not 0 <= value <= _MOST:
        option = f"--{key.replace('_', '-')}"
        raise UsageError(
            f"What {option} says is no limit.",
            where=option,
            hint=f"a number from 0 to {_MOST:g}; without it there is none",
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
