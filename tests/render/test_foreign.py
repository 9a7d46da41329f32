"""Formats of others: each is parsed, and hostile text stays text in it."""

import dataclasses
import re
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import pytest

from memcli.render import audit_ci
from memcli.render.diff_html import as_html
from memcli.render.diff_markdown import as_markdown, escape
from memcli.render.why_dot import as_dot
from tests.render import samples


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_stands_alone_and_holds_text_as_text() -> None:
    html = as_html(samples.DIFF)
    found = Tags()
    found.feed(html)
    assert set(found.tags) <= {
        "html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "section", "span",
        "ul", "li", "q", "del", "ins",
    }  # fmt: skip
    assert not [
        name for name in found.attributes if name.startswith("on") or name in ("src", "href")
    ]
    assert "default-src 'none'" in html
    assert '<b onclick="x">&amp;</b>' in found.text
    assert "<del>Acme</del>" in html
    assert "<ins>Initech</ins>" in html
    assert "I run at dawn every day" in found.text
    assert "\x1b" not in html
    assert html.encode("utf-8")


def test_markdown_shows_everything_escaped() -> None:
    text = as_markdown(samples.DIFF)
    assert text.startswith("## Memory p2 → p3\n")
    assert "### added m7 (insight)" in text
    assert "> Ada lives in Lisbon and works at Initech.\n> Since March." in text
    assert "- r12: “I run at dawn every day”" in text
    assert not re.search(r"(?<!\\)<b", text)
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("# *a* [x](y) <b> `c` | @ada\n- d", r"\# \*a\* \[x\](y) \<b\> \`c\` \| \@ada - d"),
        ("- item", "&#45; item"),
        ("12. item", "&#49;2. item"),
        ("    rm -rf /", "&#32;   rm -rf /"),
        ("see www.host.org or http://host.org", r"see www\.host\.org or http\://host\.org"),
        ("R&D &amp; &#35;", r"R&D \&amp; \&\#35;"),
        (":--", r"\:--"),
        ("so :tada: and :100:", r"so \:tada: and \:100:"),
    ],
)
def test_signs_of_markdown_are_escaped(given: str, written: str) -> None:
    assert escape(given) == written


PLAIN = (
    "Ada lives in Lisbon, and works at Acme (since March). Does she? Yes!",
    "Runa: At 9:15 it was 3.5 degrees - too cold, she said; 10-12 are better.",
    'It\'s 50% of "all" the R&D, and/or one = 1 + 0.',
    "2026-03-04 was a Wednesday.",
)


@pytest.mark.parametrize("text", PLAIN)
def test_plain_sentences_stay_as_they_are_in_markdown(text: str) -> None:
    assert escape(text) == text


HOSTILE = (
    "# heading", "a\n===", "a\n---", "a\n- - -", "***", "___", "- item", "+ item", "* item", "1. item",
    "1) item", "[x](http://evil.org)", "![x](http://evil.org/a.png)", "[x][y]\n\n[y]: http://evil.org",
    "[y]: <http://evil.org> 'y'\n\n[y]", "<http://evil.org>", "<a@evil.org>", "<b onclick=x>y</b>",
    "<!-- x", "<script>x</script>", "| a | b |\n| - | - |\n| c | d |", "a | b\n- | -\nc | d", "a\n:-\nb",
    "a\n-:\nb", "```\nx\n```", "~~~\nx\n~~~", "`x`", "    code", "\tcode", "a\n\n     code",
    "a\n\n\u2003\t  code", "*a*", "**a**", "_a_", "~~a~~", "> quote", ">> quote", "a\\\nb", "a  \nb",
    "&lt;b&gt; &copy; &#60;", "\\[x\\](http://evil.org)", "\\", "\\*a\\*", "x\n\n- a\n  - b", " - a", "   1. a",
    "\r# x", "a\r\n# b", "\x0b# x", "“\n# x", ") [x](y)", "a\n=", "[ ] todo", "- [x] done",
)  # fmt: skip
# What a change is made of without any text of a store that means something.
_OURS = {
    "heading_open", "heading_close", "paragraph_open", "paragraph_close", "inline", "text",
    "blockquote_open", "blockquote_close", "bullet_list_open", "bullet_list_close",
    "list_item_open", "list_item_close", "em_open", "em_close", "softbreak",
}  # fmt: skip


