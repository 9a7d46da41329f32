from tests.cli.conftest import Run
from tests.cli.fakes import FakeStore


def test_the_list_and_one(run: Run, store: FakeStore) -> None:
    assert "mem strategies NAME" in run("strategies").out
    assert "without a model" in run("strategies", "reflect").out
    assert [call[1] for call in store.asked] == [(None,), ("reflect",)]


def test_json(run: Run, store: FakeStore) -> None:
    (found,) = run("strategies", "reflect", "--json").json["strategies"]
    assert found["parameters"] == {
        "recent": 100, "kinds": ["a", "b"], "strict": False, "limit": None,
    }  # fmt: skip
