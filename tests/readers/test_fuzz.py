"""Whatever the bytes: readers raise nothing but InputError, and what they yield can be stored."""

import contextlib
import json
import sqlite3
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memcli.core.found import Bad, Found, Skipped
from memcli.core.records import ROLES, RecordKind
from memcli.engine.detect import detect
from memcli.errors import InputError, UsageError
from memcli.kit.normalise import normalise
from memcli.kit.secrets import mask_value
from memcli.ports import ReadOptions
from memcli.registry import get_reader, readers

from .build import Bytes, as_json, as_lines, claude
from .test_anthropic_messages import REQUEST
from .test_chatgpt_export import TALK as GPT
from .test_claude_ai_export import TALK as CLAUDE
from .test_claude_code import REWOUND
from .test_codex_rollout import FORKED, HEADER, OLD_ITEMS
from .test_codex_rollout import TALK as ROLLOUT
from .test_csv import COLUMNS
from .test_csv import SAMPLE as TABLE
from .test_jsonl import COLUMNS as KEYS
from .test_jsonl import ROWS
from .test_langchain import HISTORY
from .test_langchain import TALK as CHAIN
from .test_locomo import SAMPLE
from .test_longmemeval import QUESTION
from .test_openai_chat import TALK
from .test_openai_responses import TALK as ITEMS
from .test_speaker_text import TALK as SPOKEN

