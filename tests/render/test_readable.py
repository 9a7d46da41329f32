import json

from hypothesis import given
from hypothesis import strategies as st

from memcli.render.readable import readable

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(alphabet=st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=40,
)  # fmt: skip


@given(VALUES)
def test_the_value_stays_the_same(value: object) -> None:
    assert json.loads(readable(value)) == value


def test_what_fits_stands_on_one_line() -> None:
    value = {"short": [1, {"a": []}], "ids": [f"r{nth}" for nth in range(40)], "text": "x" * 120}
    assert readable(value).splitlines() == [
        "{",
        '  "short": [1, {"a": []}],',
        '  "ids": [',
        '    ' + ", ".join(f'"r{nth}"' for nth in range(15)) + ",",
        '    ' + ", ".join(f'"r{nth}"' for nth in range(15, 28)) + ",",
        '    ' + ", ".join(f'"r{nth}"' for nth in range(28, 40)),
        "  ],",
        f'  "text": "{"x" * 120}"',
        "}",
    ]  # fmt: skip


def test_nothing_acts_on_a_terminal() -> None:
    assert "\x1b" not in readable({"\x1b": ["\x1b" * 200]})
