"""The beginning of a source, as readers see it when they look for their format."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.core.found import Guess
from memcli.kit.head import NEAR, SIZE, look, mend, nearest
from tests.readers.build import Bytes, as_json, as_lines


@pytest.mark.parametrize(
    ("cut", "whole"),
    [
        ('{"a": 1, "b": [1, {"c": "d', {"a": 1, "b": [1, {"c": "d"}]}),
        ('{"a": 1, "b', {"a": 1}),
        ('{"a": 1, "b":', {"a": 1}),
        ('{"a": 1, "b": tru', {"a": 1}),
        ('{"a": 1, "b": 12', {"a": 1}),
        ('{"a": "x\\', {"a": "x"}),
        ('{"a": "x\\\\', {"a": "x\\"}),
        ('{"a": "x\\u00e', {"a": "x"}),
        ('{"a": "x\\\\u00e', {"a": "x\\u00e"}),
        ('[1, [2, "three"', [1, [2, "three"]]),
        ("[", []),
        ("{", {}),
        ('{"a": ]', None),
        ("", None),
    ],
)
def test_what_is_cut_is_closed_again(cut, whole):
    assert mend(cut) == whole


@given(st.data())
def test_any_beginning_of_json_can_be_mended(data):
    value = {"a": [1, 'b\\"\u00e9', {"c": None, "d": [True, -1.5e3]}], "e": {}}
    text = json.dumps(value, indent=data.draw(st.sampled_from([None, 1])))
    mended = mend(text[: data.draw(st.integers(1, len(text)))])
    assert isinstance(mended, dict)
    assert set(mended) <= set(value)


def test_values_of_arrays_and_rows():
    rows = [{"a": 1}, {"a": 2}]
    assert look(Bytes(as_lines(*rows))).values == (*rows,)
    array = look(Bytes(as_json(rows)))
    assert (array.values, array.in_array) == ((*rows,), True)
    assert look(Bytes(b'{"torn": "li\n' + as_lines(*rows))).values == (*rows,)
    assert look(Bytes(b"a foreign line\n" + as_lines(*rows))).values == (*rows,)


def test_a_page_that_shows_a_few_lines_of_json_has_no_values():
    page = (
        b"# The format\n\nOne object a line:\n\n%b\nThat is all there is.\nMore of it is below.\n"
    )
    assert look(Bytes(page % as_lines({"a": 1}))).values == ()
    assert look(Bytes(page % as_lines(*[{"a": 1}] * 20))).objects


@pytest.mark.parametrize("bad", ["1" * 5000, "[" * 5000 + "]" * 5000, "nonsense"])
def test_an_array_is_seen_around_an_element_that_cannot_be_read(bad):
    for array in (f'[{{"a": {bad}}}, {{"b": 1}}]', f'[{{"b": 1}}, {{"a": {bad}}}, {{"c": "x'):
        assert {"b": 1} in look(Bytes(array.encode())).objects


def test_long_values_are_seen_by_their_beginning():
    long = {"a": 1, "text": "x" * (2 * SIZE)}
    for data in (as_json(long), as_json([long]), as_json([{"a": 1}, long])):
        head = look(Bytes(data))
        assert head.objects[0]["a"] == 1
        assert not head.whole


def test_text_binary_and_encodings_are_told_apart():
    assert look(Bytes(b"")).no_json == "empty"
    binary = look(Bytes(bytes(range(256)) * 4))
    assert (binary.text, binary.no_json) == (None, "binary data")
    assert look(Bytes(b"prose")).no_json == "no JSON object at the beginning"
    assert look(Bytes("é\n".encode("utf-16"))).text == "é\n"
    assert not look(Bytes(b"caf\xe9 and more text")).valid
    cut = look(Bytes(b"a" * (SIZE - 1) + "é".encode()))
    assert cut.valid
    assert cut.text == "a" * (SIZE - 1)


def test_lines_are_complete():
    head = look(Bytes(b"ab\n" * SIZE))
    assert set(head.lines) == {"ab"}


def test_nearest_wants_half_of_the_values():
    good, bad = Guess(0.8, "good"), Guess(0.0, "bad")
    assert nearest([good, bad]) == good
    assert nearest([good, bad, bad]).score == NEAR
    assert nearest([bad, bad]) == bad


@given(st.binary(max_size=100))
def test_any_bytes_have_a_head(data):
    head = look(Bytes(data))
    assert head.whole
    assert head.text is None or isinstance(head.text, str)
    assert head.no_json
