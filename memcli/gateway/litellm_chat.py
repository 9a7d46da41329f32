"""The way to hosted and local models: chat completions through litellm."""

from collections.abc import Mapping
from typing import Any

from memcli.core.calls import CallReply
from memcli.gateway.budget import cost_of
from memcli.gateway.chat import Asked, ProviderError, response_format
from memcli.gateway.litellm_access import access, close, ready
from memcli.gateway.litellm_failures import NO_KEY, failure
from memcli.gateway.litellm_values import clean, count_of, name_of
from memcli.gateway.parameters import REPLY_LIMITS
from memcli.gateway.settings import ModelSettings, Price


class LiteLLMChat:
    """Implements chat.Chat. `prices` are those of `mem.toml`, which go before litellm's."""

    def __init__(self, prices: Mapping[str, Price]) -> None:
        self._prices = prices
        self._litellm: Any = None

    def prepare(self, settings: ModelSettings) -> None:
        """Load litellm, and see that there is a key for the model."""
        self._litellm = ready(settings)

    def complete(self, asked: Asked) -> CallReply:
        """One request, one reply; raises ProviderError."""
        settings, request = asked.settings, asked.request
        reached = access(settings.api_base, settings.api_key_env)
        try:
            response = self._litellm.completion(
                model=settings.name,
                messages=[dict(message) for message in request.messages],
                timeout=settings.timeout,
                num_retries=0,
                max_retries=0,
                stream=False,
                response_format=response_format(asked.form, request),
                **{**request.parameters, **held_to(asked.cap, request.parameters)},
                **reached,
            )
        except Exception as error:
            raise failure(error, asked.form, reached.get("api_key", NO_KEY)) from error
        return self._reply(settings, response)

    def price(self, settings: ModelSettings) -> Price | None:
        """From `mem.toml`, else what litellm knows."""
        if settings.name in self._prices:
            return self._prices[settings.name]
        if settings.api_base is not None:  # the name says nothing of what runs there
            return None
        try:
            costs = self._litellm.cost_per_token(
                model=settings.name, prompt_tokens=1_000_000, completion_tokens=1_000_000
            )
            return Price(*map(float, costs))
        except Exception:  # noqa: BLE001 (it raises whatever it finds no price with)
            return None

    def close(self) -> None:
        """Close the connections that are kept open for later calls."""
        close(self._litellm)
        self._litellm = None

    def _reply(self, settings: ModelSettings, response: Any) -> CallReply:
        choices = getattr(response, "choices", None) or []
        usage = getattr(response, "usage", None)
        tokens_in = count_of(getattr(usage, "prompt_tokens", None))
        tokens_out = count_of(getattr(usage, "completion_tokens", None))
        if not tokens_in and not tokens_out:  # litellm fills in zeros where nothing was told
            tokens_in = tokens_out = None
        if not choices and not getattr(response, "model", None) and tokens_in is None:
            # What litellm makes of a 422, after it has dropped parameters in vain.
            raise ProviderError("request", "it could not process the request (422)")
        text: Any = ""
        finish = "no-choice"
        if choices:
            text = getattr(choices[0].message, "content", None)
            finish = getattr(choices[0], "finish_reason", None) or ""
        return CallReply(
            text=clean(text if isinstance(text, str) else ""),
            finish=name_of(finish),
            model=name_of(getattr(response, "model", None)),
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            cost_usd=cost_of(self.price(settings), tokens_in, tokens_out),
        )


def held_to(cap: int | None, parameters: Mapping[str, Any]) -> dict[str, int]:
    """The parameters that hold a reply to `cap` tokens, under the names that are in use."""
    if cap is None:
        return {}
    return {name: min(cap, parameters[name]) for name in REPLY_LIMITS if name in parameters}
