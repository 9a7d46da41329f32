"""References to attachments: their bytes are never stored, so that nothing is lost silently.

A reference is `{"hash", "type", "size"}` (null where the source does not say), and `name` or
`url` where it does: SHA-256 of the bytes as hex, media type, bytes.
"""

import base64
import binascii
import hashlib
from typing import Any

from memcli.kit.normalise import name_of

_LONGEST_URL = 2048
_LARGEST = 1 << 53  # what every JSON parser keeps exactly


def reference(kind: Any = None, *, url: Any = None, name: Any = None) -> dict[str, Any]:
    """A reference to something that lies elsewhere, or of which only the kind is known."""
    found: dict[str, Any] = {"hash": None, "type": name_of(kind), "size": None}
    if isinstance(url, str) and len(url) <= _LONGEST_URL and name_of(url):
        found["url"] = name_of(url)
    if name_of(name):
        found["name"] = name_of(name)
    return found


def size_of(value: Any) -> int | None:
    """A size in bytes as a source states it, or None if it is none."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _LARGEST:
        return value
    return None


def of_bytes(data: bytes, kind: Any = None, *, name: Any = None) -> dict[str, Any]:
    """A reference to bytes that are here now and will not be stored."""
    return {
        **reference(kind, name=name),
        "hash": hashlib.sha256(data).hexdigest(),
        "size": len(data),
    }


def of_base64(data: Any, kind: Any = None, *, name: Any = None) -> dict[str, Any]:
    """A reference to base64 data; without hash and size if it is none."""
    if not isinstance(data, str):
        return reference(kind, name=name)
    try:
        return of_bytes(base64.b64decode(data), kind, name=name)
    except (binascii.Error, ValueError):
        return reference(kind, name=name)


def of_url(url: Any, kind: Any = None, *, name: Any = None) -> dict[str, Any]:
    """A reference to a URL, or to the bytes of a `data:` URL."""
    if isinstance(url, str) and url.startswith("data:"):
        header, _, data = url[5:].partition(",")
        media, *flags = header.split(";")
        if "base64" in flags:
            return of_base64(data, media or kind, name=name)
        return of_bytes(data.encode("utf-8", "replace"), media or kind, name=name)
    return reference(kind, url=url, name=name)
