"""Which model answers which task: `mem.toml` and the command line."""

from dataclasses import replace
from typing import Any

import pytest

from memcli.errors import UsageError
from memcli.gateway import settings
from memcli.gateway.settings import RULES, Limits, Models, Price

KEY = "sk-proj-" + "Zq8" * 12


def models(given: str | None = None, prices: dict[str, Any] | None = None, **table: Any) -> Models:
    return settings.models(table, prices or {}, given=given, where="mem.toml")


def test_nothing_said_is_rules() -> None:
    assert models() == Models(None)
    assert not models().any
    assert not models(name=RULES).any
    assert not models(given=RULES, name="openai/x").any


def test_the_model_of_a_pass_and_its_parameters() -> None:
    found = models(
        name="openai/x",
        api_base="http://127.0.0.1:1/v1",
        temperature=0.5,
        max_tokens=100,
        parameters={"seed": 7, "top_p": 0.9},
        timeout=9,
        retries=0,
        concurrency=2,
    ).default
    assert found is not None
    assert found.name == "openai/x"
    assert found.parameters == {"temperature": 0.5, "max_tokens": 100, "seed": 7, "top_p": 0.9}
    assert (found.timeout, found.retries, found.concurrency) == (9.0, 0, 2)


def test_defaults_are_greedy_and_bounded() -> None:
    found = models(name="openai/x").default
    assert found is not None
    assert found.parameters == {"temperature": 0, "max_tokens": 4096}
    assert found.timeout == 120


def test_a_table_names_the_model_of_a_task_and_not_the_address_of_another() -> None:
    found = models(
        name="openai/x",
        api_base="http://127.0.0.1:1/v1",
        api_key_env="KEY",
        temperature=0.5,
        rate={"name": "ollama/small"},
        insights={"temperature": 1},
    )
    rate, insights = found.of("rate"), found.of("insights")
    assert rate is not None
    assert insights is not None
    assert (rate.name, rate.api_base, rate.api_key_env) == ("ollama/small", None, None)
    assert rate.parameters["temperature"] == 0.5
    assert (insights.name, insights.api_base) == ("openai/x", "http://127.0.0.1:1/v1")
    assert insights.parameters["temperature"] == 1
    assert found.of("facts") == found.default


def test_what_the_command_line_names_answers_every_task() -> None:
    found = models(given="openai/y", name="openai/x", rate={"name": "ollama/small"})
    assert found.by_setting == {}
    assert found.name == "openai/y"


def test_nor_is_it_given_the_address_and_key_of_another() -> None:
    table = {"name": "openai/x", "api_base": "http://127.0.0.1:1/v1", "api_key_env": "KEY"}
    other, same = (
        models(given="openai/y", **table).default,
        models(given="openai/x", **table).default,
    )
    assert other is not None
    assert same is not None
    assert (other.api_base, other.api_key_env) == (None, None)
    assert (same.api_base, same.api_key_env) == ("http://127.0.0.1:1/v1", "KEY")
    assert models(given="openai/y", api_base="http://127.0.0.1:1/v1").default == replace(
        same, name="openai/y", api_key_env=None
    )


def test_a_model_of_one_task_alone_labels_the_pass() -> None:
    found = models(rate={"name": "ollama/small"}, facts={"name": "openai/large"})
    assert (found.name, found.label, found.any) == (None, "ollama/small + openai/large", True)


def test_a_task_that_is_left_to_rules_has_no_model() -> None:
    found = models(name="openai/x", facts={"name": RULES})
    assert (found.of("facts"), found.made_by("facts")) == (None, RULES)
    assert found.made_by("rate") == "openai/x"
    assert not models(facts={"name": RULES}).any


def test_a_reply_has_one_limit() -> None:
    found = models(name="openai/x", parameters={"max_completion_tokens": 9}).default
    assert found is not None
    assert found.parameters == {"temperature": 0, "max_completion_tokens": 9}


