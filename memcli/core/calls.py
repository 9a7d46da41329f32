"""Calls to a model as they are recorded: what was asked, what came back, what it cost."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

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
        text = json.dumps(
            self.as_dict(),
            ensure_ascii=True,
            sort_keys=True,
            separators=(",", ":"),
            allow_nan=False,
        )
        return hashlib.sha256(text.encode("ascii")).hexdigest()


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
