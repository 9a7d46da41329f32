"""Candidates by words that stand in very many texts: the same scores, found by the rarer words."""

import contextlib
import random
from collections.abc import Iterable, Iterator, Sequence

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
    index: "sqlite3.Connection",
    most: int,
    limit: int = 400,
    among: Among = Among(),
    words: Sequence[str] = WORDS,
    *,
    whole: bool = False,
) -> dict[int, float]:
    return dict(frequent.candidates(index, words, limit, among, most, whole=whole))


def every(
    index: "sqlite3.Connection", words: Sequence[str] = WORDS, among: Among = Among()
) -> dict[int, float]:
    return dict(texts.candidates(index, words, 400, among))


def best(scores: dict[int, float], held: Iterable[int], limit: int) -> list[float]:
    return sorted((scores[item] for item in held), reverse=True)[:limit]


def test_all_that_match_while_they_are_few(index: "sqlite3.Connection") -> None:
    assert found(index, 400) == every(index)


@pytest.mark.parametrize(
    ("most", "limit", "holding"),
    [
        (100, 30, (_RARE, _MIDDLE)),
        (20, 3, (_RARE,)),
        # The rarest alone would be fewer than are wanted.
        (20, 30, (_RARE, _MIDDLE)),
    ],
)
def test_those_with_a_rarer_word_have_the_score_of_all_words(
    index: "sqlite3.Connection", most: int, limit: int, holding: tuple[str, ...]
) -> None:
    scores = every(index)
    held = {item for word in holding for item in every(index, [word])}
    assert limit <= len(held) < len(scores)
    chosen = found(index, most, limit)
    assert chosen == pytest.approx({item: scores[item] for item in chosen}, abs=2e-6)
    assert list(chosen.values()) == pytest.approx(best(scores, held, limit), abs=2e-6)


def test_never_a_small_part_of_what_is_wanted_if_there_is_more(
    index: "sqlite3.Connection",
) -> None:
    there = len(every(index))
    for limit in (1, 5, 6, 50, 100, 200, 800, 1600):
        count = len(found(index, 1, limit, whole=True))
        assert min(there, max(1, limit // frequent.PART)) <= count <= limit


def test_of_very_many_the_newest_unless_it_is_about_older_times(
    index: "sqlite3.Connection",
) -> None:
    scores = every(index, [_COMMON])
    newest = sorted(scores)[-10:]
    chosen = found(index, 1, words=[_COMMON])
    assert chosen == pytest.approx({item: scores[item] for item in newest}, abs=2e-6)
    assert found(index, 1, words=[_COMMON], whole=True) == scores
    odd = [item for item in sorted(scores) if item % 2][-10:]
    scope = Among(scope=Scope(user="u1"))
    assert sorted(found(index, 1, among=scope, words=[_COMMON])) == odd


def test_rarer_is_what_is_rarer_in_what_is_searched(index: "sqlite3.Connection") -> None:
    index.execute("INSERT INTO fts (rowid, text) VALUES (1000, 'zither')")
    index.execute("INSERT INTO record VALUES (1000, 'u7', '', '')")
    scope = Among(scope=Scope(user="u1"))
    words = ["zither", _COMMON, _MIDDLE]
    chosen = found(index, 20, 10, scope, words)
    assert len(chosen) == 10
    assert set(chosen) <= set(every(index, words, scope))
    assert found(index, 100, among=Among("derived")) == {}


def test_a_damaged_index(index: "sqlite3.Connection") -> None:
    index.execute("DROP TABLE fts")
    with pytest.raises(texts.UnusableIndexError):
        found(index, 100)
