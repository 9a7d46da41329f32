"""A writer that is going to be killed: says what it has done as soon as it is done.

`python -m tests.crash_child STORE NAME TURNS` ingests, consolidates and rolls back until it dies. Each
line on standard output acknowledges something that may not be lost from then on.
"""

import itertools
import sys
from contextlib import suppress
from pathlib import Path

from memcli.api import open_store
from memcli.errors import MovedError, RefusedError

_TOPICS = ("camping by the lake", "practising the piano", "soup for the neighbours")


def transcript(folder: Path, name: str, nth: int, turns: int) -> Path:
    """A conversation of twice as many turns that no other call makes."""
    path = folder / f"{name}-{nth}.txt"
    lines = []
    for turn in range(turns):
        day = f"{name} {nth} {turn}"
        lines.append(f"Ada: I like {_TOPICS[turn % 3]}, I said so on day {day}.")
        lines.append(f"Tom: And I plan {_TOPICS[(turn + 1) % 3]} for day {day}.")
    path.write_text("\n".join(lines))
    return path


def main(store: str, name: str, turns: str) -> None:
    folder = Path(store).parent
    for nth in itertools.count():
        with open_store(store, mode="create") as opened:
            report = opened.ingest([str(transcript(folder, name, nth, int(turns)))])
            print("ingest", report.pass_id, report.first_record, report.last_record, flush=True)
        # Another writer may be in the way of a pass: then it says so, and nothing was written.
        with open_store(store, mode="write") as opened, suppress(MovedError, RefusedError):
            done = opened.consolidate("reflect")
            print("pass", done.pass_id, flush=True)
            if done.pass_id is not None:
                back = opened.rollback(done.pass_id)
                print("pass", back.pass_id, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
