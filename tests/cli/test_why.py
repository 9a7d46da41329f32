from tests.cli.conftest import Run
from tests.cli.fakes import FakeStore
from tests.render import samples


def test_the_tree_in_json(run: Run, store: FakeStore) -> None:
    found = run("why", "m7", "--json").json
    assert found["id"] == "m7"
    below, quoted, again, bare = found["evidence"]
    assert below["memory"] == "m3@1"
    assert below["evidence"] == [
        {
            "record": "r12",
            "quote": "I run at dawn every day",
            "start": 0,
            "end": 23,
            "verified": True,
            "said_at": samples.AT,
            "speaker": "Ada",
            "session": "s1",
            "source": "chat/a.jsonl:14",
        }
    ]
    assert (quoted["record"], quoted["verified"], quoted["speaker"]) == ("r13", False, "assistant")
    assert again == {"memory": "m3@1", "evidence": [], "seen_before": True}
    assert (bare["quote"], bare["verified"], bare["source"]) == (None, None, None)


def test_the_other_way(run: Run, store: FakeStore) -> None:
    store.answers["why"] = samples.DERIVED
    found = run("why", "r12", "--derived", "--json").json
    assert [child["id"] for child in found["derived"]] == ["m3@1"]
    assert store.asked[1] == ("why", ("r12",), {"derived": True})


def test_dot(run: Run, store: FakeStore) -> None:
    assert run("why", "m7", "--dot").out.startswith("digraph why {")
