"""Calls to a model as they are recorded: what was asked, what came back, what it cost."""

import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal

from memcli.core.values import dataclass

# accepted: it fitted its type and is used again. refused: it did not, and the pass that asked has
# not ended, so a rerun goes on from it. spent: refused, and that pass ended: it is kept to be
# looked at, and replayed only where nothing may be asked (C32).
CallStatus = Literal["accepted", "refused", "spent"]


@dataclass(frozen=True)
class CallRequest:
    """All that decides over an answer, and nothing else: no address, no key.

    `parameters` are those sent with it (temperature, max_tokens, ...); `schema` is a JSON schema.
    """

    task: str
    version: int
    model: str
    messages: tuple[Mapping[str, str], ...]
    schema: Mapping[str, Any]
    parameters: Mapping[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """The request as it is stored and exported."""
        return {
            "task": self.task,
            "version": self.version,
            "model": self.model,
            "messages": [dict(message) for message in self.messages],
            "schema": dict(self.schema),
            "parameters": dict(self.parameters),
        }

    @cached_property
    def key(self) -> str:
        """What the call is filed under (C32): sha256 of its canonical JSON, in hex."""
        from hashlib import sha256

        text = json.dumps(
            self.as_dict(),
            ensure_ascii=True,
            sort_keys=True,
            separators=(",", ":"),
            allow_nan=False,
        )
        return sha256(text.encode("ascii")).hexdigest()


@dataclass(frozen=True)
class CallReply:
    """What came back. `finish` is the provider's word for why it ended, "" if it gave none.

    `model` is the model as the provider named it. Tokens and cost (US dollars) are None where they
    are not known, which is not 0.
    """

    text: str
    finish: str = ""
    model: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True)
class Call:
    """One recorded call. `at` is ISO 8601 UTC. `key` files it; equal keys are asked again ones."""

    id: int
    request: CallRequest
    reply: CallReply
    status: CallStatus
    at: str

    @property
    def key(self) -> str:
        """See CallRequest.key."""
        return self.request.key


DAMAGED = "damaged"  # the status of a row that cannot be read


@dataclass(frozen=True)
class DamagedCall:
    """A row that is no recorded call, and why. What of it cannot be read is ""."""

    id: int
    key: str
    task: str
    model: str
    at: str
    why: str


@dataclass(frozen=True)
class Which:
    """Which calls are meant; None: any. `before`: ISO 8601 UTC, recorded earlier than that.

    `status`: `refused` is also what was spent, for both did not fit; `damaged` cannot be read.
    """

    task: str | None = None
    model: str | None = None
    status: str | None = None
    before: str | None = None

    def means(self, call: Call | DamagedCall) -> bool:
        """Whether `call` is one of them; of a damaged one, as far as it can be read."""
        if isinstance(call, DamagedCall):
            task, model, status = call.task, call.model, DAMAGED
        else:
            task, model = call.request.task, call.request.model
            status = "accepted" if call.status == "accepted" else "refused"
        return (
            self.task in (None, task)
            and self.model in (None, model)
            and self.status in (None, status)
            and (self.before is None or "" < call.at < self.before)
        )

    @property
    def all(self) -> bool:
        """Whether nothing narrows it."""
        return self == Which()
