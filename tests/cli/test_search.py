import pytest

from memcli.core.records import Scope
from memcli.core.reports import Match, SearchReport
from tests.cli.conftest import Run
from tests.cli.fakes import FakeStore


def test_options_reach_the_api(run: Run, store: FakeStore) -> None:
    result = run(
        "search", "where", "-k", "3", "--layer", "raw", "--scope", "user=ada",
        "--include", "superseded,faded", "--include", "lapsed", "--rank", "mem0-v3", "--budget", "90",
        "--valid-at", "2025-06-01", "--known-at", "p3", "--lexical", "--log-recall", "--floor", "70",
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
            "floor": 0.7,
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


@pytest.mark.parametrize(
    ("match", "said"),
    [
        (Match(0.9, False, ("boat",), ("boat",)), ""),
        (Match(0.3, True, ("boat", "cover"), ("boat",)), "nothing here speaks of boat"),
        (
            Match(0.3, True, ("boat", "cover", "cost")),
            "no result has all of it, the best one lacks boat, cover or cost",
        ),
        (Match(0.3, True), "the best result asks it too, or speaks of somebody else"),
    ],
)
def test_people_are_told_that_nothing_may_answer(
    run: Run, store: FakeStore, match: Match, said: str
) -> None:
    store.answers["search"] = SearchReport("x", (), match=match)
    note = f"note: what was found may not answer this: {said}\n" if said else ""
    assert run("search", "x").err == note
    assert run("search", "x", "--quiet").err == ""
    assert run("search", "x", "--json").json["match"]["weak"] is match.weak


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
