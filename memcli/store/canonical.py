"""Canonical JSON, commitments and the numbers in an operation's skeleton."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from memcli.store.driver import sqlite3

SALT_BYTES = 16
_LONGEST_RANGE = 1 << 24


# Made once: json.dumps makes an encoder for each call that has options.
_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


def canonical(value: Any) -> str:
    """JSON with sorted keys and no blanks: the same text for the same value, always."""
    return _encode(value)


def parse(text: str) -> Any:
    """The value of JSON that lies in a store; raises the driver's error if it is damaged."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise sqlite3.DatabaseError(f"malformed JSON in a row: {error}") from error


def sha256(*parts: bytes) -> bytes:
    """The hash of the parts in a row, 32 bytes."""
    import hashlib  # 3 ms, which a command that only reads is spared

    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest.digest()


def commit(salt: bytes, content: str) -> bytes:
    """The commitment to `content`: without the salt nobody can test a guess against it."""
    return sha256(salt, content.encode())


def to_ranges(numbers: Iterable[int]) -> list[list[int]]:
    """`[5, 3, 4, 9]` -> `[[3, 5], [9, 9]]`: how skeletons hold the numbers of rows."""
    ranges: list[list[int]] = []
    for number in sorted(set(numbers)):
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ranges


def from_ranges(ranges: Sequence[Sequence[int]]) -> Iterator[int]:
    """The numbers that `ranges` stand for, in order.

    Raises ValueError for a range longer than any operation: a forged one could not be walked.
    """
    for low, high in ranges:
        if high - low > _LONGEST_RANGE:
            raise ValueError(f"no operation has the rows {low} to {high}")
        yield from range(low, high + 1)
