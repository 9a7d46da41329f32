"""A person's verdict in words, as the value that is stored."""

import re

from memcli.core.memories import STATUSES
from memcli.errors import UsageError

_RATING = re.compile("0*([1-9]|10)")


def typed_value(name: str, text: str) -> int | str | bool:
    """The value of `name=text`; raises UsageError for an unknown name or a value out of range."""
    if name == "importance" and _RATING.fullmatch(text):
        return int(text[-2:])
    if name == "pinned" and text.lower() in ("true", "false"):
        return text.lower() == "true"
    if name == "status" and text in STATUSES:
        return text
    raise UsageError(
        f"{name}={text} is no verdict.",
        where="mem rate",
        hint="importance=1..10, pinned=true|false, status=" + "|".join(STATUSES),
    )
