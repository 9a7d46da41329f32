"""Fields of a suite or benchmark file, read with care: what, where, what to do about it."""

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from memcli.core.found import Found
from memcli.core.records import ROLES, Role
from memcli.errors import InputError
from memcli.kit import attach
from memcli.kit.normalise import name_of, normalise
from memcli.kit.times import to_utc

HINT = "docs/probes.md shows the form of own suites, docs/evaluation.md names those of others"


def bad(what: str, where: str, hint: str = HINT) -> NoReturn:
    """Raise InputError."""
    raise InputError(what, where=where, hint=hint)


def table(value: Any, where: str) -> Mapping[str, Any]:
    """An object."""
    return value if isinstance(value, dict) else bad("This is no object.", where)


def rows(value: Any, where: str) -> Sequence[Any]:
    """A list."""
    return value if isinstance(value, list) else bad("This is no list.", where)


def text(given: Mapping[str, Any], key: str, where: str, *, default: str | None = None) -> str:
    """A text that is not empty; numbers are taken as they are written."""
    value = given.get(key)
    if value is None and default is not None:
        return default
    found = plain(value)
    return found if found else bad(f"{key!r} is missing, or no text.", where)


def plain(value: Any) -> str:
    """A text or number as text; the empty text for all else."""
    if isinstance(value, str):
        return normalise(value)
    return "" if isinstance(value, bool) or not isinstance(value, int | float) else str(value)


def texts(value: Any, where: str) -> tuple[str, ...]:
    """A text, or a list of them; nothing for null."""
    if value is None:
        return ()
    found = [plain(one) for one in (value if isinstance(value, list) else [value])]
    return tuple(found) if all(found) else bad("This is no text, and no list of texts.", where)


def moment(value: Any, where: str) -> str | None:
    """An ISO time, or null."""
    if value is None or value == "":
        return None
    found, _ = to_utc(value)
    return found or bad(f"{str(value)[:60]!r} is no time, such as 2026-03-01T09:30:00Z.", where)


def record(
    *,
    world: str,
    session: str,
    ref: str,
    role: Any,
    words: str,
    said_at: str | None,
    where: str,
    speaker: Any = None,
    captions: Sequence[str] = (),
) -> list[Found]:
    """A record of a world, and one for each caption of what is attached to it."""
    known: Role | None = next((one for one in ROLES if one == role), None)
    if known is None:
        bad(f"There is no role {role!r}.", where, hint="use one of " + ", ".join(ROLES))
    identity = f"{world}/{ref}"
    images = [attach.reference("image") for _ in captions]

    def found(kind: Any, identity: str, words: str, about: dict[str, Any]) -> Found:
        return Found(
            identity,
            f"{world}/{session}",
            kind,
            known,
            words,
            speaker=name_of(speaker),
            said_at=said_at,
            time_source="none" if said_at is None else "exact",
            attributes=about,
        )

    out = [found("utterance", identity, words, {"attachments": images} if images else {})]
    for nth, caption in enumerate(captions):
        about: dict[str, Any] = {"of": identity, "attachments": [images[nth]]}
        out.append(found("attachment", f"{identity}:attachment:{nth + 1}", caption, about))
    return out
