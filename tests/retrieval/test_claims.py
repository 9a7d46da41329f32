"""What waits and what disputes it, in searches and blocks, over real stores without a model."""

import json
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest

import memcli
from memcli import api
from memcli.render import context as render_context
from memcli.render import search as render_search

NOW = "2026-06-20T12:00:00Z"
TALK = (
    ("one", "2026-01-05T09:00:00Z", "I live in Bergen."),
    ("two", "2026-02-05T09:00:00Z", "Yes, I live in Bergen."),
    ("three", "2026-06-02T09:00:00Z", "I live in Porto."),
    ("three", "2026-06-02T09:01:00Z", "The harbour smells of tar."),
)
QUESTION = "where does the user live"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[api.Store]:
    """Bergen from two sessions, and Porto once, which waits."""
    with api.open_store(tmp_path / "m.db", mode="create", now=NOW) as opened:
        for session, at, text in TALK:
            opened.add(text, session=session, said_at=at)
        opened.consolidate("profile")
        yield opened


def schema(name: str) -> object:
    path = Path(memcli.__file__).with_name("schemas") / f"{name}-1.json"
    return json.loads(path.read_text("utf-8"))


def test_what_waits_stands_with_what_it_disputes_and_before_it_if_newer(store: api.Store) -> None:
    report = store.search(QUESTION, layer="derived")
    porto, bergen = report.results[:2]
    assert (porto.text, porto.status, porto.unconfirmed_since) == (
        "I live in Porto.",
        "pending",
        "2026-06-02T09:00:00Z",
    )
    assert (bergen.text, bergen.status, bergen.unconfirmed_since) == (
        "I live in Bergen.",
        "current",
        None,
    )
    assert (porto.disputed_by, bergen.disputed_by) == ((bergen.id,), (porto.id,))
    page = str(render_search.as_page(report).blocks)
    assert f"unconfirmed since 2026-06-02, against {bergen.id}" in page
    jsonschema.validate(render_search.as_json(report), schema("search"))


def test_the_first_that_is_not_marked_is_the_stable_value(store: api.Store) -> None:
    results = store.search(QUESTION).results
    unmarked = [hit.text for hit in results if hit.status == "current"]
    assert "Bergen" in unmarked[0]
    assert {hit.status for hit in results if "Porto" in hit.text} == {"pending"}
    assert "Porto" in results[0].text


def test_in_a_block_both_are_one_line(store: api.Store) -> None:
    report = store.context(QUESTION)
    (line,) = (one for one in report.block.splitlines() if one.startswith("- `I live in Porto.`"))
    assert "said once; unconfirmed since 2026-06-02" in line
    assert "before: `I live in Bergen.` (2 sessions; since 2026-01-05)" in line
    assert len([one for one in report.block.splitlines() if "Porto" in one and one != line]) == 0
    jsonschema.validate(render_context.as_json(report), schema("context"))
    xml = store.context(QUESTION, format="xml").block
    assert '<beside id="m1"' in xml
    assert 'sessions="2"' in xml


def test_nothing_of_it_is_told_without_its_mark(store: api.Store) -> None:
    report = store.context("Porto")
    for section in report.sections:
        for item in section.items:
            if "Porto" in item.text:
                assert item.status == "pending"
                assert item.unconfirmed_since is not None


def test_what_is_settled_is_not_in_dispute(store: api.Store) -> None:
    store.add("I moved to Porto.", session="four", said_at="2026-06-10T09:00:00Z")
    store.consolidate("profile")
    report = store.search(QUESTION, layer="derived")
    assert [(hit.text, hit.status, hit.disputed_by) for hit in report.results] == [
        ("I live in Porto.", "current", ())
    ]
    assert "unconfirmed" not in store.context(QUESTION).block


def test_what_lapsed_is_shown_if_it_is_asked_for(store: api.Store) -> None:
    store.add("I live in Bergen, you know.", session="five", said_at="2026-06-12T09:00:00Z")
    store.consolidate("profile")
    path = store.path
    with api.open_store(path, mode="write", now="2026-07-20T12:00:00Z") as later:
        later.consolidate("profile")
        texts = [hit.text for hit in later.search(QUESTION, layer="derived").results]
        assert texts == ["I live in Bergen."]
        found = later.search(QUESTION, layer="derived", include=("lapsed",)).results
        assert ("I live in Porto.", "lapsed") in [(hit.text, hit.status) for hit in found]


def test_observations_tell_their_proof_and_their_words(tmp_path: Path) -> None:
    with api.open_store(tmp_path / "o.db", mode="create", now=NOW) as opened:
        for day in ("10", "11", "12"):
            opened.add("I drink green tea.", session=day, said_at=f"2026-06-{day}T09:00:00Z")
        opened.add("I drink black coffee.", session="c", said_at="2026-06-12T09:00:00Z")
        opened.consolidate("observe")
        report = opened.search("what does the user drink", layer="derived")
        tea = next(hit for hit in report.results if "tea" in hit.text)
        assert tea.proof is not None
        assert (tea.proof.count, tea.proof.trend) == (3, "new")
        assert tea.quotes == ("I drink green tea.",)
        page = str(render_search.as_page(report).blocks)
        assert "3 records from 2026-06-10 to 2026-06-12, new" in page
        jsonschema.validate(render_search.as_json(report), schema("search"))
        shown = opened.show(tea.id)
        told = [shown.details[name] for name in ("proof", "first_said", "last_said", "trend")]
        assert told == [3, "2026-06-10", "2026-06-12", "new"]
        parts = {
            hit.text: hit.parts["proof"]
            for hit in opened.search(
                "what does the user drink", rank="hindsight", layer="derived"
            ).results
            if hit.layer == "derived"
        }
        # 1 + .1 * (.5 + ln(3) / 10 - .5)
        assert parts["I drink green tea."] == pytest.approx(1.010986, abs=1e-6)
        assert parts["I drink black coffee."] == 1.0


def test_a_newer_claim_that_waits_stands_before_the_record_of_the_stable_one(
    tmp_path: Path,
) -> None:
    """The record has more of the question's words than the newer claim, and is not the answer."""
    with api.open_store(tmp_path / "m.db", mode="create", now=NOW) as opened:
        opened.add("I work at Alm.", speaker="Nora", session="one", said_at=TALK[0][1])
        opened.add("I started at Birk.", speaker="Nora", session="two", said_at=TALK[2][1])
        opened.consolidate("profile")
        report = opened.search("where does Nora work")
        first, *rest = report.results
        assert (first.text, first.status) == ("I started at Birk.", "pending")
        record = next(hit for hit in rest if hit.layer == "raw" and "Alm" in hit.text)
        assert record.disputed_by == (first.id,)
        jsonschema.validate(render_search.as_json(report), schema("search"))
        alone = opened.search("where does Nora work", layer="raw").results
        assert (alone[0].text, alone[0].disputed_by) == ("I work at Alm.", ())