def _parsed(text: str) -> list[Any]:
    from markdown_it import MarkdownIt  # comes with rich

    reader = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    found = reader.parse(text)
    return [part for token in found for part in (token, *(token.children or ()))]


@pytest.mark.parametrize("text", HOSTILE)
def test_stored_text_means_nothing_in_markdown(text: str) -> None:
    plain, *hostile = (
        dataclasses.replace(
            change, kind=word, after=word, before=word, reason=word, quotes={"r12": (word,)}
        )
        for change, word in ((samples.ADDED, "x"), (samples.ADDED, text))
    )
    shape = [
        [
            token.type
            for token in _parsed(as_markdown(dataclasses.replace(samples.DIFF, changes=(one,))))
        ]
        for one in (plain, *hostile)
    ]
    assert set(shape[1]) <= _OURS

    def blocks(types: list[str]) -> list[str]:
        return [kind for kind in types if kind.split("_")[0] in ("heading", "bullet", "list", "em")]

    assert blocks(shape[1]) == blocks(shape[0])


@pytest.mark.parametrize("text", [*PLAIN, "&lt; *a* [b](c) :x: d.e # f", "x <b> & @y ~z| $1$ `q`"])
def test_markdown_gives_back_the_text(text: str) -> None:
    shown = [token.content for token in _parsed(escape(text)) if token.type == "text"]
    assert "".join(shown) == text


def test_dot_is_balanced_and_escaped() -> None:
    text = as_dot(samples.WHY)
    assert text.startswith("digraph why {\n")
    assert '"m7" -> "m3@1";' in text
    assert '"m3@1" -> "r12"' in text
    assert text.count('"m3@1" [label') == 1
    for line in text.splitlines():
        assert len(re.findall(r'(?<!\\)(?:\\\\)*"', line)) % 2 == 0
        assert not re.search(r"(?<!\\)(?:\\\\)*\\[NGELR]", line)
    assert '"r12" -> "m3@1"' not in text
    assert '"m3@1" -> "r12"' in as_dot(samples.DERIVED, derived=True)


def test_sarif_has_what_code_scanning_asks_for() -> None:
    log = audit_ci.sarif(samples.AUDIT, "dir with blank/memory.db")
    assert log["version"] == "2.1.0"
    run = log["runs"][0]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == sorted(samples.AUDIT.checked)
    levels = {result["ruleId"]: result["level"] for result in run["results"]}
    assert levels == {"P102": "error", "Q201": "warning", "L301": "note"}
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "dir%20with%20blank/memory.db"
        assert place["region"]["startLine"] == 1
        assert result["message"]["text"]
        assert result["partialFingerprints"]


@pytest.mark.parametrize(("fail_on", "failures"), [("error", 1), ("warning", 2), ("info", 3)])
def test_junit_parses_and_counts(fail_on: str, failures: int) -> None:
    root = ElementTree.fromstring(audit_ci.junit(samples.AUDIT, fail_on))  # type: ignore[arg-type]
    suite = root[0]
    assert (suite.get("tests"), suite.get("failures")) == ("4", str(failures))
    cases = {case.get("name"): case for case in suite}
    assert len(cases) == 4
    failed = cases["P102 dangling-evidence"].find("failure")
    assert failed is not None
    assert "<b onclick" in str(failed.get("message"))
    assert len(suite.findall("testcase/failure")) == failures


def test_github_commands_stay_on_their_line() -> None:
    finding = dataclasses.replace(samples.AUDIT.findings[1], message="a\n::error::b 100%", hint="")
    report = dataclasses.replace(samples.AUDIT, findings=(finding,))
    lines = audit_ci.github(report, "a,b:c.db").splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("::error file=a%2Cb%3Ac.db,title=P102 dangling-evidence::m4: a")
    assert "100%25" in lines[0]
