"""A scope that is not in the store is told of, with those that are; a question needs words."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from memcli.api import Store, open_store
from memcli.core.records import Scope
from memcli.errors import UsageError

NOW = "2026-05-01T12:00:00Z"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "m.db", mode="create", now=NOW) as opened:
        for name in ("ada", "ben"):
            opened.add("I live in Porto.", scope=Scope(user=name, project="kiln"))
        yield opened


TOLD = (
    "nothing in this store has the scope user=Ada; there are user=ada, project=kiln and"
    " user=ben, project=kiln"
)


def test_search_context_and_consolidate_say_which_scopes_there_are(store: Store) -> None:
    wrong = Scope(user="Ada")
    assert TOLD in store.search("Porto", scope=wrong).warnings
    assert TOLD in store.context("Porto", scope=wrong).warnings
    assert TOLD in store.consolidate("reconcile", scope=wrong).warnings
    assert TOLD in store.consolidate("reconcile", scope=wrong, if_due=True).warnings


@pytest.mark.parametrize("scope", [Scope(user="ada"), Scope(project="kiln")])
def test_a_scope_that_is_there_is_not_told_of(store: Store, scope: Scope) -> None:
    told = [
        *store.search("nothing of the kind", scope=scope).warnings,
        *store.context("nothing of the kind", scope=scope).warnings,
        *store.consolidate("reconcile", scope=scope).warnings,
    ]
    assert not [warning for warning in told if "scope" in warning]


def test_of_many_scopes_five_are_named_and_of_an_empty_store_none(
    store: Store, tmp_path: Path
) -> None:
    for number in range(6):
        store.add("I live in Porto.", scope=Scope(agent=f"bot{number}"))
    (told,) = [w for w in store.search("x", scope=Scope(user="eve")).warnings if "scope" in w]
    assert told.endswith(
        "there are agent=bot0, agent=bot1, agent=bot2, agent=bot3, agent=bot4 and 3 more"
    )
    with open_store(tmp_path / "empty.db", mode="create", now=NOW) as other:
        other.add("Hello there.")
        (told,) = other.search("x", scope=Scope(user="eve")).warnings
        assert told == "nothing in this store has the scope user=eve; nor has it another"


@pytest.mark.parametrize("query", ["", " \n\t"])
def test_a_question_without_words_is_refused(store: Store, query: str) -> None:
    with pytest.raises(UsageError, match="no question"):
        store.search(query)
    with pytest.raises(UsageError, match="no question"):
        store.context(query)
