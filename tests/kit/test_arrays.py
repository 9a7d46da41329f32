"""Elements of the array under a name of a top-level object, one at a time."""

import json

import pytest

from memcli.core.found import Bad
from memcli.kit.arrays import read_member


def elements(text, size=7, **more):
    chunks = (text[at : at + size] for at in range(0, len(text), size))
    return [
        unit.reason if isinstance(unit, Bad) else unit.data
        for unit in read_member(chunks, "wanted", **more)
    ]


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize("indent", [None, 2])
def test_elements_come_wherever_the_array_stands(size, indent):
    value = {"before": {"wanted": [1]}, "wanted": [{"a": [2]}, "]", 34], "after": [5]}
    assert elements(json.dumps(value, indent=indent), size) == [{"a": [2]}, "]", 34]


def test_objects_in_a_row_are_read_one_after_the_other():
    assert elements('{"wanted": [1]}\n{"wanted": [2]}\n') == [1, 2]


def test_a_value_that_is_no_array_is_passed_over():
    assert elements('{"wanted": "x", "other": []}') == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"wanted": [1, 2', [1, 2, "the array is cut off"]),
        ('{"wanted": [1]', [1, "the object is cut off"]),
        ('{"wanted": [1]}}', [1, "text after the end of the object"]),
        ('{"a": nope, "wanted": [1]}', ["not JSON: Expecting value", 1]),
        ("{1: 2}", ["not JSON: a member of an object without a name"]),
        ('{"wanted" [1]}', ["not JSON: a member of an object without a name"]),
    ],
)
def test_damage_is_told(text, expected):
    found = elements(text)
    assert found[: len(expected)] == expected


def test_what_is_too_long_is_told_and_passed_over():
    # The buffer takes 64 KiB at a time, whatever the limit.
    text = json.dumps({"big": "x" * 300_000, "wanted": ["y" * 300_000, 1]})
    assert elements(text, 1 << 16, limit=1 << 17) == ["longer than 0 MiB", "longer than 0 MiB", 1]
