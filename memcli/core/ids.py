"""The ids that people and programs see: `r12`, `m4`, `m4@2`, `p7`, `s3`, and drafts `new:1`."""

import re
from typing import Literal, cast

from memcli.core.values import dataclass
from memcli.errors import UsageError

Letter = Literal["r", "m", "p", "s"]
# Eighteen digits fit SQLite's 64-bit integers; more would overflow there instead of being unknown.
_PATTERN = re.compile(r"([rmps])([1-9][0-9]{0,17})(?:@([1-9][0-9]{0,17}))?")
_DRAFT = re.compile(r"new:[1-9][0-9]*")
_NAMES = {"r": "record", "m": "memory", "p": "pass", "s": "session"}


@dataclass(frozen=True, slots=True)
class Id:
    """A parsed id. `version` is given only for memories (`m4@2`)."""

    letter: Letter
    number: int
    version: int | None = None

    def __str__(self) -> str:
        at = "" if self.version is None else f"@{self.version}"
        return f"{self.letter}{self.number}{at}"

    @property
    def memory(self) -> str:
        """The id without its version: `m4@2` -> `m4`."""
        return f"{self.letter}{self.number}"


def try_parse(text: str) -> Id | None:
    """The id in `text`, or None if it has not the form of one."""
    found = _PATTERN.fullmatch(text)
    if found is None:
        return None
    letter, number, version = found.groups()
    if version is not None and letter != "m":
        return None
    return Id(cast(Letter, letter), int(number), None if version is None else int(version))


def parse(text: str, *kinds: Letter) -> Id:
    """The id in `text`; raises UsageError if it is none, or none of `kinds` (all if empty)."""
    found = try_parse(text)
    if found is None or (kinds and found.letter not in kinds):
        wanted = ", ".join(f"{letter}N ({_NAMES[letter]})" for letter in kinds or "rmps")
        raise UsageError(
            f"{text!r} is not an id that fits here.",
            where="the id given",
            hint=f"give one of the form {wanted}, without blanks",
        )
    return found


def is_draft(text: str) -> bool:
    """Whether `text` is the id of something a plan would make (`new:1`)."""
    return _DRAFT.fullmatch(text) is not None


def memory_of(ref: str) -> str:
    """`m4@2` -> `m4`; other ids come back as they are."""
    return ref.split("@", 1)[0]
