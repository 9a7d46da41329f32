from memcli.core.records import Scope
from tests.cli.conftest import Run
from tests.cli.fakes import FakeStore


def test_options_reach_the_api(run: Run, store: FakeStore) -> None:
    result = run(
        "add", "I moved.", "--role", "assistant", "--speaker", "Ada", "--session", "standup",
        "--said-at", "2026-03-01", "--scope", "agent=bot", "--no-redact", "--now", "2026-03-02",
    )  # fmt: skip
    assert result.code == 0
    assert store.asked[0] == ("open", (None,), {"mode": "create", "now": "2026-03-02"})
    assert store.asked[1] == (
        "add",
        ("I moved.",),
        {
            "role": "assistant",
            "speaker": "Ada",
            "session": "standup",
            "said_at": "2026-03-01",
            "scope": Scope(agent="bot"),
            "redact": False,
        },
    )


def test_a_dash_reads_stdin(run: Run, store: FakeStore) -> None:
    run("add", "-", stdin="\ufeffé\n".encode())
    assert store.asked[1][1] == ("é\n",)


def test_stdin_that_is_no_text(run: Run, store: FakeStore) -> None:
    result = run("add", "-", stdin=b"\xff")
    assert result.code == 2
    assert "not text in UTF-8" in result.err
    assert store.asked == []


def test_a_text_that_begins_with_a_dash_is_told_how_to_be_given(run: Run, store: FakeStore) -> None:
    result = run("add", "-----BEGIN NOTE-----\nIt is hot.")
    assert (result.code, store.asked) == (2, [])
    assert 'try: mem add -- "-..." for a text that begins with -, or mem add - < FILE' in result.err
    assert run("add", "--", "-----BEGIN").code != 2
    assert store.asked[1][1] == ("-----BEGIN",)
    assert 'mem search -- "-..."' in run("search", "-1 degree").err
    assert "try: mem add --help" in run("add", "x", "--spekaer", "Ada").err
    assert "try: mem log --help" in run("log", "-----").err
