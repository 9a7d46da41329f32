"""OpenAI's Responses API: items, requests `{input}`, answers `{output}`, lists `{data}`
(formats.md, 6.3).

The items are known to `kit.items`; this reader knows what is around them, and that a program which
logs each request and answer repeats the history each time.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from memcli.core.found import Guess, Skipped, Unit
from memcli.kit.chats import Format, Item, Json, MessageError, read_chats
from memcli.kit.head import FAIR, GOOD, NEAR, NO, look
from memcli.kit.items import is_item, item_turns
from memcli.kit.normalise import name_of, text_of
from memcli.kit.turns import Turn
from memcli.ports import ReadOptions, Source
from memcli.registry import reader

# Beside an input of plain text: what a request for embeddings, or a training pair, has not.
_ASKS = (
    "instructions",
    "previous_response_id",
    "conversation",
    "max_output_tokens",
    "reasoning",
    "store",
    "tools",
)
_SURE = (GOOD + 1) / 2
# A message with `type` is no chat message, but other formats have such ones too.
_TYPED = (FAIR + GOOD) / 2


def sniff(source: Source) -> Guess:
    """Good by items of types, or parts, that only this API has; less by `type` message alone."""
    head = look(source)
    if not head.values:
        return Guess(NO, head.no_json)
    guesses = [_judge(value) for value in head.values]
    # Few of the items may have a type of their own, but all must be possible.
    best = max(guesses, key=lambda guess: guess.score)
    if sum(guess.score == NO for guess in guesses) * 2 > len(guesses):
        return Guess(min(best.score, NEAR), f"only some values: {best.why}")
    return best


def _judge(value: Any) -> Guess:
    if isinstance(value, list):
        return _judge_items(value)
    if not isinstance(value, dict):
        return Guess(NO, "no JSON objects")
    value = _plain(value)
    if value.get("object") == "response" and isinstance(value.get("output"), list):
        return Guess(_SURE, "an answer of the Responses API")
    held = [
        value[name] for name in ("input", "output", "data") if isinstance(value.get(name), list)
    ]
    if held:
        return max(map(_judge_items, held), key=lambda guess: guess.score)
    if isinstance(value.get("input"), str) and isinstance(value.get("model"), str):
        if any(name in value for name in _ASKS):
            return Guess(GOOD, "a request with model, input and what else an answer depends on")
        return Guess(NEAR, "model and input, which a request for embeddings has too")
    if "messages" in value or "payload" in value:
        return Guess(NO, "messages or payload, and no items")
    return _judge_items([value])


def _judge_items(items: list[Any]) -> Guess:
    objects = [item for item in items if isinstance(item, dict)]
    if not objects or not all(_may_be_item(item) for item in objects):
        return Guess(NO, "no items of the Responses API")
    if any(is_item(item) for item in objects):
        return Guess(GOOD, "items with types of the Responses API")
    if all(
        item.get("type") == "message" and isinstance(item.get("content"), str) for item in objects
    ):
        return Guess(_TYPED, "messages with type, role and content")
    return Guess(NEAR, "messages without any item of the Responses API")


def _may_be_item(item: Json) -> bool:
    if "role" in item:
        return isinstance(item.get("role"), str) and "content" in item
    return isinstance(item.get("type"), str) and "payload" not in item and "message" not in item


@reader(
    "openai_responses",
    title="OpenAI Responses: items, requests and answers (JSON, JSONL)",
    sniff=sniff,
    recognised="items such as function_call or input_text: a list, or in input, output or data",
)
def read(source: Source, options: ReadOptions) -> Iterator[Unit]:
    """The items of each conversation: messages, calls and their results. Include: `thinking`.

    An answer that follows its request goes on with it. Of a history that is sent again only what
    is new is taken; the rest is counted as `repeated_history`.
    """

    def turns(item: Json) -> list[Turn | Skipped]:
        return item_turns(item, options.roles)

    known = Format(
        turns,
        _instructions,
        plain=_plain,
        wrapped=_items,
        key=_key,
        continues=_answers,
        by_text=True,
        join=_with_thoughts,
    )
    return read_chats(source, options, known)


def _with_thoughts(items: Iterable[Item]) -> Iterator[Item]:
    """Thoughts go with what they led to: a history that is sent again often leaves them out."""
    held: Turn | None = None
    for item in items:
        alone = isinstance(item, Turn) and bool(item.thinking) and not item.speaks
        if held is not None and isinstance(item, Turn):
            if item.role == "assistant":
                item.thinking = [*held.thinking, *item.thinking]
            else:
                yield held
            held = None
        if alone and isinstance(item, Turn):
            held = item
        else:
            yield item
    if held is not None:
        yield held


# --- what is around items -----------------------------------------------------------------------


def _plain(value: Json) -> Json:
    """A request, an answer or both as one object, without what a batch or a log puts around."""
    answer = value.get("response")
    if isinstance(answer, dict) and isinstance(answer.get("body"), dict):
        answer = answer["body"]
    plain = {name: value[name] for name in ("created_at", "created", "timestamp") if name in value}
    held = False
    # What the request says goes before what the answer repeats of it.
    for part in (answer, value.get("request"), value.get("body")):
        if isinstance(part, dict) and _holds(part):
            plain.update(part)
            held = True
    return plain if held else value


def _holds(part: Json) -> bool:
    return "input" in part or "output" in part


def _items(wrapper: Json) -> list[Any] | None:
    """The items that a wrapper holds, what was asked before what was answered; None if it is one.

    Raises MessageError.
    """
    if isinstance(wrapper.get("type"), str):
        return None
    if _holds(wrapper):
        return [*_given(wrapper, "input"), *_given(wrapper, "output")]
    data = wrapper.get("data")
    if not isinstance(data, list):
        return None
    return _in_order(data) if wrapper.get("object") == "list" else data


def _given(wrapper: Json, name: str) -> list[Any]:
    held = wrapper.get(name)
    if isinstance(held, str):
        return [{"role": "user" if name == "input" else "assistant", "content": held}]
    if not isinstance(held, list | None):
        raise MessageError(f"{name} is neither text nor a list of items")
    return held or []


def _in_order(items: list[Any]) -> list[Any]:
    """The items of a listing, oldest first: by default the API gives the newest first."""
    objects = [item for item in items if isinstance(item, dict)]
    called: set[str] = set()
    for item in objects:
        kind, call = str(item.get("type")), name_of(item.get("call_id"))
        if call is not None and kind.endswith("_output"):
            return items if call in called else items[::-1]
        if call is not None:
            called.add(call)
    roles = [item.get("role") for item in objects if item.get("role") is not None]
    backwards = roles[:1] == ["assistant"] and roles[-1] != "assistant"
    return items[::-1] if backwards else items


def _key(wrapper: Json) -> str | None:
    """The conversation's id, else the answer's where it holds no history; else its opening counts.

    With the history, each answer's id would name all of it anew.
    """
    named = wrapper.get("conversation")
    key = name_of(named.get("id") if isinstance(named, dict) else named)
    if key is not None or "input" in wrapper:
        return key
    return name_of(wrapper.get("id")) if "output" in wrapper else None


def _instructions(wrapper: Json) -> list[Turn]:
    text = text_of(wrapper.get("instructions"))
    return [Turn("system", text)] if text else []


def _answers(request: Json, answer: Json) -> bool:
    """Whether the second wrapper is the answer to the first, a request."""
    asks = "input" in request and "output" not in request
    return asks and "output" in answer and "input" not in answer and "type" not in answer
