"""Build the sample stores from the transcripts beside this file.

    python sample_stores/build.py [FOLDER]

Writes home.db, work.db, digests.json and recorded.jsonl into FOLDER, by default this one. The digests `records`
and `memories` are the same at every run and on every platform. The files themselves are not: each
store has a name and salts of its own.
"""

import argparse
import contextlib
import importlib.util
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memcli.api import Store, init_store, open_store

HERE = Path(__file__).resolve().parent


def build(folder: Path) -> dict[str, dict[str, str]]:
    """Make the stores in `folder`, replacing those that are there; gives their digests."""
    folder = folder.resolve()
    digests = {}
    # Sources are named relative to this folder, so that no path of the builder's is stored.
    with _working_in(HERE):
        for name, story in (("home", _home), ("work", _work)):
            with tempfile.TemporaryDirectory(dir=folder) as workshop:
                made = Path(workshop, f"{name}.db")
                story(made)
                with open_store(made) as store:
                    found = store.digest()
                os.replace(made, folder / made.name)
            digests[name] = {"records": found.records, "memories": found.memories}
        (folder / "recorded.jsonl").write_text(_recorded(folder), encoding="utf-8", newline="\n")
    text = json.dumps(digests, indent=2) + "\n"
    (folder / "digests.json").write_text(text, encoding="utf-8")
    return digests


@contextlib.contextmanager
def _working_in(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _home(path: Path) -> None:
    """Half a year of letters, consolidated twice; one verdict, and one memory taken back."""
    with _at(path, "2026-07-01T08:00:00Z") as store:
        store.ingest(["transcripts/home"])
    with _at(path, "2026-07-01T08:05:00Z") as store:
        store.consolidate("reflect", params={"questions": "6"})
    with _at(path, "2026-07-01T08:20:00Z") as store:
        store.rate(_theme(store, "hazelnuts"), {"importance": "9", "pinned": "true"})
    with _at(path, "2026-07-11T19:30:00Z") as store:
        store.add(
            "I went swimming in the lake, a whole kilometre without a break, in nineteen degrees.",
            speaker="Runa",
            session="lake",
        )
    with _at(path, "2026-07-11T19:31:00Z") as store:
        store.consolidate("reflect", params={"questions": "6"})
    with _at(path, "2026-07-12T09:00:00Z") as store:
        store.rollback(_theme(store, "seat"))


def _work(path: Path) -> None:
    """What a developer and two agents said about a reader of tide gauges; not consolidated."""
    with _at(path, "2026-07-01T09:00:00Z") as store:
        store.ingest(["transcripts/work"])


def _recorded(folder: Path) -> str:
    """The calls of a pass of `reflect` over the letters, answered by hand."""
    from memcli.api.desks import desk_of
    from memcli.engine import run
    from memcli.engine.embedding import embedding
    from memcli.gateway.context import RunContext
    from memcli.gateway.model import ModelBackend
    from memcli.gateway.settings import Models, ModelSettings
    from memcli.registry import get_strategy

    hand = _beside("by_hand")
    now = "2026-07-01T08:05:00.000Z"
    with tempfile.TemporaryDirectory(dir=folder) as workshop:
        path = Path(workshop, "home.db")
        with _at(path, "2026-07-01T08:00:00Z") as store:
            store.ingest(["transcripts/home"])
        with open_store(path, mode="write", now=now) as store, contextlib.ExitStack() as desks:
            desk = desks.enter_context(desk_of(store))
            model = ModelBackend(
                Models(ModelSettings(hand.MODEL, concurrency=1)), desk.log, hand.ByHand
            )
            found = get_strategy("reflect")
            run.run_pass(
                desk.connection,
                run.Request(found, found.params(), now=now, model=hand.MODEL),
                RunContext(now=now, backend=model, embedder=desk.embedder),
                embedding(desk.connection, desk.embedder),
            )
            return "".join(store.exported_calls())


def _beside(name: str) -> Any:
    """A module that lies beside this file, however this one was loaded."""
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _at(path: Path, now: str) -> Store:
    if not path.exists():
        # The one embedder that is everywhere, and the same everywhere.
        init_store(path, embedder="hash-1024")
    return open_store(path, mode="create", now=now)


def _theme(store: Store, word: str) -> str:
    """The id of the theme whose text has `word`."""
    (found,) = (
        change.memory
        for change in store.diff("p0").changes
        if change.kind == "theme" and change.change == "added" and word in (change.after or "")
    )
    return found


def main() -> None:
    """Build, and say what was built."""
    parser = argparse.ArgumentParser(description="Build the sample stores from the transcripts.")
    parser.add_argument("folder", nargs="?", type=Path, default=HERE)
    folder: Path = parser.parse_args().folder
    for name, digests in build(folder).items():
        size = (folder / f"{name}.db").stat().st_size
        print(f"{name}.db  {size:,} bytes  memories {digests['memories'][:12]}")


if __name__ == "__main__":
    main()
