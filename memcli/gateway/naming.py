"""How embedders are named: the built-in one, those of packages, and `litellm:` with a model's name."""

REMOTE = "litellm:"
HASH, WORDLLAMA, MINILM, E5 = "hash-1024", "wordllama-256", "minilm-384", "e5-384"


def model_of(name: str) -> str | None:
    """The model in the name of a remote embedder; None for any other name."""
    model = name.removeprefix(REMOTE).strip()
    return model if name.startswith(REMOTE) and model else None
