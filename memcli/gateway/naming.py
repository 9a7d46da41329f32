"""How embedders are named: `hash-1024`, which is built in, or `litellm:` and a model of LiteLLM's."""

REMOTE = "litellm:"


def model_of(name: str) -> str | None:
    """The model in the name of a remote embedder; None for any other name."""
    model = name.removeprefix(REMOTE).strip()
    return model if name.startswith(REMOTE) and model else None
