"""What is stored holds no secret that our list or the library's detectors know, and loses nothing else."""

import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memcli.core.found import Bad, Found, Skipped
from memcli.core.plan import Add, Cite, Plan, Revise
from memcli.core.records import Scope
from memcli.engine import ingest as engine
from memcli.engine import redacting
from memcli.engine.embedding import embedding
from memcli.engine.ingest import Ingest, Input
from memcli.engine.redacting import redact, redact_value
from memcli.gateway import detecting
from memcli.kit.secrets import mask
from tests.engine.secrets import samples
from tests.engine.world import NOW, World, said

SAMPLES = samples()
KEY = SAMPLES["sendgrid"][0]  # one that our own list does not know
MARK = "[redacted:sendgrid_key]"


@pytest.mark.parametrize("name", SAMPLES)
def test_each_secret_is_redacted_and_nothing_around_it(name):
    secret, line = SAMPLES[name]
    text, counts = redact(f"First.\n{line}\nLast.")
    assert secret not in text
    assert sum(counts.values()) == 1
    (kind,) = counts
    assert text == f"First.\n{line}\nLast.".replace(secret, f"[redacted:{kind}]") or (
        # Of a web hook the address stays.
        kind == "slack_webhook" and text.startswith("First.\n") and text.endswith("\nLast.")
    )
    assert redact(text) == (text, {})


ORDINARY = [
    "",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b, uuid 0b6e3f5e-1111-4000-8000-00000000beef",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "integrity sha512-4lkA8zf6bqn0KzjOUUQ0ZbFw1bHeKlTyWmtM7Ue0h9yE9P4n2D2pX2b6m0wPZQnXkQ3c5v7v==",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    "password: the one you chose; my password is long, and the token: see below",
    "password:\nhunter2 is on the next line",
    'password = ""',
    "password = os.environ['DB_PASSWORD2']",
    "password = get_password(1)",
    "api_key=settings.openai.api_key2",
    'api_key = "${API_KEY_2}"',
    'api_key: "<your key 1>"',
    'api_key = "your-api-key-123"',
    'secret_name = "projects/1/secrets/db"',
    'tokenizer = "cl100k_base"',
    '"tokenizer": "o200k_base", "max_tokens": 4096, "token_count": "12ab34cd"',
    'token_type: "mac2hmac3"',
    "new_password_1 = new_password_2",
    "if (token === t1 ? 1e6 * cost1 : cost2)",
    "The keys: a1b2c3d4e5 is no value of theirs",
    "monkey=banana1234, keyboard: qwerty12345, pass: 12 of 30 passed",
    "passed=12of34tests passenger=12A34B56",
    'key = "a1b2c3d4e5f6"',
    "token: 0b6e3f5e-1111-4000-8000-00000000beef",
    "def test_a_very_long_name_of_a_test_that_has_no_digit_at_all_in_it(): ...",
    "/home/ida/projects/kiln-2024/build/lib/python3.11/site-packages/kiln/__init__.py",
    "2026-11-30T10:00:00.000Z..2026-12-01T10:00:00.000Z",
    "AC and SK are also states; SKU ACB0123456789",
]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_loses_nothing(text):
    assert redact(text) == (text, {})


def test_several_are_found_each_under_its_kind():
    two = f"{KEY} {KEY}\nDB_PASSWORD=abc123def456 API_KEY=zyx987wvu654"
    assert redact(two) == (
        f"{MARK} {MARK}\nDB_PASSWORD=[redacted:assigned_secret] API_KEY=[redacted:assigned_secret]",
        {"sendgrid_key": 2, "assigned_secret": 2},
    )


def test_values_are_redacted_by_the_name_they_have():
    value = {
        "input": {"password": "abc123def456", "user": "abc123def456", "n": 1, "token_count": "1a"},
        "list": [KEY, None, True],
        KEY: {"api_key": "see the page of 2024 for it"},
    }
    shown, counts = redact_value(value)
    assert shown == {
        "input": value["input"] | {"password": "[redacted:assigned_secret]"},
        "list": [MARK, None, True],
        MARK: {"api_key": "see the page of 2024 for it"},
    }
    assert counts == {"assigned_secret": 1, "sendgrid_key": 2}
    assert redact_value(shown) == (shown, {})


