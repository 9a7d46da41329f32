"""litellm itself: imported late, kept quiet and closed again; where a model is, and with which key.

Importing it takes three seconds, so nothing here is touched before a call has to be made. Left to
itself it phones for prices, loads a `.env` of the current folder and prints advice on stdout.
"""

import importlib
import logging
import os
import threading
import warnings
from typing import Any
from urllib.parse import urlsplit

from memcli.gateway.chat import ProviderError
from memcli.gateway.failures import Reached
from memcli.gateway.litellm_failures import NO_KEY, failure, said
from memcli.gateway.session import session

_SWITCHES = {
    "LITELLM_OFFLINE_MODE": "true",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_MODE": "PRODUCTION",  # otherwise it loads a .env from the current folder
    "LITELLM_LOG": "ERROR",
}
# Their keys come from files, machines or logins, of which litellm's list knows nothing.
_OTHER_KEYS = ("bedrock", "sagemaker", "vertex_ai", "watsonx", "github_copilot")
_LOGINS = ("AZURE_AD_TOKEN", "AZURE_CLIENT_ID", "AZURE_FEDERATED_TOKEN_FILE")  # in place of a key
_lock = threading.Lock()


def load() -> Any:
    """The module litellm, with its switches set; raises ProviderError if it is not installed."""
    with _lock:
        for name, value in _SWITCHES.items():
            os.environ.setdefault(name, value)
        try:
            litellm: Any = importlib.import_module("litellm")
        except ImportError as error:
            raise ProviderError("no-library", f"litellm cannot be imported ({error})") from error
        litellm.suppress_debug_info = True
        litellm.telemetry = False
        litellm.drop_params = True  # some models take no temperature
        litellm.DEFAULT_MAX_RETRIES = 0  # embeddings have no other switch: they read 0 as unsaid
        if litellm.client_session is None:
            # One for all threads: litellm makes one for each that comes first, and loses the others.
            litellm.client_session = session()
        # It says on stderr what it thinks of a server's types.
        warnings.filterwarnings("ignore", "Pydantic serializer warnings", UserWarning)
        for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "httpx"):
            logging.getLogger(name).setLevel(logging.ERROR)
        return litellm


def close(litellm: Any) -> None:
    """Close what litellm (None if it was never loaded) keeps open: its session and its clients."""
    if litellm is None:
        return
    with _lock:
        session, litellm.client_session = litellm.client_session, None
        kept = litellm.in_memory_llm_clients_cache
        for name in [name for name in kept.cache_dict if name.startswith("hashed_api_key")]:
            kept.delete_cache(name)  # it holds the session that is closed now
        if session is not None:
            session.close()


def access(api_base: str | None, api_key_env: str | None) -> dict[str, str]:
    """Where a model is and with which key it is asked, as litellm's arguments.

    A server that `api_base` names gets only a key that `api_key_env` names: the key of a provider
    is not sent anywhere else. Raises ProviderError where that variable is empty.
    """
    found = {}
    if api_key_env is not None:
        key = os.environ.get(api_key_env, "").strip()
        if not key:
            raise ProviderError("missing-key", api_key_env)
        if not (key.isascii() and key.isprintable() and " " not in key):
            raise ProviderError("missing-key", f"{api_key_env}, as one word of plain letters")
        found["api_key"] = key
    if api_base is not None:
        found["api_base"] = api_base
        found.setdefault("api_key", NO_KEY)
        _past_proxies(api_base)
    return found


def ready(settings: Reached) -> Any:
    """litellm, once it is known that the model has a provider and a key; raises ProviderError."""
    access(settings.api_base, settings.api_key_env)
    litellm = load()
    known_provider(litellm, settings.name, settings.api_base)
    if settings.api_base is None and settings.api_key_env is None:
        missing_key(litellm, settings.name)
    return litellm


def known_provider(litellm: Any, model: str, api_base: str | None) -> None:
    """Raise ProviderError for a model that no provider of litellm is known for."""
    try:
        litellm.get_llm_provider(model=model, api_base=api_base)
    except Exception as error:
        raise ProviderError("unknown-model", said(error)) from error


def missing_key(litellm: Any, model: str) -> None:
    """Raise ProviderError where litellm knows which key a model needs, and it is not there."""
    if model.startswith(_OTHER_KEYS):
        return
    if model.startswith("azure") and any(os.environ.get(name) for name in _LOGINS):
        return
    try:
        report = litellm.validate_environment(model)
    except Exception as error:
        raise failure(error, "") from error
    keys = [name for name in report.get("missing_keys") or () if name.endswith(("KEY", "TOKEN"))]
    if keys and not report.get("keys_in_environment"):
        raise ProviderError("missing-key", " or ".join(keys))


def _past_proxies(api_base: str) -> None:
    """A server on this machine is asked directly, whatever proxy the environment names."""
    host = urlsplit(api_base).hostname or ""
    if host in ("localhost", "::1") or host.startswith("127."):
        for name in ("NO_PROXY", "no_proxy"):
            known = os.environ.get(name, "")
            if host not in known.split(","):
                os.environ[name] = f"{known},{host}".strip(",")
