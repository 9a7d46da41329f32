from memcli.core.records import Scope
from memcli.core.reports import SearchReport
from tests.cli.conftest import Run
from tests.cli.fakes import FakeStore


def test_options_reach_the_api(run: Run, store: FakeStore) -> None:
    result = run(
        "search", "where", "-k", "3", "--layer", "raw", "--scope", "user=ada",
        "--include", "superseded,faded", "--include", "lapsed", "--rank", "mem0-v3", "--budget", "90",
        "--valid-at", "2025-06-01", "--known-at", "p3", "--lexical", "--log-recall",
        "--now", "2026-01-01",
    )  # fmt: skip
    assert result.code == 0
    assert store.asked[1] == (
        "search",
        ("where",),
        {
            "k": 3,
            "layer": "raw",
            "scope": Scope(user="ada"),
            "include": ("superseded", "faded", "lapsed"),
            "rank": "mem0-v3",
            "budget": 90,
            "valid_at": "2025-06-01",
            "known_at": "p3",
            "vectors": False,
            "log_recall": True,
        },
    )


def test_warnings_are_notes_for_people_and_stand_in_the_json(run: Run, store: FakeStore) -> None:
    said = "vectors are missing; try mem reindex"
    result = run("search", "where")
    assert result.err == f"note: {said}\n"
    assert said not in result.out
    assert run("search", "where", "--quiet").err == ""
    result = run("search", "where", "--json")
    assert (result.err, result.json["warnings"]) == ("", [said])
    store.answers["search"] = SearchReport("x", (), warnings=("a", "b \x1b[31m"))
    assert run("search", "x").err == "note: a\nnote: b ␛[31m\n"


def test_help_says_what_a_scope_leaves_out(run: Run) -> None:
    for name in ("search", "consolidate"):
        assert "Keys not given do not narrow." in " ".join(run(name, "--help").out.split())


def test_explain_shows_the_parts(run: Run, store: FakeStore) -> None:
    assert "text 1  date 0.25" in run("search", "x", "--explain").out
    assert "date 0.25" not in run("search", "x").out


def test_no_hit_is_no_failure(run: Run, store: FakeStore) -> None:
    store.answers["search"] = SearchReport("x", ())
    result = run("search", "x")
    assert (result.code, result.out) == (0, "Nothing found.\n")
    assert run("search", "x", "--json").json["results"] == []


def test_a_query_that_looks_like_an_option(run: Run, store: FakeStore) -> None:
    assert run("search", "--", "--json").code == 0
    assert store.asked[1][1] == ("--json",)
