"""The way to hosted and local models: litellm, imported late and kept quiet (performance.md, 2.10).

Importing it takes a second, so nothing here is touched before a call has to be made. One version of
it phones for prices, loads a `.env` of the current folder and prints advice: all of that is off.
"""

import contextlib
import importlib
import inspect
import logging
import math
import os
import re
import threading
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from memcli.core.calls import CallReply
from memcli.gateway.chat import Asked, FormRefusedError, Kind, ProviderError, response_format
from memcli.gateway.settings import ModelSettings, Price
from memcli.kit.secrets import mask

_SWITCHES = {
    "LITELLM_OFFLINE_MODE": "true",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_MODE": "PRODUCTION",  # otherwise it loads a .env from the current folder
    "LITELLM_LOG": "ERROR",
}
_MESSAGE = 300  # characters of a provider's message that are shown
_NO_KEY = "none"  # what a server of one's own gets in place of a key
_FORM_WORDS = ("response_format", "json_schema", "json_object", "grammar", "structured output")
_LONG_WORDS = ("context length", "context size", "context window", "too many tokens")
_PREFACE = re.compile(r"\A(?:(?:litellm\.)?\w+(?:Error|Timeout): )?(?:\w+(?:Exception|Error) - )?")
_lock = threading.Lock()

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


def load() -> Any:
    """The module litellm, with its switches set; raises ProviderError if it is not installed."""
    with _lock:
        for name, value in _SWITCHES.items():
            os.environ.setdefault(name, value)
        try:
            litellm: Any = importlib.import_module("litellm")
        except ImportError as error:
            raise ProviderError("request", f"litellm cannot be imported ({error})") from error
        litellm.suppress_debug_info = True
        litellm.telemetry = False
        litellm.drop_params = True  # some models take no temperature
        for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "httpx"):
            logging.getLogger(name).setLevel(logging.ERROR)
        return litellm


class LiteLLMChat:
    """Implements chat.Chat. `prices` are those of `mem.toml`, which go before litellm's."""

    def __init__(self, prices: Mapping[str, Price]) -> None:
        self._prices = prices
        self._litellm: Any = None

    def prepare(self, settings: ModelSettings) -> None:
        """Load litellm, and see that there is a key for the model."""
        access(settings.api_base, settings.api_key_env)
        if self._litellm is None:
            self._litellm = load()
        known_provider(self._litellm, settings.name, settings.api_base)
        if settings.api_base is None and settings.api_key_env is None:
            missing_key(self._litellm, settings.name)

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
                **request.parameters,
                **reached,
            )
        except Exception as error:
            raise failure(error, asked.form, reached.get("api_key", _NO_KEY)) from error
        return self._reply(settings, response)

    def price(self, settings: ModelSettings) -> Price | None:
        """From `mem.toml`, else what litellm knows."""
        if settings.name in self._prices:
            return self._prices[settings.name]
        try:
            costs = self._litellm.cost_per_token(
                model=settings.name, prompt_tokens=1_000_000, completion_tokens=1_000_000
            )
            return Price(*map(float, costs))
        except Exception:  # noqa: BLE001 (it raises whatever it finds no price with)
            return None

    def close(self) -> None:
        """Close the connections that litellm keeps open for later calls."""
        close_clients(self._litellm)

    def _reply(self, settings: ModelSettings, response: Any) -> CallReply:
        choices = getattr(response, "choices", None) or []
        usage = getattr(response, "usage", None)
        tokens_in = _count(getattr(usage, "prompt_tokens", None))
        tokens_out = _count(getattr(usage, "completion_tokens", None))
        if not tokens_in and not tokens_out:  # litellm fills in zeros where nothing was told
            tokens_in = tokens_out = None
        text, finish = "", "no-choice"
        if choices:
            text = getattr(choices[0].message, "content", None) or ""
            finish = getattr(choices[0], "finish_reason", None) or ""
        price = self.price(settings)
        known = price is not None and tokens_in is not None and tokens_out is not None
        return CallReply(
            text=_clean(text),
            finish=str(finish),
            model=str(getattr(response, "model", None) or ""),
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            cost_usd=(price.input * (tokens_in or 0) + price.output * (tokens_out or 0)) / 1_000_000
            if known and price is not None
            else None,
        )


