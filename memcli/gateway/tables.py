"""Tables of `mem.toml`, read with care: only what is known, of the right kind, and never a key."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from memcli.errors import UsageError
from memcli.kit.secrets import mask

_LONGEST = 300  # characters of a name or an address
# Whole names of keys, and pieces of longer ones: aws_secret_access_key, azure_ad_token, ...
_SECRETS = frozenset({"key", "token", "headers", "auth"})
_SECRET_PARTS = ("api_key", "apikey", "secret", "password", "passwd", "credential", "authorization")
_SECRET_ENDS = ("_token", "_headers", "_auth", "_key", "access_key_id")
_NO_SECRETS = frozenset({"api_key_env"})


def number(value: Any, kind: type, least: float, most: float, place: str, where: str) -> Any:
    """`value`, if it is a number of this kind (int, float) in this range; else a UsageError."""
    fits = isinstance(value, int if kind is int else int | float) and not isinstance(value, bool)
    # Compared as it is: a whole number may be larger than any float. NaN is in no range.
    if not fits or not least <= value <= most:
        word = "a whole number" if kind is int else "a number"
        raise bad(f"{place} is not {word} from {least:g} to {most:g}", where)
    return value


def only(table: Mapping[str, Any], known: tuple[str, ...], place: str, where: str) -> None:
    """Raise UsageError for a key that is not `known`, or that holds a secret."""
    no_secrets(table, place, where)
    for key in table:
        if key not in known:
            raise bad(f"{place} has no {key!r}; it has {', '.join(known)}", where)


def no_secrets(table: Mapping[str, Any], place: str, where: str) -> None:
    """Raise UsageError for a key of a provider: these stand in the environment alone."""
    for key in table:
        if is_secret(key):
            raise secret(key, place, where)


def is_secret(key: str) -> bool:
    """Whether a setting of this name holds a key of a provider."""
    bare = key.lower().replace("-", "_")
    return bare not in _NO_SECRETS and (
        bare in _SECRETS
        or any(part in bare for part in _SECRET_PARTS)
        or bare.endswith(_SECRET_ENDS)
    )


def secret(key: str, place: str, where: str) -> UsageError:
    """What to raise for a key of a provider in a file."""
    return UsageError(
        f"{place} holds {key!r}: a key never stands in a file.",
        where=where,
        hint='put it into an environment variable, and name that: api_key_env = "MY_KEY"',
    )


def text(value: Any, place: str, where: str) -> str:
    """`value` without white space around, if it is a text of one line without a key in it."""
    if not isinstance(value, str) or not value.strip():
        raise bad(f"{place} is not a text", where)
    found = value.strip()
    if len(found) > _LONGEST or not found.isprintable():
        raise bad(f"{place} is longer than {_LONGEST} characters, or no line of text", where)
    if mask(found)[0] != found:
        raise secret(place.rpartition(" ")[2], place, where)
    return found


def address(value: Any, place: str, where: str) -> str:
    """`value`, if it is the address of a server: http or https, without a password in it."""
    found = text(value, place, where)
    try:
        parts = urlsplit(found)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        fits = False
    if not fits:
        raise bad(f"{place} is not an address such as http://127.0.0.1:8080/v1", where)
    if parts.username or parts.password:
        raise secret("a password", place, where)
    for name, _ in parse_qsl(parts.query, keep_blank_values=True):
        if is_secret(name):
            raise secret(name, place, where)
    return found


def bad(why: str, where: str) -> UsageError:
    """What to raise for settings that cannot be used."""
    return UsageError(
        f"The settings cannot be used: {why}.", where=where, hint="correct the file, or move it"
    )
