"""Small inputs for the tests of readers, and what to ask of the units that come out."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from memcli.core.found import Bad, Found, Skipped, Unit
from memcli.ports import ReadOptions
from memcli.registry import get_reader

COUNTED = ("utterance", "tool_result", "fact")


class Bytes:
    """A source in memory that gives its bytes in pieces of `step`, whatever is asked for."""

    def __init__(self, data: bytes, path: str = "sample", step: int = 65536) -> None:
        self.path, self.data, self.step = path, data, step
        self.size: int | None = len(data)
        self.inside = False

    def chunks(self, size: int = 65536) -> Iterator[bytes]:
        for start in range(0, len(self.data), self.step):
            yield self.data[start : start + self.step]

    def head(self, size: int = 65536) -> bytes:
        return self.data[:size]


def as_json(value: Any) -> bytes:
    return json.dumps(value).encode()


def as_lines(*values: Any) -> bytes:
    return b"".join(as_json(value) + b"\n" for value in values)


def layouts(values: list[Any]) -> dict[str, bytes]:
    """The conversations of an export in all the ways in which they are laid out."""
    return {
        "array": as_json(values),
        "indented": json.dumps(values, indent=1).encode(),
        "wrapper": as_json({"user": "x", "conversations": values, "count": 2}),
        "wrapper indented": json.dumps({"conversations": values}, indent=2).encode(),
        "lines": as_lines(*values),
        "BOM and CRLF": b"\xef\xbb\xbf" + as_lines(*values).replace(b"\n", b"\r\n"),
        "UTF-16": json.dumps(values).encode("utf-16"),
    }


def read(name: str, data: bytes, path: str = "sample", **options: Any) -> list[Unit]:
    reader = get_reader(name)
    return list(reader.read(Bytes(data, path), ReadOptions(**options)))


def sniff(name: str, data: bytes) -> float:
    return get_reader(name).sniff(Bytes(data)).score


def founds(units: Iterable[Unit]) -> list[Found]:
    return [unit for unit in units if isinstance(unit, Found)]


def counted(units: Iterable[Unit]) -> list[Found]:
    """What the manifest counts: no thoughts, no attachments."""
    return [unit for unit in founds(units) if unit.kind in COUNTED]


def texts(units: Iterable[Unit]) -> list[str]:
    return [unit.text for unit in counted(units)]


def ids(units: Iterable[Unit]) -> list[str]:
    return [unit.identity for unit in founds(units)]


def skipped(units: Iterable[Unit]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for unit in units:
        if isinstance(unit, Skipped) and unit.count:
            counts[unit.reason] += unit.count
    return dict(counts)


def bads(units: Iterable[Unit]) -> list[Bad]:
    return [unit for unit in units if isinstance(unit, Bad)]


def claude(
    uuid: str | None, parent: str | None, content: Any, kind: str = "user", **more: Any
) -> dict[str, Any]:
    """A line of a Claude Code session; `more` overrides fields, and `message` adds to the message."""
    message = {"role": kind, "content": content, **more.pop("message", {})}
    return {
        "parentUuid": parent,
        "isSidechain": False,
        "cwd": "/home/ida/kiln",
        "sessionId": "s-1",
        "type": kind,
        "message": message,
        "uuid": uuid,
        "timestamp": "2026-05-04T10:00:00.000Z",
        **more,
    }


def call(ident: str, name: str = "Bash", **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": ident, "name": name, "input": arguments}


def result(ident: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": ident, "content": content, **more}