def close_clients(litellm: Any) -> None:
    """Close the connections that litellm (None if it was never loaded) keeps for later calls."""
    kept = getattr(litellm, "in_memory_llm_clients_cache", None)
    for client in list(getattr(kept, "cache_dict", {}).values()):
        close = getattr(client, "close", None)
        if close is not None and not inspect.iscoroutinefunction(close):
            with contextlib.suppress(Exception):
                close()
    if kept is not None:
        kept.flush_cache()


def access(api_base: str | None, api_key_env: str | None) -> dict[str, str]:
    """Where a model is and with which key it is asked, as litellm's arguments.

    A server that `api_base` names gets only a key that `api_key_env` names: the key of a provider
    is not sent anywhere else. Raises ProviderError where that variable is empty.
    """
    found = {}
    if api_key_env is not None:
        key = os.environ.get(api_key_env, "")
        if not key:
            raise ProviderError("missing-key", api_key_env)
        found["api_key"] = key
    if api_base is not None:
        found["api_base"] = api_base
        found.setdefault("api_key", _NO_KEY)
        _past_proxies(api_base)
    return found


def known_provider(litellm: Any, model: str, api_base: str | None) -> None:
    """Raise ProviderError for a model that no provider of litellm is known for."""
    try:
        litellm.get_llm_provider(model=model, api_base=api_base)
    except Exception as error:
        raise ProviderError("unknown-model", said(error)) from error


def missing_key(litellm: Any, model: str) -> None:
    """Raise ProviderError where litellm knows which key a model needs, and it is not there."""
    try:
        report = litellm.validate_environment(model)
    except Exception as error:
        raise failure(error, "") from error
    if not report.get("keys_in_environment") and report.get("missing_keys"):
        raise ProviderError("missing-key", " or ".join(report["missing_keys"]))


def failure(error: Exception, form: str, key: str = _NO_KEY) -> ProviderError:
    """What an exception of litellm is to us; keys that its message repeats are masked."""
    names = {kind.__name__ for kind in type(error).__mro__}
    message = said(error, key)
    low = message.lower()
    kind: Kind = next((kind for name, kind in _KINDS if name in names), "server")
    if kind == "server" and low.startswith("connection error"):
        kind = "connection"
    if kind == "request" and any(word in low for word in _LONG_WORDS):
        kind = "too-long"
    if kind == "request" and form not in ("", "text") and any(word in low for word in _FORM_WORDS):
        return FormRefusedError(form, message)
    return ProviderError(kind, message, _retry_after(error))


def said(error: Exception, key: str = _NO_KEY) -> str:
    """The message of an exception on one line, without keys and without litellm's own preface."""
    text = _PREFACE.sub("", " ".join(str(getattr(error, "message", "") or error).split()))
    if key != _NO_KEY:
        text = text.replace(key, "[the key]")
    for name, value in os.environ.items():
        if len(value) >= 8 and name.upper().endswith(("KEY", "TOKEN", "SECRET", "PASSWORD")):
            text = text.replace(value, f"[{name}]")
    return mask(text)[0][:_MESSAGE] or type(error).__name__


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


def _past_proxies(api_base: str) -> None:
    """A server on this machine is asked directly, whatever proxy the environment names."""
    host = urlsplit(api_base).hostname or ""
    if host in ("localhost", "::1") or host.startswith("127."):
        for name in ("NO_PROXY", "no_proxy"):
            known = os.environ.get(name, "")
            if host not in known.split(","):
                os.environ[name] = f"{known},{host}".strip(",")


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _clean(text: str) -> str:
    """As it can be stored: a half of a character becomes a question mark."""
    return text.encode("utf-8", "replace").decode()
