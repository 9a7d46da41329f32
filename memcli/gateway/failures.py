"""What a provider's failure is to the user: what happened, with which model, what to do."""

from collections.abc import Mapping
from typing import Any, Literal, Protocol

from memcli.errors import GatewayError, MemError, UsageError
from memcli.gateway.budget import Budget
from memcli.gateway.chat import Kind, ProviderError
from memcli.gateway.settings import ModelSettings

Place = Literal["model", "embedder"]  # the option and the table of mem.toml that name it
_EXAMPLES: dict[Place, str] = {
    "model": "openai/gpt-5-mini, anthropic/...",
    "embedder": "litellm:openai/text-embedding-3-small",
}
_NAMES = (
    "name it as LiteLLM does: {example}, ollama/..., or openai/NAME with"
    " api_base in mem.toml for a server of your own"
)
_SAID: dict[Kind, tuple[str, str]] = {
    "auth": ("{model} refused the key", "look at the key in the environment, and at its rights"),
    "missing-key": (
        "There is no key for {model}",
        "set it in the environment: {message}; a server of your own is named by api_base in [{place}]",
    ),
    "no-library": (
        "Models are reached through litellm, which fails here",
        "pip install -U litellm",
    ),
    "unknown-model": ("There is no provider for the model {model}", _NAMES),
    "request": ("{model} refused the request", "look at the name of the model and its parameters"),
    "too-long": ("The prompt is too long for {model}", "use a model with a larger context"),
    "withheld": ("{model} withheld its answer", "use another model"),
    "quota": ("The quota of the key for {model} is used up", "look at its plan and its billing"),
    "rate-limit": (
        "{model} limits the rate, after {tries}",
        "run it again later, or with a smaller concurrency in [{place}]",
    ),
    "timeout": (
        "{model} did not answer in {timeout:g} seconds, {tries}",
        "run it again, or raise timeout in [{place}] of mem.toml",
    ),
    "server": ("The server of {model} failed, {tries}", "run it again later"),
    "connection": (
        "{model} cannot be reached, after {tries}",
        "is the server there? --{place} and api_base in mem.toml say where it is sought",
    ),
}
_OF_EMBEDDERS: dict[Kind, tuple[str, str]] = {
    "too-long": (
        "A text is too long for {model}",
        "lower characters in [embedder] of mem.toml, then mem reindex",
    ),
}


class Reached(Protocol):
    """How a model is reached: the settings that a chat and an embedder have in common."""

    @property
    def name(self) -> str:
        """The model, as LiteLLM names it."""
        ...

    @property
    def api_base(self) -> str | None:
        """The address of a server of one's own."""
        ...

    @property
    def api_key_env(self) -> str | None:
        """The variable of the environment that holds its key."""
        ...

    @property
    def timeout(self) -> float:
        """Seconds."""
        ...

    @property
    def retries(self) -> int:
        """Tries after the first."""
        ...


def count(tries: int) -> str:
    """`1 try`, `3 tries`."""
    return "1 try" if tries == 1 else f"{tries} tries"


def gateway_error(error: ProviderError, settings: ModelSettings, budget: Budget) -> MemError:
    """The failure of the pass (C6). Answers that came before it are kept, and it says so.

    A model that nobody knows is a mistake in the call: a UsageError.
    """
    usage = budget.usage()
    return failed(
        error,
        settings,
        "model",
        kept=""
        if usage.calls <= budget.failed
        else "; answers that came are kept and not asked again",
        details={
            "calls": usage.calls,
            "calls_failed": budget.failed,
            "calls_recorded": usage.calls_recorded,
            "tokens_in": usage.tokens_in,
            "tokens_out": usage.tokens_out,
            "cost_usd": usage.cost_usd,
        },
    )


def failed(
    error: ProviderError,
    settings: Reached,
    place: Place,
    *,
    kept: str = "",
    details: Mapping[str, Any] | None = None,
) -> MemError:
    """A GatewayError that says what the provider's failure is; `kept` ends its hint.

    A model that nobody knows is a mistake in the call: a UsageError.
    """
    known = _SAID | _OF_EMBEDDERS if place == "embedder" else _SAID
    what, hint = known[error.kind]
    if error.kind == "request" and settings.api_base is not None:
        hint = "look at api_base (does it end in /v1?), the name of the model and its parameters"
    words = {
        "model": settings.name,
        "message": error.message,
        "tries": count(error.tries),
        "timeout": settings.timeout,
        "place": place,
        "example": _EXAMPLES[place],
    }
    if error.kind == "unknown-model":
        return UsageError(what.format(**words) + ".", where=f"--{place}", hint=hint.format(**words))
    said = "" if error.kind == "missing-key" else f": {error.message}"
    return GatewayError(
        what.format(**words) + said + ".",
        where=settings.api_base or settings.name,
        hint=hint.format(**words) + kept,
        details={"kind": error.kind, **(details or {})},
    )