VALID = {
    "claude_code": as_lines(*REWOUND, claude("u9", "a3", [{"type": "thinking", "thinking": "x"}])),
    "chatgpt_export": as_json(GPT),
    "claude_ai_export": as_json(CLAUDE),
    "codex_rollout": as_lines(*ROLLOUT, *FORKED),
    "openai_chat": as_json(TALK),
    "openai_responses": as_json(ITEMS),
    "anthropic_messages": as_json(REQUEST),
    "csv": TABLE,
    "jsonl": as_lines(*ROWS),
    "langchain": as_json(CHAIN),
    "locomo": as_json([SAMPLE]),
    "longmemeval": as_json([QUESTION]),
    "speaker_text": SPOKEN.encode(),
}
FORMATS = sorted(VALID)
MAPS = {"csv": COLUMNS, "jsonl": KEYS}
# Layouts that their readers take by another way.
INPUTS = [
    *VALID.items(),
    ("langchain", as_json(HISTORY)),
    ("codex_rollout", as_json({"session": HEADER, "items": OLD_ITEMS})),
    ("openai_responses", as_json({"request": {"input": ITEMS}, "response": {"output": ITEMS}})),
    ("chatgpt_export", as_json({"conversations": GPT})),
    (
        "openai_chat",
        as_json({"messages": TALK, "response": {"choices": [{"message": TALK[-1]}] * 2}}),
    ),
    (
        "anthropic_messages",
        as_json({"request": REQUEST, "response": {"body": REQUEST["messages"][-1]}}),
    ),
]
OF_JSON = [(name, data) for name, data in INPUTS if data.startswith((b"{", b"["))]
SETTINGS = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
# Lone surrogates too: JSON can hold them, SQLite cannot.
TEXT = st.text(st.characters(exclude_categories=()), max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


def check(name: str, data: bytes, **options) -> None:
    source = Bytes(data)
    guess = get_reader(name).sniff(source)
    assert 0 <= guess.score <= 1
    assert guess.why
    options.setdefault("columns", MAPS.get(name, {}))
    try:
        units = list(get_reader(name).read(source, ReadOptions(**options)))
    except UsageError:
        assert name in ("speaker_text", *MAPS)
        return
    # Every unit is at least a character of the input, and a turn has at most three.
    assert len(units) <= 3 * len(data) + 3
    with sqlite3.connect(":memory:") as store:
        for unit in units:
            check_unit(unit, store)
    store.close()


def check_unit(unit, store) -> None:
    assert isinstance(unit, Found | Skipped | Bad)
    if not isinstance(unit, Found):
        assert unit.reason
        return
    assert unit.kind in get_args(RecordKind)
    assert unit.role in ROLES
    assert unit.identity
    assert unit.text == normalise(unit.text)
    assert unit.said_at is None or unit.said_at.endswith("Z")
    assert (unit.said_at is None) == (unit.time_source == "none")
    about = json.dumps(mask_value(dict(unit.attributes))[0], allow_nan=False)
    strings = [unit.identity, unit.session, unit.text, unit.speaker, unit.title, unit.native, about]
    assert store.execute("SELECT ?, ?, ?, ?, ?, ?, ?", strings).fetchone()[2] == unit.text


@pytest.mark.parametrize("name", FORMATS)
@SETTINGS
@given(data=st.binary(max_size=300))
def test_any_bytes(name, data):
    check(name, data)


@pytest.mark.parametrize("name", FORMATS)
@SETTINGS
@given(text=st.text(alphabet='{}[]",:\\ \nau1', max_size=80))
def test_any_punctuation(name, text):
    check(name, text.encode())


@pytest.mark.parametrize("name", FORMATS)
@SETTINGS
@given(values=st.lists(JSON, max_size=4), lines=st.booleans())
def test_any_json(name, values, lines):
    check(name, as_lines(*values) if lines else as_json(values))


@pytest.mark.parametrize(("name", "valid"), INPUTS)
@SETTINGS
@given(draw=st.data())
def test_any_damage_to_a_valid_input(name, valid, draw):
    data = bytearray(valid)
    for _ in range(draw.draw(st.integers(1, 4))):
        at = draw.draw(st.integers(0, len(data)))
        until = at + draw.draw(st.integers(0, 30))
        data[at:until] = draw.draw(st.binary(max_size=20))
    everything = frozenset({"thinking", "sidechain", "custom-instructions"})
    check(name, bytes(data), all_branches=True, include=everything)


@pytest.mark.parametrize(("name", "valid"), OF_JSON)
@SETTINGS
@given(draw=st.data())
def test_any_value_in_place_of_another(name, valid, draw):
    values = [json.loads(line) for line in valid.splitlines()]
    node = values
    for _ in range(draw.draw(st.integers(1, 6))):
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        if not keys:
            break
        key = draw.draw(st.sampled_from(keys))
        if isinstance(node[key], dict | list) and draw.draw(st.booleans()):
            node = node[key]
        else:
            node[key] = draw.draw(JSON)
            break
    data = as_lines(*values)
    check(name, data, include=frozenset({"thinking", "sidechain", "custom-instructions"}))


def places(value, path=()):
    """The paths of all values inside `value`."""
    inner = ()
    if isinstance(value, dict | list):
        inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, found in inner:
        yield (*path, key)
        yield from places(found, (*path, key))


@pytest.mark.parametrize("odd", [[], {}, None])
@pytest.mark.parametrize(("name", "valid"), OF_JSON)
def test_each_value_in_turn_is_of_a_type_that_cannot_be_a_key(name, valid, odd):
    values = [json.loads(line) for line in valid.splitlines()]
    for path in list(places(values)):
        outer = values
        for key in path[:-1]:
            outer = outer[key]
        whole, outer[path[-1]] = outer[path[-1]], odd
        check(name, as_lines(*values))
        outer[path[-1]] = whole


@SETTINGS
@given(data=st.binary(max_size=200) | st.text(max_size=100).map(str.encode))
def test_detection_claims_or_refuses(data):
    name = None
    with contextlib.suppress(InputError):
        name = detect(Bytes(data)).name
    assert name is None or name in readers()


@pytest.mark.parametrize(("name", "valid"), INPUTS)
@SETTINGS
@given(step=st.integers(1, 400))
def test_pieces_of_any_size_give_the_same_units(name, valid, step):
    reader = get_reader(name)
    options = ReadOptions(columns=MAPS.get(name, {}))
    whole = list(reader.read(Bytes(valid), options))
    assert list(reader.read(Bytes(valid, step=step), options)) == whole
