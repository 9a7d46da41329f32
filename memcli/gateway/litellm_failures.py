"""What litellm raises, and what that is to us: its classes say less than the status and the cause."""

import contextlib
import math
import os
import re
import time
from email.utils import parsedate_to_datetime

from memcli.gateway.chat import FormRefusedError, Kind, ProviderError
from memcli.kit.secrets import mask

NO_KEY = "none"  # what a server of one's own gets in place of a key
_MESSAGE = 300  # characters of a provider's message that are shown
_FORM_WORDS = ("response_format", "json_schema", "json_object", "grammar", "structured output")
_QUOTA_WORDS = ("insufficient_quota", "exceeded your current quota", "billing")
_LONG_WORDS = (
    *("exceed_context_size", "context length", "context size", "context window"),
    *("too many tokens", "too large to process"),
)
_BARE = re.compile(r"\A\w+(?:Exception|Error)\W*\Z")  # a class alone says nothing
_HEADER = re.compile(r"Illegal header value .*")
_PREFACE = re.compile(r"\A(?:(?:litellm\.)?\w+(?:Error|Timeout): )*(?:\w+(?:Exception|Error) - )?")

# By class name, most special first. What is not listed is a server's failure.
_KINDS: tuple[tuple[str, Kind], ...] = (
    ("ContextWindowExceededError", "too-long"),
    ("ContentPolicyViolationError", "withheld"),
    ("AuthenticationError", "auth"),
    ("PermissionDeniedError", "auth"),
    ("Timeout", "timeout"),
    ("RateLimitError", "rate-limit"),
    ("NotFoundError", "request"),
    ("UnprocessableEntityError", "request"),
    ("BadRequestError", "request"),
    ("APIConnectionError", "connection"),
)
# Where the class says nothing of use; what is not listed is a server's failure, worth another try.
_BY_STATUS: dict[int, Kind] = {
    **dict.fromkeys((401, 403), "auth"),
    **dict.fromkeys((300, 301, 302, 303, 304, 307, 308), "request"),
    **dict.fromkeys((400, 402, 404, 405, 413, 418, 422, 451), "request"),
    408: "timeout",
    429: "rate-limit",
}


def failure(error: Exception, form: str, key: str = NO_KEY) -> ProviderError:
    """What an exception of litellm is to us; keys that its message repeats are masked."""
    names = {kind.__name__ for kind in type(error).__mro__}
    message = said(error, key)
    status = getattr(error, "status_code", None) or 0
    if 300 <= status < 400:
        message = f"it sends on to another address ({status}), which is not followed"
    low = message.lower()
    by_status = _BY_STATUS.get(status, "server")
    kind: Kind = next((kind for name, kind in _KINDS if name in names), by_status)
    if kind == "server" and getattr(error, "litellm_response_headers", None) is None:
        kind, message = _unreached(error, message, key)
    if kind == "rate-limit" and any(word in low for word in _QUOTA_WORDS):
        kind = "quota"
    if kind in ("request", "server") and any(word in low for word in _LONG_WORDS):
        kind = "too-long"
    if kind == "request" and form not in ("", "text") and any(word in low for word in _FORM_WORDS):
        return FormRefusedError(form, message)
    return ProviderError(kind, message, _retry_after(error))


def _unreached(error: Exception, message: str, key: str) -> tuple[Kind, str]:
    """Litellm calls a line that is dead, cut or never there a server's error, and says little: the
    innermost cause knows more."""
    inner: BaseException = error
    while (cause := inner.__cause__ or inner.__context__) is not None:
        inner = cause
    if type(inner).__name__ == "UnsupportedProtocol":
        return "request", masked(str(inner), key)
    if not message.lower().startswith("connection error"):
        return "server", message
    return "connection", masked(str(inner), key) or message


def said(error: Exception, key: str = NO_KEY) -> str:
    """The message of an exception on one line, without keys and without litellm's own preface."""
    text = _PREFACE.sub("", " ".join(str(getattr(error, "message", "") or error).split()))
    text = text.partition("Traceback (most recent call last)")[0]
    text = _BARE.sub("", text).strip(" .-")
    return masked(text, key) or f"it said nothing more ({type(error).__name__})"


def masked(text: str, key: str = NO_KEY) -> str:
    """A text on one line, cut, without what a key may look like: as it is, or as Python prints it."""
    text = _HEADER.sub("Illegal header value", " ".join(text.split()))
    named = {"the key": key} if key != NO_KEY else {}
    for name, value in os.environ.items():
        if len(value) >= 8 and name.upper().endswith(("KEY", "TOKEN", "SECRET", "PASSWORD")):
            named[name] = value
    for name, value in named.items():
        for form in {value, value.strip(), repr(value)[1:-1], " ".join(value.split())} - {""}:
            text = text.replace(form, f"[{name}]")
    return mask(text)[0][:_MESSAGE]


def _retry_after(error: Exception) -> float | None:
    """Seconds, from the header of the answer: a number, or a date."""
    headers = getattr(getattr(error, "response", None), "headers", None)
    text = str(headers.get("retry-after") or "") if headers is not None else ""
    with contextlib.suppress(ValueError):
        seconds = float(text)
        return max(0.0, seconds) if math.isfinite(seconds) else None
    with contextlib.suppress(ValueError, TypeError, OverflowError):
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    return None
