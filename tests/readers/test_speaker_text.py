"""Plain transcripts, and all the text that only looks like one."""

import pytest

from memcli.errors import InputError

from .build import counted, founds, ids, read, skipped, sniff, texts

NAME = "speaker_text"

TALK = """A visit to the pottery
Date: 2026-02-11

Ida: Where do you get the clay?
Ben: From the river. Note: not in winter.
It is grey there.
IDA: And the glaze?
Ben: Three kinds:
- tin
- ash: from apple wood

> Ida: a quotation is no turn
```
Ida: nor is code
```
Ida: Thanks."""


def test_turns_with_their_continuations():
    units = counted(read(NAME, TALK.encode()))
    assert [(unit.speaker, unit.line) for unit in units] == [
        ("Ida", 4),
        ("Ben", 5),
        ("Ida", 7),
        ("Ben", 8),
        ("Ida", 16),
    ]
    assert units[1].text == "From the river. Note: not in winter.\nIt is grey there."
    assert "ash: from apple wood" in units[3].text
    assert "a quotation" in units[3].text
    assert "nor is code" in units[3].text
    assert {unit.role for unit in units} == {"user"}
    assert {unit.said_at for unit in units} == {None}
    assert len({unit.session for unit in units}) == 1


def test_what_stands_before_the_first_turn_is_the_preamble():
    assert skipped(read(NAME, TALK.encode())) == {"preamble": 1}
    assert skipped(read(NAME, TALK.partition("\n\n")[2].encode())) == {}


def test_roles_by_name_and_by_declaration():
    talk = (
        b"User: Fire it.\nAssistant: It is hot.\nUser: Thanks.\nBot: Yes?\nAssistant: No.\nBen: Oh."
    )
    roles = [(unit.speaker, unit.role) for unit in counted(read(NAME, talk))]
    assert roles == [("User", "user"), ("Assistant", "assistant")] * 2
    units = counted(read(NAME, talk, speakers={"ben": "assistant", "User": "system"}))
    assert [unit.role for unit in units] == ["system", "assistant"] * 2 + ["assistant"]
    assert units[4].speaker == "Ben"


def test_times_beside_the_name_are_kept_and_date_nothing():
    talk = b"[00:01:02] Ida: It is hot now.\nBen (10:05): How hot is it?\n[10:06] Ida: Very hot.\nBen: oh my"
    units = counted(read(NAME, talk))
    assert [unit.attributes.get("clock") for unit in units] == ["00:01:02", "10:05", "10:06", None]
    assert {unit.said_at for unit in units} == {None}


def test_growth_adds_the_tail_only():
    whole = ids(read(NAME, TALK.encode()))
    grown = ids(read(NAME, TALK.encode() + b"\nBen: You are welcome."))
    assert grown[: len(whole)] == whole
    assert len(grown) == len(whole) + 1


def test_session_keeps_apart():
    apart = founds(read(NAME, TALK.encode(), session="visit"))
    assert {unit.session for unit in apart} == {"visit"}
    assert not set(ids(apart)) & set(ids(read(NAME, TALK.encode())))


def test_bom_crlf_and_utf16_change_nothing():
    plain = ids(read(NAME, TALK.encode()))
    crlf = TALK.replace("\n", "\r\n")
    assert ids(read(NAME, crlf.encode("utf-8-sig"))) == plain
    assert ids(read(NAME, crlf.encode("utf-16"))) == plain


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The kiln was hot. Ida said: it is.\nBen said: no.\n",
        "Ida: I talk to myself.\nIda: And again.\nIda: And again.\n",
        "Ida: Hello there.\nBen: Hello to you.\n",
        "INFO: started it all\nERROR: broke it all\nINFO: started it all\nERROR: broke again\n",
        "From: ida at home\nTo: ben at home\n\nFrom: ben at home\nTo: ida at home\n",
        "Package: a b c d\nMaintainer: e f g\nDepends: h i j\n\n" * 4,
        "agent: x\nallow: y\nagent: z\nallow: w\n",
        "public:\n  int a;\nprivate:\n  int b;\npublic:\n  int c;\nprivate:\n",
        "# Notes\n\nUse `tin: ash` here.\n",
        'name = "pots"\nversion = "1"\n\n[deps]\nclay = "2"\n',
        "packages:\n  clay:\n    version: 1\nsdks:\n  kiln: 2\n",
        "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nIda: a b c\nBen: d e f\nIda: g h\nBen: i j\n",
        "1\n00:00:01,000 --> 00:00:02,000\nIda: a b c\n\n2\n00:00:03,000 --> 00:00:04,000\nBen: d e\n"
        "\n3\n00:00:05,000 --> 00:00:06,000\nIda: g h i\n\n4\n00:00:07,000 --> 00:00:08,000\nBen: j k",
        '{"Ida": "a",\n"Ben": "b"}',
        "Name: kiln\nClassifier: Topic :: Pots\nRequires-Dist: clay (>=2, <3)\n"
        "Provides-Extra: the glaze\nRequires-Dist: tin ; extra\nProvides-Extra: the ash\n",
        "Step 1: dig the clay\nStep 2: wash it all\nStep 1: dig again here\nStep 2: wash again",
        "Clay: grey and heavy.\nAsh: light and dry.\n" * 2 + "What one does with it all.\n" * 100,
    ],
)
def test_what_is_no_transcript_is_refused(text):
    assert sniff(NAME, text.encode()) < 0.5


def test_forced_upon_a_document_it_raises():
    with pytest.raises(InputError, match="not a transcript") as caught:
        read(NAME, b"Ida: I talk to myself.\nIda: And again.\n")
    assert "--speaker" in (caught.value.hint or "")
    declared = read(NAME, b"Ida: I talk to myself.\nIda: And again.\n", speakers={"Ida": "user"})
    assert texts(declared) == ["I talk to myself.", "And again."]


def test_sniff_accepts_a_transcript_and_no_other_encoding():
    assert sniff(NAME, TALK.encode()) >= 0.5
    long = "User: What is slip?\nAssistant: Clay in water.\n" + "It is thin, and it sticks.\n" * 90
    assert sniff(NAME, (long * 2).encode()) >= 0.5
    latin = "Ida: Schöne Töpfe überall.\nBen: Ja, schön.\n" * 3
    assert sniff(NAME, latin.encode()) >= 0.5
    assert sniff(NAME, latin.encode("latin-1")) < 0.5
    assert sniff(NAME, b"\x00\x01\x02" * 50) < 0.5
