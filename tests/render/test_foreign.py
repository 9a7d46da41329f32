"""Formats of others: each is parsed, and hostile text stays text in it."""

import dataclasses
import re
from html.parser import HTMLParser
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
    assert "> Ada lives in Lisbon and works at Initech\\.\n> Since March\\." in text
    assert "- r12: “I run at dawn every day”" in text
    assert not re.search(r"(?<!\\)<b", text)
    assert "\x1b" not in text


def test_every_sign_of_markdown_is_escaped() -> None:
    assert escape("# *a* [x](y) <b> `c` | @ada\n- d") == (
        r"\# \*a\* \[x\]\(y\) \<b\> \`c\` \| \@ada \- d"
    )


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
