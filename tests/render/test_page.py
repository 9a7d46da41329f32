import io

import pytest

from memcli.render import output
from memcli.render.page import BREAK, Column, Page, Span, joined, spans
from memcli.render.plain import to_text
from memcli.render.terminal import paint
from tests.render.samples import EVIL


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def wide(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def _page() -> Page:
    page = Page()
    page.gap()
    page.title("Head")
    page.gap()
    page.gap()
    page.text("first\nsecond", first="- ")
    page.facts([("a", "1"), ("long", (Span("2", "id"), " x"))], indent="  ")
    page.table(
        (Column("id"), Column("n", right=True), Column("text", wrap=True)),
        [("m1", "5", spans("one", BREAK, "two")), ("m10", "12", "three")],
    )
    return page


def test_plain_is_aligned_and_never_wrapped() -> None:
    assert to_text(_page()).splitlines() == [
        "Head",
        "",
        "- first",
        "  second",
        "  a     1",
        "  long  2 x",
        "id    n  text",
        "m1    5  one",
        "         two",
        "m10  12  three",
    ]
    page = Page()
    page.line("word " * 100)
    assert to_text(page).count("\n") == 1


def test_a_terminal_gets_the_same_words(wide: pytest.MonkeyPatch) -> None:
    wide.setenv("NO_COLOR", "1")
    stream = Terminal()
    paint(_page(), stream)
    shown = [line.rstrip() for line in stream.getvalue().splitlines()]
    assert shown == to_text(_page()).splitlines()


def test_wrapped_lines_stand_under_the_first(wide: pytest.MonkeyPatch) -> None:
    page = Page()
    page.line("word " * 12, first="├─ ", rest="│  ")
    stream = Terminal()
    paint(page, stream)
    shown = stream.getvalue().splitlines()
    assert len(shown) == 2
    assert "├─ " in shown[0]
    assert "│  " in shown[1]


def test_stored_text_is_no_markup_and_sends_no_codes(wide: pytest.MonkeyPatch) -> None:
    page = Page()
    page.line(EVIL)
    page.table((Column("t", wrap=True),), [(EVIL,)])
    stream = Terminal()
    paint(page, stream)
    shown = stream.getvalue()
    assert "[bold]x[/]" in shown.replace("\n", "")
    assert "\x1b[31mred" not in shown
    assert "\u202e" not in shown
    assert "\x1b" not in to_text(page)


@pytest.mark.parametrize(("name", "coloured"), [(None, True), ("NO_COLOR", False)])
def test_colour_only_if_wanted(wide: pytest.MonkeyPatch, name: str | None, coloured: bool) -> None:
    if name:
        wide.setenv(name, "1")
    page = Page()
    page.line(Span("x", "bad"))
    stream = Terminal()
    output.show(page, stream)
    assert ("\x1b[" in stream.getvalue()) is coloured


def test_a_dumb_terminal_gets_no_codes(wide: pytest.MonkeyPatch) -> None:
    wide.setenv("TERM", "dumb")
    stream = Terminal()
    paint(_page(), stream)
    assert "\x1b" not in stream.getvalue()


def test_an_empty_table_leaves_nothing() -> None:
    page = Page()
    page.table((Column("a"),), [])
    assert to_text(page) == ""
    assert joined(["a", "b"]) == spans("a", ", ", "b")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_a_poor_encoding_gets_signs_of_one_letter(encoding: str) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, errors="mem")
    page = Page()
    page.line("→ ├─ “é” 日 😀", first="└─ ")
    output.show(page, stream)
    stream.flush()
    shown = raw.getvalue().decode(encoding)
    assert shown.startswith("`- > |- ")
    assert "\\u65e5" in shown
