"""The words for roles that sources use, and ours."""

from collections.abc import Iterable, Mapping
from typing import cast

from memcli.core.records import ROLES, Role
from memcli.kit.normalise import text_of

_WORDS: dict[str, Role] = {
    "developer": "system",
    "function": "tool",
    "observation": "tool",
    "human": "user",
    "ai": "assistant",
    "bot": "assistant",
    "chatbot": "assistant",
    "gpt": "assistant",
    "chatgpt": "assistant",
    "claude": "assistant",
    "gemini": "assistant",
    "model": "assistant",
}
# Words for those who serve; what they mean is only ever proposed.
_SERVING = frozenset(
    ("agent", "support", "staff", "operator", "rep", "representative", "advisor", "admin")
)
_SHOWN = 40  # characters of a role that nobody knows
_OWN = frozenset(role for role in ROLES if role != "memory")


def role_of(word: object, given: Mapping[str, str] | None = None) -> Role | None:
    """Our role for a source's word, case-insensitive; None if nobody knows it.

    `given` is the map of `--role`, which goes first.
    """
    name = text_of(word).casefold()
    for key, value in (given or {}).items():
        if key.strip().casefold() == name:
            name = value.strip().casefold()
            break
    if name in _OWN:
        return cast(Role, name)
    return _WORDS.get(name)


def unknown_role(word: object) -> str:
    """Why a message whose role nobody knows is bad."""
    shown = repr(word)
    if len(shown) > _SHOWN:
        shown = shown[:_SHOWN] + "..."
    return f"the role {shown} is not known; map it with --role"


def proposed(words: Iterable[str]) -> list[str]:
    """Options that say what role words mean, a guess each, for a user to look through."""
    pairs = [f"{word}={'assistant' if word.casefold() in _SERVING else 'user'}" for word in words]
    return [part for pair in pairs for part in ("--role", pair)]
