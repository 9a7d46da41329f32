"""The JSON object in a model's reply, where there is exactly one (C11: nothing is guessed).

Models wrap it: a reasoning prefix, a code fence, a sentence before or after. All of that may go.
What is cut off, doubled or ambiguous is no answer.
"""

import re
from typing import Any

from memcli.core.calls import CallReply
from memcli.kit.jsonio import BadJsonError, decode_at

MAX_CHARS = 1_000_000
_MOST = 50  # objects
# How an object, or a list of objects, begins; a brace or bracket before anything else is prose.
_START = re.compile(r"\{(?=\s*[\"'}])|\[(?=\s*[{\[])")
_THOUGHT = re.compile(r"\A\s*<(think|thinking|reasoning|thought)>.*?</\1>", re.DOTALL)
_OPEN_THOUGHT = re.compile(r"\A\s*<(think|thinking|reasoning|thought)>")
_UNSTORABLE = re.compile("[\ud800-\udfff\0]")
_WITHHELD = ("content_filter", "refusal", "safety")


def answer_in(reply: CallReply) -> dict[str, Any]:
    """The JSON object of a whole reply; raises ValueError, in one line that a repair can quote."""
    if is_cut(reply):
        raise ValueError("the reply was cut off at its maximum length (max_tokens)")
    if reply.finish in _WITHHELD:
        raise ValueError(f"the reply was withheld ({reply.finish})")
    return object_in(reply.text)


def is_cut(reply: CallReply) -> bool:
    """Whether a reply ended because it was as long as it may be."""
    return reply.finish in ("length", "max_tokens")


def object_in(text: str) -> dict[str, Any]:
    """The one JSON object in `text`; raises ValueError if there is none, or more than one."""
    if len(text) > MAX_CHARS:
        raise ValueError(f"the reply has more than {MAX_CHARS:,} characters")
    said = _THOUGHT.sub("", text, count=1)
    if _OPEN_THOUGHT.match(said):
        raise ValueError("the reply ends within its reasoning")
    if not said.strip():
        raise ValueError("the reply is empty")
    found = _objects(said)
    if not found:
        raise ValueError("the reply holds no JSON object")
    if any(other != found[0] for other in found[1:]):
        raise ValueError(f"the reply holds {len(found)} different JSON objects instead of one")
    _must_be_storable(found[0])
    return found[0]


def _must_be_storable(value: dict[str, Any]) -> None:
    """Escapes can spell what no text may hold: halves of characters, and the NUL."""
    inner: list[Any] = [value]
    while inner:
        one = inner.pop()
        if isinstance(one, str) and _UNSTORABLE.search(one):
            raise ValueError("a text of the reply holds half a character, or a NUL")
        if isinstance(one, dict):
            inner += [*one, *one.values()]
        elif isinstance(one, list):
            inner += one


def _objects(text: str) -> list[dict[str, Any]]:
    """The objects in a text. What begins as JSON and is none spoils it all: what stands inside is not
    the answer. Braces and brackets of prose are passed over."""
    found: list[dict[str, Any]] = []
    start = _START.search(text)
    while start is not None:
        if len(found) > _MOST:
            raise ValueError("the reply holds too many JSON objects")
        try:
            value, end = decode_at(text, start.start())
        except BadJsonError as error:
            why = "is cut off" if error.cut else f"cannot be read ({error.reason})"
            raise ValueError(f"the JSON {why}") from None
        if not isinstance(value, dict):
            raise ValueError("the reply holds a list, not a JSON object")
        found.append(value)
        start = _START.search(text, end)
    return found
