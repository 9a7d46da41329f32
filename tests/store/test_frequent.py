"""Candidates by words that stand in very many texts: the same scores, found by the rarer words."""

import contextlib
import random
from collections.abc import Iterator

import pytest

from memcli.core.records import Scope
from memcli.store import frequent, texts
from memcli.store.driver import sqlite3
from memcli.store.texts import Among

_COMMON, _MIDDLE, _RARE = "day", "garden", "trombone"


@pytest.fixture
def index() -> Iterator["sqlite3.Connection"]:
    """400 texts: `day` in two of three, `garden` in one of seven, `trombone` in five."""
    with contextlib.closing(sqlite3.connect(":memory:")) as made:
        made.execute("CREATE TABLE record (item INTEGER PRIMARY KEY, user, agent, project)")
        made.execute("CREATE TABLE version (item INTEGER PRIMARY KEY, user, agent, project)")
        made.execute("CREATE VIRTUAL TABLE fts USING fts5 (text, tokenize='porter unicode61')")
        draw = random.Random(3)
        for nth in range(1, 401):
            said = draw.choices(["apples", "bread", "cars", "days" if nth % 3 else "dust"], k=6)
            said += [_COMMON] * bool(nth % 3)
            said += [_MIDDLE] * (nth % 7 == 0)
            said += [_RARE] * (1 + nth % 2) * (nth % 80 == 1)
            made.execute("INSERT INTO fts (rowid, text) VALUES (?, ?)", (nth, " ".join(said)))
            made.execute("INSERT INTO record VALUES (?, ?, '', '')", (nth, f"u{nth % 2}"))
        yield made


WORDS = [_COMMON, _RARE, _MIDDLE, "absent"]


def found(
    index: "sqlite3.Connection", most: int, limit: int = 400, among: Among = Among()
) -> dict[int, float]:
    return dict(frequent.candidates(index, WORDS, limit, among, most))


def test_all_that_match_while_they_are_few(index: "sqlite3.Connection") -> None:
    assert found(index, 400) == dict(texts.candidates(index, WORDS, 400, Among()))


@pytest.mark.parametrize(("most", "holding"), [(100, (_RARE, _MIDDLE)), (20, (_RARE,))])
def test_those_with_a_rarer_word_have_the_score_of_all_words(
    index: "sqlite3.Connection", most: int, holding: tuple[str, ...]
) -> None:
    every = dict(texts.candidates(index, WORDS, 400, Among()))
    held = {item for word in holding for item, _ in texts.candidates(index, [word], 400, Among())}
    assert len(held) < len(every)
    assert found(index, most) == pytest.approx({item: every[item] for item in held}, abs=2e-6)


def test_the_best_first_and_no_more_than_are_wanted(index: "sqlite3.Connection") -> None:
    best = frequent.candidates(index, WORDS, 12, Among(), 100)
    assert len(best) == 12
    assert best == sorted(best, key=lambda pair: (-pair[1], pair[0]))
    every = texts.candidates(index, WORDS, 5, Among())
    assert {item for item, _ in best[:5]} == {item for item, _ in every}


def test_one_word_at_least_although_it_is_frequent(index: "sqlite3.Connection") -> None:
    assert set(found(index, 1)) == {1, 81, 161, 241, 321}
    alone = frequent.candidates(index, [_COMMON], 400, Among(), 40)
    assert alone == texts.candidates(index, [_COMMON], 400, Among())


def test_of_a_very_frequent_word_the_newest(index: "sqlite3.Connection") -> None:
    every = dict(texts.candidates(index, [_COMMON], 400, Among()))
    newest = sorted(every)[-10:]
    alone = dict(frequent.candidates(index, [_COMMON], 400, Among(), 1))
    assert alone == pytest.approx({item: every[item] for item in newest}, abs=2e-6)
    scope = Among(scope=Scope(user="u1"))
    odd = [item for item in sorted(every) if item % 2][-10:]
    assert sorted(dict(frequent.candidates(index, [_COMMON], 400, scope, 1))) == odd


def test_only_what_is_searched(index: "sqlite3.Connection") -> None:
    within = found(index, 100, among=Among(scope=Scope(user="u1")))
    assert within
    assert within == {item: score for item, score in found(index, 100).items() if item % 2}
    assert found(index, 100, among=Among("derived")) == {}


def test_a_damaged_index(index: "sqlite3.Connection") -> None:
    index.execute("DROP TABLE fts")
    with pytest.raises(texts.UnusableIndexError):
        found(index, 100)
