import io
import json

import pytest

from memcli.core.records import Scope
from memcli.render import output
from memcli.render.jsonout import dumps
from tests.render.samples import EVIL


@pytest.mark.parametrize("indent", [False, True])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_text_comes_back_as_it_was(indent: bool, ascii_only: bool) -> None:
    document = {"schema": "x", "text": EVIL + "é\u2028\x7f\U000e0041\n", "n": [1, 2.5, None]}
    text = dumps(document, indent=indent, ascii_only=ascii_only)
    assert json.loads(text) == document
    assert all(char.isprintable() or char == "\n" for char in text)
    assert text.encode("ascii" if ascii_only else "utf-8")
    assert text.count("\n") > 0 if indent else "\n" not in text


def test_what_json_lacks_becomes_plain() -> None:
    document = {"n": float("nan"), "deep": [{"x": float("inf")}], "s": frozenset("ba")}
    assert json.loads(dumps(document)) == {"n": None, "deep": [{"x": None}], "s": ["a", "b"]}
    assert json.loads(dumps({"scope": Scope(user="ada")}))["scope"]["user"] == "ada"
    assert json.loads(dumps({"o": object}))["o"]


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
def test_any_encoding_of_stdout_gives_valid_json(encoding: str) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, errors="mem")
    output.show_json({"text": EVIL + "é😀"}, stream)
    stream.flush()
    assert json.loads(raw.getvalue().decode(encoding))["text"] == EVIL + "é😀"
