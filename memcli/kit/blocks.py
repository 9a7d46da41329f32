"""Content blocks of Anthropic's messages, as its API, Claude Code and others write them."""

from collections.abc import Iterator
from typing import Any

from memcli.core.values import dataclass, field
from memcli.kit import attach
from memcli.kit.normalise import clean, name_of, normalise, text_of


@dataclass(slots=True)
class Document:
    """Text that came as an attachment: no words of the author, but worth a record."""

    text: str
    reference: dict[str, Any]


@dataclass(slots=True)
class Result:
    """One tool result: the id of the call it answers, its text, what was attached to it."""

    call_id: str | None
    text: str
    is_error: bool = False
    attachments: list[dict[str, Any]] = field(default_factory=list)
    documents: list[Document] = field(default_factory=list)


@dataclass(slots=True)
class Content:
    """The blocks of one message, sorted out.

    `thinking` holds the text of each block of thought; an encrypted one is the empty string.
    `results_first` says that a tool result stands before the text, as the API demands.
    """

    text: str = ""
    calls: list[dict[str, Any]] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    thinking: list[str] = field(default_factory=list)
    attachments: list[dict[str, Any]] = field(default_factory=list)
    documents: list[Document] = field(default_factory=list)
    results_first: bool = True

    @property
    def says(self) -> bool:
        """Whether the author said, called or attached anything, tool results apart."""
        return bool(self.text or self.calls or self.attachments)


def read_content(content: Any) -> Content:
    """The content of a message: a string, null, a block, or a list of blocks and bare strings.

    Blocks of an unknown type give their `text` if they have one, else a reference to their type.
    """
    found = Content()
    texts: list[str] = []
    cited = False
    for block in _blocks(content):
        kind = block.get("type")
        if kind == "text" or kind is None:
            text = block.get("text")
            texts.append(text if isinstance(text, str) else "")
            cited = cited or bool(block.get("citations"))
        elif kind in ("thinking", "redacted_thinking"):
            found.thinking.append(text_of(block.get("thinking")))
        elif not isinstance(kind, str):
            continue
        elif kind.endswith("tool_use"):
            found.calls.append(_call(block))
        elif kind.endswith("tool_result"):
            found.results_first = found.results_first and not any(texts)
            found.results.append(_result(block))
        else:
            texts.append(_attached(block, kind, found.attachments, found.documents))
    # An answer with citations is one text, cut in the middle of its sentences.
    found.text = normalise("".join(texts)) if cited else _join(texts)
    return found


def _blocks(content: Any) -> Iterator[dict[str, Any]]:
    for block in content if isinstance(content, list) else [content]:
        if isinstance(block, str):
            yield {"type": "text", "text": block}
        elif isinstance(block, dict):
            yield block


def _join(texts: list[str]) -> str:
    return "\n\n".join(text for text in map(normalise, texts) if text)


def _call(block: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": name_of(block.get("id")),
        "name": name_of(block.get("name")),
        "arguments": clean(block.get("input")),
    }


def _result(block: dict[str, Any]) -> Result:
    found = Result(name_of(block.get("tool_use_id")), "", block.get("is_error") is True)
    texts: list[str] = []
    for inner in _blocks(block.get("content")):
        kind = inner.get("type")
        if kind == "web_search_result":
            texts.append(_join([text_of(inner.get("title")), text_of(inner.get("url"))]))
        elif kind == "text" or not isinstance(kind, str):
            texts.append(text_of(inner.get("text")))
        else:
            texts.append(_attached(inner, kind, found.attachments, found.documents))
    found.text = _join(texts)
    return found


def _attached(
    block: dict[str, Any], kind: str, references: list[dict[str, Any]], documents: list[Document]
) -> str:
    """Note an image, a document or an unknown block; the text of an unknown one comes back."""
    given = block.get("source")
    source = given if isinstance(given, dict) else {}
    media = source.get("media_type") or kind
    name = block.get("title") or block.get("filename")
    if source.get("type") in ("text", "content"):
        data = source.get("data") if source["type"] == "text" else source.get("content")
        text = _join([text_of(inner.get("text")) for inner in _blocks(data)])
        reference = attach.of_bytes(text.encode(), media, name=name)
        documents.append(Document(text, reference))
    elif kind in ("image", "document"):
        if source.get("type") == "url":
            reference = attach.of_url(source.get("url"), media, name=name)
        else:
            reference = attach.of_base64(source.get("data"), media, name=name)
    else:
        text = text_of(block.get("text"))
        if text:
            return text
        reference = attach.reference(kind, name=name)
    references.append(reference)
    return ""
