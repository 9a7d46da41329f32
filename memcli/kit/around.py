"""What was said around the records that a task is asked about, only to understand them."""

from collections.abc import Sequence

from memcli.core.records import Record
from memcli.kit.selection import SELECTED
from memcli.ports import View

BEFORE = 3  # records before the first one of a session


def around(view: View, asked: Sequence[Record]) -> list[Record]:
    """The records between those asked about, and just before them, session by session.

    What a verdict took out is not shown.
    """
    ids = {record.id for record in asked}
    found: list[Record] = []
    for session in dict.fromkeys(record.session for record in asked):
        seqs = [record.seq for record in asked if record.session == session]
        said = [
            record
            for record in view.records(kinds=SELECTED, session=session)
            if record.text.strip() and record.status not in ("faded", "rejected")
        ]
        said.sort(key=lambda record: record.seq)
        before = [record for record in said if record.seq < min(seqs)][-BEFORE:]
        between = [record for record in said if min(seqs) < record.seq < max(seqs)]
        found += [one for one in (*before, *between) if one.id not in ids]
    return found
