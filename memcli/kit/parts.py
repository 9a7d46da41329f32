"""Content parts of OpenAI's APIs: what chat completions and the Responses API write in a message.

The two name the same things differently (`text` and `input_text`, `image_url` and `input_image`),
and programs mix them, so one function takes both.
"""

from typing import Any

from memcli.kit import attach
from memcli.kit.chats import Json, MessageError
from memcli.kit.normalise import name_of, normalise, text_of
from memcli.kit.turns import Turn

_TEXTS = ("text", "input_text", "output_text", "summary_text", "reasoning_text")
_IMAGES = ("image_url", "input_image", "computer_screenshot")


def take_content(content: Any, turn: Turn) -> str:
    """The text of a string, null, a part or a list of parts; references go to the turn.

    Raises MessageError for anything else.
    """
    if not isinstance(content, str | list | dict | None):
        raise MessageError("content that is neither text nor parts")
    texts = []
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict):
            texts.append(_part(part, turn))
    return joined(texts)


def joined(texts: list[str]) -> str:
    """The texts of one message as one, a blank line between them; empty ones are left out."""
    return "\n\n".join(text for text in map(normalise, texts) if text)


def _part(part: Json, turn: Turn) -> str:
    kind = name_of(part.get("type")) or "text"
    given = part.get(kind)
    # Chat completions have an object of the part's name in it, Responses have its fields.
    inner: Json = given if isinstance(given, dict) else part
    if kind in _TEXTS:
        # Messages of the Assistants API have `{value, annotations}` in place of the text.
        return text_of(given.get("value") if isinstance(given, dict) else part.get("text"))
    if kind == "refusal":
        turn.attributes["refusal"] = True
        return text_of(given)
    if kind in _IMAGES:
        # Home-made logs have the URL as a bare string.
        url = inner.get("url") or part.get("image_url") or given
        turn.attachments.append(attach.of_url(url, "image", name=part.get("file_id")))
    elif kind == "input_audio":
        media = f"audio/{name_of(inner.get('format')) or 'unknown'}"
        turn.attachments.append(attach.of_base64(inner.get("data"), media))
    elif kind in ("file", "input_file"):
        name = inner.get("filename") or inner.get("file_id")
        data = inner.get("file_data") or inner.get("file_url")
        turn.attachments.append(attach.of_url(data, "file", name=name))
    elif text_of(part.get("text")):
        return text_of(part.get("text"))
    else:
        turn.attachments.append(attach.reference(kind))
    return ""