PIECES = st.sampled_from(
    [secret for secret, _ in SAMPLES.values() if len(secret) < 200]
    + [secret[: len(secret) // 2] for secret, _ in SAMPLES.values() if len(secret) < 200]
    + [line for _, line in SAMPLES.values() if len(line) < 200]
    + ["[redacted:jwt]", "[redacted:", "token", "secret", "_key", "api", "pass", "password", "pwd"]
    + ["=", ":", ":=", " => ", "(", ")", '"', "'", "\\", '\\"', " ", "\n", "\t", ".", ",", "]", "İ"]
    + ["a1b2c3d4", "1", "a", "-us1", "SG.", "AC", "\ud83d", "\x00", "$", "{", "x" * 40]
)


@settings(max_examples=500, deadline=None, derandomize=True)
@given(pieces=st.lists(PIECES, max_size=8))
def test_any_mixture_is_redacted_once_and_for_all(pieces):
    once, counts = redact("".join(pieces))
    assert redact(once) == (once, {})
    assert all(number > 0 for number in counts.values())


@settings(max_examples=200, deadline=None)
@given(text=st.text(max_size=200))
@example("token=" + "\x1c" * 20)
def test_any_text_is_redacted_once_and_for_all(text):
    once, _ = redact(text)
    assert redact(once) == (once, {})


@pytest.mark.parametrize(
    "unit",
    [
        *("token=", "secret: ", 'api_key = "', "password='a1", "apikey:", "SG.", "a1b2", "1234:"),
        *("MTA1.", 'token:\\"', '"==password', "secret=\t", "pwd((", "İtoken=a1", " ", "\\", '"'),
        *("secret_" * 5 + "='", "passw=!!!", "AC0123456789abcdef0123456789abcdef", "[redacted:x]"),
    ],
)
def test_long_hostile_text_comes_to_an_end(unit):
    # Quadratic work would need hours for this, not seconds.
    text = unit * (300_000 // len(unit))
    once, _ = redact(text)
    assert redact(once) == (once, {})


def test_secret_at_the_end_of_one_long_line_is_found():
    line = "x1-" * 700_000 + " " + KEY + " password=abc123def456"
    text, counts = redact(line)
    assert counts == {"sendgrid_key": 1, "assigned_secret": 1}
    assert text.endswith(f" {MARK} password=[redacted:assigned_secret]")


def test_library_is_asked_only_where_something_may_match():
    code = (
        "import sys; from memcli.engine.redacting import redact;"
        f"[redact(text) for text in {[*ORDINARY[:3], *ORDINARY[5:8], *ORDINARY[25:27]]!r}];"
        "print('detect_secrets' in sys.modules)"
    )
    run = [sys.executable, "-c", code]
    assert subprocess.run(run, capture_output=True, text=True, check=True).stdout == "False\n"


def test_detectors_open_no_connection_and_load_nothing_that_could():
    code = (
        "import sys; from tests.engine.secrets import samples;"
        "from memcli.engine.redacting import redact;"
        "[redact(line) for _, line in samples().values()];"
        "print('detect_secrets' in sys.modules, {'ssl', 'urllib3', 'requests'} & set(sys.modules));"
        "import requests; print(requests.Session.__name__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True set()\nSession\n"


# --- in the store -------------------------------------------------------------------------------


def everything(world: World) -> str:
    """All that the store's files hold."""
    files = world.path.parent.glob(f"{world.path.name}*")
    return "".join(file.read_bytes().decode("utf-8", "replace") for file in files)


def test_whatever_is_stored_is_redacted(world):
    unit = Found(
        "u1",
        session=f"talk {KEY}",
        kind="utterance",
        role="user",
        text=f"Take {KEY}.",
        speaker=f"Ida {KEY}",
        title=f"About {KEY}",
        container=f"in {KEY}",
        scope=Scope(project=f"at-{KEY}"),
        attributes={"calls": [{"name": "send", "arguments": {"key": KEY}}], KEY: 1},
    )
    others = [Bad(f"role {KEY}?", 3), Skipped("torn_line", 4, warning=f"half of {KEY}")]
    ingest = Ingest(
        world.connection,
        world.path,
        given=Scope(),
        redact=True,
        embed=embedding(world.connection, world.embedder),
    )
    units = [unit, *others]
    report = ingest.run([Input(f"/x/{KEY}.jsonl", "chat", units)], now=NOW, dry_run=False)
    assert KEY not in everything(world)
    assert KEY not in repr(report)
    assert MARK in everything(world)
    assert report.redacted == {"sendgrid_key": 7}


def older(monkeypatch):
    """A store is filled while the library knows nothing."""
    monkeypatch.setattr(engine, "redact", mask)
    monkeypatch.setattr(redacting, "find", lambda text: [])


@pytest.mark.parametrize("edited", [False, True])
@pytest.mark.parametrize("redacted", [False, True])
def test_better_detectors_make_no_new_records(world, monkeypatch, redacted, edited):
    unit = said("u1", f"Take {KEY}, and ghp_{'aB3' * 12}.")
    after = replace(unit, text=f"Take {KEY} now.") if edited else unit

    def run(found: Found, redact: bool):
        ingest = Ingest(
            world.connection,
            world.path,
            given=Scope(),
            redact=redact,
            embed=embedding(world.connection, world.embedder),
        )
        return ingest.run([Input("a", "chat", [found])], now=NOW, dry_run=False)

    with monkeypatch.context() as before:
        older(before)
        assert run(unit, redacted).records_new == 1
        assert run(after, redacted).records_new == edited
    assert KEY in everything(world)
    for redact_now in (True, False, True):
        report = run(after, redact_now)
        assert (report.records_new, report.superseded, report.pass_id) == (0, 0, None)


def test_derived_text_is_redacted_too(world):
    world.ingest([said("u1", "The key is there.")])
    add = Add("fact", f"The key is {KEY}", (Cite("r1"),), "new:1", attributes={"key": KEY})
    world.apply(Plan(ops=(add,)))
    assert KEY not in everything(world)
    revise = Revise("m1", text=f"It is {KEY} now", evidence=(Cite("r1"),))
    world.apply(Plan(ops=(revise,)))
    assert KEY not in everything(world)
    assert f"It is {MARK} now" in everything(world)


def test_every_shape_is_in_the_library_or_known_to_be_left_out():
    kinds = {kind for kind, _ in detecting._library().shapes}
    assert {kind for *_, kind in detecting._SHAPES} - kinds <= {"telegram_token"}
