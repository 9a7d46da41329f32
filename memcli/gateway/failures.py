"""What a provider's failure is to the user: what happened, with which model, what to do."""

from memcli.errors import GatewayError, MemError, UsageError
from memcli.gateway.budget import Budget
from memcli.gateway.chat import Kind, ProviderError
from memcli.gateway.settings import ModelSettings

_NAMES = (
    "name it as LiteLLM does: openai/gpt-5-mini, anthropic/..., ollama/..., or openai/NAME with"
    " api_base in mem.toml for a server of your own"
)
_SAID: dict[Kind, tuple[str, str]] = {
    "auth": ("{model} refused the key", "look at the key in the environment, and at its rights"),
    "missing-key": ("There is no key for {model}", "set it in the environment: {message}"),
    "unknown-model": ("There is no provider for the model {model}", _NAMES),
    "request": ("{model} refused the request", "look at the name of the model and its parameters"),
    "too-long": ("The prompt is too long for {model}", "use a model with a larger context"),
    "withheld": ("{model} withheld its answer", "use another model"),
    "rate-limit": (
        "{model} still limits the rate after {tries} tries",
        "run it again later, or with a smaller concurrency in [model]",
    ),
    "timeout": (
        "{model} did not answer in {timeout:g} seconds, {tries} times",
        "run it again, or raise timeout in [model] of mem.toml",
    ),
    "server": ("The server of {model} failed {tries} times", "run it again later"),
    "connection": (
        "{model} cannot be reached, after {tries} tries",
        "is the server there? --model and api_base in mem.toml say where it is sought",
    ),
}


def gateway_error(error: ProviderError, settings: ModelSettings, budget: Budget) -> MemError:
    """The failure of the pass (C6). Answers that came before it are kept, and it says so.

    A model that nobody knows is a mistake in the call: a UsageError.
    """
    if error.kind == "unknown-model":
        what, hint = _SAID[error.kind]
        return UsageError(what.format(model=settings.name) + ".", where="--model", hint=hint)
    what, hint = _SAID[error.kind]
    usage = budget.usage()
    words = {
        "model": settings.name,
        "message": error.message,
        "tries": settings.retries + 1,
        "timeout": settings.timeout,
    }
    said = "" if error.kind == "missing-key" else f": {error.message}"
    kept = "" if not usage.calls else "; answers that came are kept and not asked again"
    return GatewayError(
        what.format(**words) + said + ".",
        where=settings.api_base or settings.name,
        hint=hint.format(**words) + kept,
        details={
            "kind": error.kind,
            "calls": usage.calls,
            "calls_failed": budget.failed,
            "calls_recorded": usage.calls_recorded,
            "tokens_in": usage.tokens_in,
            "tokens_out": usage.tokens_out,
            "cost_usd": usage.cost_usd,
        },
    )
