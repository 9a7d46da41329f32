"""What a provider is to the backend above it: one request, one reply, or a failure with its kind."""

from collections.abc import Mapping
from typing import Any, Literal, Protocol

from memcli.core.calls import CallReply, CallRequest
from memcli.core.values import dataclass
from memcli.gateway.settings import ModelSettings, Price

# Worth a second try: rate-limit, timeout, server, connection. The others are as they are: auth,
# missing-key, no-library, unknown-model, quota, request (it was refused as wrong). too-long (the prompt does not fit the model) and
# withheld (the provider would not answer this) are of one task, not of the provider.
Kind = Literal[
    "auth",
    "missing-key",
    "no-library",
    "unknown-model",
    "request",
    "too-long",
    "withheld",
    "quota",
    "rate-limit",
    "timeout",
    "server",
    "connection",
]
RETRIED: frozenset[str] = frozenset({"rate-limit", "timeout", "server", "connection"})

# How the form of a reply is asked for, from the strictest to none; a server that refuses one gets
# the next.
FORMS: tuple[Literal["json_schema", "json_object", "text"], ...] = (
    "json_schema",
    "json_object",
    "text",
)


class ProviderError(Exception):
    """A request that got no answer. `retry_after`: seconds the server asked to wait, if it did."""

    def __init__(self, kind: Kind, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.kind: Kind = kind
        self.message = message
        self.retry_after = retry_after
        self.tries = 1  # how often it was tried until this


class FormRefusedError(ProviderError):
    """The server takes no request that asks for a reply of this form."""

    def __init__(self, form: str, message: str) -> None:
        super().__init__("request", message)
        self.form = form


@dataclass(frozen=True)
class Asked:
    """One request as it goes out: to which model, and in which form the reply is asked for.

    `cap`: tokens that the reply may have, where that is less than the parameters say.
    """

    settings: ModelSettings
    request: CallRequest
    form: str
    cap: int | None = None


class Chat(Protocol):
    """A way to reach models. Called from several threads at once."""

    def prepare(self, settings: ModelSettings) -> None:
        """Before the first call to a model; raises ProviderError where a key is missing."""
        ...

    def complete(self, asked: Asked) -> CallReply:
        """The reply to one request; raises ProviderError. One try, with a timeout."""
        ...

    def close(self) -> None:
        """Close connections."""
        ...

    def price(self, settings: ModelSettings) -> Price | None:
        """What a model costs, where that is known."""
        ...


def response_format(form: str, request: CallRequest) -> Mapping[str, Any] | None:
    """The `response_format` of a request, as OpenAI-compatible servers understand it."""
    if form == "json_schema":
        named = {"name": request.task, "schema": dict(request.schema), "strict": False}
        return {"type": "json_schema", "json_schema": named}
    return {"type": "json_object"} if form == "json_object" else None