def test_every_task_can_be_set() -> None:
    assert {"facts", "insights", "questions", "rate", "reconcile", "summaries"} <= set(
        settings.task_settings()
    )


def test_prices() -> None:
    found = models(name="x", prices={"openai/x": {"input": 1, "output": 2.5}, "free": {}})
    assert found.prices == {"openai/x": Price(1.0, 2.5), "free": Price(0.0, 0.0)}


def test_limits_of_the_command_line_go_before_those_of_the_file() -> None:
    table = {"max_calls": 5, "max_usd": 1}
    assert settings.limits(table, Limits(max_calls=2), "mem.toml") == Limits(2, None, 1)


@pytest.mark.parametrize("given", [float("nan"), float("inf"), -1.0])
def test_a_limit_that_limits_nothing(given: float) -> None:
    with pytest.raises(UsageError) as refused:
        settings.limits({}, Limits(max_usd=given), "mem.toml")
    assert refused.value.where == "--max-usd"


@pytest.mark.parametrize(
    ("table", "word"),
    [
        ({"api_key": "x"}, "a key never stands in a file"),
        ({"name": "a", "rate": {"api-key": "x"}}, "a key never stands in a file"),
        ({"name": "a", "parameters": {"authorization": "x"}}, "a key never stands in a file"),
        ({"name": 5}, "name is not a text"),
        ({"name": " "}, "name is not a text"),
        ({"name": "a", "nmae": "b"}, "has no 'nmae'"),
        ({"name": "a", "rate": "small"}, r"\[model.rate\] is not a table"),
        ({"rate": {"temperature": 0}}, "names no model"),
        ({"name": "a", "timeout": "long"}, "timeout is not a number"),
        ({"name": "a", "timeout": float("nan")}, "timeout is not a number"),
        ({"name": "a", "retries": 1.5}, "retries is not a whole number"),
        ({"name": "a", "concurrency": 0}, "concurrency is not a whole number"),
        ({"name": "a", "temperature": True}, "temperature is not a number"),
        ({"name": "a", "api_base": 3}, "api_base is not a text"),
        ({"name": "a", "parameters": 3}, "is not a table"),
        ({"name": "a", "parameters": {"stream": True}}, "cannot say 'stream'"),
        ({"name": "a", "parameters": {"fallbacks": ["b"]}}, "cannot say 'fallbacks'"),
        ({"name": "a", "parameters": {"extra_headers": {}}}, "a key never stands in a file"),
        ({"name": "a", "parameters": {"aws_secret_access_key": "x"}}, "a key never stands"),
        ({"name": "a", "parameters": {"extra_body": {"api_key": "x"}}}, "a key never stands"),
        ({"name": "a", "parameters": {"stop": KEY}}, "a key never stands"),
        ({"name": "a", "api_base": "http://u:pw@h/v1"}, "a key never stands"),
        ({"name": "a", "api_base": "file:///etc/passwd"}, "is not an address"),
        ({"name": "a", "api_base": "http://h:99999/"}, "is not an address"),
        ({"name": "a\nb"}, "no line of text"),
        ({"name": "a" * 500}, "longer than"),
        ({"name": "a", "parameters": {"seed": {1}}}, "seed is no value of JSON"),
    ],
)
def test_what_does_not_fit(table: dict[str, Any], word: str) -> None:
    with pytest.raises(UsageError, match=word) as refused:
        models(**table)
    assert refused.value.where == "mem.toml"


@pytest.mark.parametrize("prices", [{"a": 1}, {"a": {"in": 1}}, {"a": {"input": -1}}])
def test_prices_that_do_not_fit(prices: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        models(name="a", prices=prices)


@pytest.mark.parametrize("budget", [{"max_calls": -1}, {"max_calls": 1.5}, {"calls": 1}])
def test_budgets_that_do_not_fit(budget: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        settings.limits(budget, Limits(), "mem.toml")
