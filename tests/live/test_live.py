"""A real model answers through litellm: the plumbing only, since a small model is no judge."""

import copy
import json
import math
import os
from collections.abc import Iterator
from typing import Any

import pytest

from memcli.kit.handles import Item
from memcli.tasks.rate_importance import RateImportance
from tests.live.model_server import NAME, missing

pytestmark = pytest.mark.live

ITEMS = (
    Item("r1", "Good morning!"),
    Item("r2", "We move the whole project to Lisbon in May."),
    Item("r3", "Thanks, see you."),
)
SENT = {"api_key": "none", "temperature": 0, "seed": 7, "timeout": 120, "max_retries": 0}


@pytest.fixture(scope="module")
def litellm() -> Iterator[Any]:
    """litellm, without a word to the network or to standard output."""
    lacking = missing()
    if lacking:  # before the slow import
        pytest.skip(lacking)
    os.environ.setdefault("LITELLM_OFFLINE_MODE", "true")
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")
    import httpx
    import litellm

    litellm.suppress_debug_info = True
    cached = litellm.in_memory_llm_clients_cache
    before = (litellm.client_session, set(cached.cache_dict))
    # A session of our own can be closed, which those that litellm makes never are; and a proxy has
    # no say in it.
    with httpx.Client(trust_env=False) as session:
        litellm.client_session = session
        yield litellm
        litellm.client_session = before[0]
        for key in set(cached.cache_dict) - before[1]:
            cached.delete_cache(key)


def test_completes_a_chat_and_counts_tokens(litellm: Any, live_api_base: str) -> None:
    answer = litellm.completion(
        model=f"openai/{NAME}",
        messages=[{"role": "user", "content": "Say hello."}],
        api_base=live_api_base,
        max_tokens=8,
        **SENT,
    )
    [choice] = answer.choices
    assert choice.message.content.strip()
    assert choice.finish_reason in ("stop", "length")
    assert answer.model == NAME
    assert answer.usage.prompt_tokens > 8
    assert 1 <= answer.usage.completion_tokens <= 8


def test_keeps_to_a_schema(litellm: Any, live_api_base: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    task = RateImportance(ITEMS)
    # Left alone a small model rates on and on, up to the longest list that the schema allows.
    bounded = copy.deepcopy(dict(task.schema()))
    bounded["properties"]["ratings"]["maxItems"] = len(ITEMS)
    answer = litellm.completion(
        model=f"openai/{NAME}",
        messages=task.messages(),
        api_base=live_api_base,
        max_tokens=400,
        response_format={
            "type": "json_schema",
            "json_schema": {"name": task.name, "schema": bounded, "strict": True},
        },
        **SENT,
    )
    [choice] = answer.choices
    assert choice.finish_reason == "stop"
    reply = json.loads(choice.message.content)
    jsonschema.validate(reply, task.schema())
    assert all(1 <= each["rating"] <= 10 for each in reply["ratings"])


def test_embeds(litellm: Any, live_api_base: str) -> None:
    texts = ["Ada runs at dawn", "Ada jogs at dawn", "The tax form is due"]
    answer = litellm.embedding(
        model=f"openai/{NAME}",
        input=texts,
        api_base=live_api_base,
        api_key="none",
        timeout=120,
    )
    assert [each["index"] for each in answer.data] == [0, 1, 2]
    first, second, third = (each["embedding"] for each in answer.data)
    assert len(first) == 576
    assert math.hypot(*first) == pytest.approx(1, abs=1e-3)
    assert _cosine(first, second) > _cosine(first, third)


def _cosine(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
