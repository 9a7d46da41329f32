"""Candidates by words where these stand in very many texts: the rarer ones find, all of them rank.

bm25() is reckoned for each text that matches, so a question with words such as "new" and "day" takes
as long as the store is large. A text that holds none of its rarer words stands low anyway; so only
texts with one of these are ranked, as long as they are not too few. FTS5 knows no word that may be missing but counts if it is there.
What it counts are the phrases of an expression, each time that they stand in it: the score of `(few)
AND (all)` is that of `all` and once more that of `few`, which is taken off again.

Where even so very many texts match, the newest of these are ranked, unless it is about older times.
"""

import json
from collections.abc import Sequence

from memcli.store import texts
from memcli.store.driver import sqlite3
from memcli.store.texts import Among, asking, match_expression

# What stands high because of its rarer words alone takes places until these are taken off: so many
# times as many are read as are wanted.
_READ = 1.5
# Of what is wanted at least this part is found, if there is as much: what stands in the first places is.
PART = 4
# Of texts that hold one of the words chosen so many times `most` are ranked; how often a word stands
# is counted up to so many times that, and words that stand in more still are alike.
_RANKED, _COUNTED = 10, 100


def candidates(
    connection: "sqlite3.Connection",
    words: Sequence[str],
    limit: int,
    among: Among,
    most: int,
    *,
    whole: bool = False,
) -> list[tuple[int, float]]:
    """(item, score) as of texts.candidates, the same score of each; but where the words stand in more
    than `most` texts together, only of texts that hold one of the rarer words; and where ten times as
    many hold one of these, of the last so many that were stored, unless `whole`.

    Raises UnusableIndexError.
    """
    few, count = _rarer(connection, words, most, limit // PART, among)
    cut = count > most * _RANKED and not whole
    if len(few) == len(words) and not cut:
        return texts.candidates(connection, words, limit, among)
    where, values = among.clause("fts.rowid")
    rarer, every = match_expression(few), match_expression(words)
    since = 0
    if cut:
        since = texts.before_newest(connection, rarer, most * _RANKED, among)
    with asking():
        found = connection.execute(
            "SELECT rowid, -bm25(fts) AS score FROM fts WHERE fts MATCH :both"
            f" AND rowid > :since AND {where} ORDER BY score DESC, rowid LIMIT :read",
            {
                "both": f"({rarer}) AND ({every})",
                "since": since,
                "read": int(limit * _READ),
                **values,
            },
        ).fetchall()
        # Without the sign SQLite would look up one text after the other, each with the whole question.
        twice = connection.execute(
            "SELECT rowid, -bm25(fts) FROM fts WHERE fts MATCH :rarer AND rowid >= :first"
            " AND +rowid IN (SELECT value FROM json_each(:items))",
            {
                "rarer": rarer,
                "first": min((item for item, _ in found), default=0),
                "items": json.dumps([item for item, _ in found]),
            },
        )
        once = dict(twice.fetchall())
    scored = [(item, round(score - once[item], 6)) for item, score in found if item in once]
    return sorted(scored, key=lambda pair: (-pair[1], pair[0]))[:limit]


def _rarer(
    connection: "sqlite3.Connection", words: Sequence[str], most: int, least: int, among: Among
) -> tuple[list[str], int]:
    """The rarest words that stand in no more than `most` texts together, but so many words that they
    stand in `least`; and in how many they do. All, in the order given, where that is true of all."""
    # No farther than decides: to count a word that stands in half of a large store takes long.
    bound = most
    frequency = texts.frequencies(connection, words, bound + 1, among)
    if (total := sum(frequency[word] for word in words)) <= most:
        return list(words), total
    # A word that stands nowhere finds nothing, and does not make the next one rarer.
    rest = [word for word, count in frequency.items() if count]
    few: list[str] = []
    total = 0
    while rest:
        rest.sort(key=lambda word: (frequency[word], word))
        rarest = frequency[rest[0]]
        if few and total >= least and total + rarest > most:
            break
        if rarest > bound and bound < most * _COUNTED:
            bound *= _RANKED
            frequency = texts.frequencies(connection, rest, bound + 1, among)
            continue
        few.append(rest.pop(0))
        total += rarest
    return few, total
