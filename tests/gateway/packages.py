"""Small packages in the place of those that carry weights, which are not installed everywhere."""

import importlib
import json
import random
import struct
import sys
from pathlib import Path

import pytest

WORDS = ("tea", "lake", "soup", "by", "the", "with", "lentils", "piano")


def wordllama(folder: Path, *, words: tuple[str, ...] = WORDS, dtype: str = "F16") -> Path:
    """A package `wordllama` in `folder`: a vector for each of `words`, and one for all others.

    Returns the file of its weights.
    """
    package = folder / "wordllama"
    (package / "weights").mkdir(parents=True)
    (package / "tokenizers").mkdir()
    # Importing it is a mistake: nobody needs it, and the real one takes half a second.
    (package / "__init__.py").write_text("raise RuntimeError('it was imported')\n", "utf-8")
    vocabulary = {word: nth for nth, word in enumerate(("[UNK]", *words))}
    tokenizer = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": None,
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"},
    }
    (package / "tokenizers" / "l2_supercat_tokenizer_config.json").write_text(
        json.dumps(tokenizer), "utf-8"
    )
    lots = random.Random(7)
    numbers = [lots.gauss(0, 1) for _ in range(256 * len(vocabulary))]
    header = json.dumps(
        {
            "embedding.weight": {
                "dtype": dtype,
                "shape": [len(vocabulary), 256],
                "data_offsets": [0, 2 * len(numbers)],
            }
        }
    ).encode()
    weights = package / "weights" / "l2_supercat_256.safetensors"
    weights.write_bytes(
        struct.pack("<Q", len(header)) + header + struct.pack(f"<{len(numbers)}e", *numbers)
    )
    return weights


def first(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let packages in `folder` be found before those that are installed."""
    monkeypatch.delitem(sys.modules, "wordllama", raising=False)
    monkeypatch.syspath_prepend(str(folder))
    importlib.invalidate_caches()


def without(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Let these packages be none that are installed."""
    from memcli.gateway import packaged

    real = packaged.importlib.util.find_spec

    def find_spec(name: str, package: str | None = None) -> object:
        return None if name in names else real(name, package)

    monkeypatch.setattr(packaged.importlib.util, "find_spec", find_spec)
