"""LoCoMo conversations, with invented ones of the same shape."""

import json

import pytest

from .build import as_json, as_lines, bads, counted, founds, ids, read, skipped, sniff, texts

NAME = "locomo"


def turn(ident, speaker, text, **more):
    return {"speaker": speaker, "dia_id": ident, "text": text, **more}


SAMPLE = {
    "qa": [{"question": "Who fired the kiln?", "answer": "Ida ANSWER", "evidence": ["D1:1"]}],
    "conversation": {
        "speaker_a": "Ida",
        "speaker_b": "Ben",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            turn("D1:1", "Ida", "I fired the kiln."),
            turn(
                "D1:2",
                "Ben",
                "Nice!",
                img_url=["https://pots.example/1.jpg"],
                blip_caption="a photo of a kiln",
                query="kiln QUERY",
            ),
        ],
        "session_10_date_time": "12:30 pm on 1 July, 2023",
        "session_10": [turn("D10:1", "Ida", "It broke.")],
        "session_2_date_time": "12:09 am on 13 June, 2023",
        "session_2": [turn("D2:1", "Ben", "Awake.", blip_caption="a dark room")],
        "session_11_date_time": "9:00 am on 2 July, 2023",
    },
    "observation": {"session_1": "OBSERVATION"},
    "event_summary": {"events": "EVENT"},
    "session_summary": {"session_1": "SUMMARY"},
    "sample_id": "conv-1",
}


def test_sessions_are_sorted_by_number_and_keep_their_time():
    units = counted(read(NAME, as_json([SAMPLE])))
    assert [(unit.identity, unit.said_at) for unit in units] == [
        ("conv-1/D1:1", "2023-05-08T13:56:00Z"),
        ("conv-1/D1:2", "2023-05-08T13:56:00Z"),
        ("conv-1/D2:1", "2023-06-13T00:09:00Z"),
        ("conv-1/D10:1", "2023-07-01T12:30:00Z"),
    ]
    assert {unit.time_source for unit in units} == {"session"}
    assert [unit.session for unit in units[1:3]] == ["conv-1/session_1", "conv-1/session_2"]
    assert {unit.container for unit in units} == {"conv-1"}
    assert [unit.speaker for unit in units] == ["Ida", "Ben", "Ben", "Ida"]
    assert {unit.role for unit in units} == {"user"}


def test_answer_keys_and_queries_are_never_read():
    found = read(NAME, as_json([SAMPLE]))
    shown = repr(found)
    assert not [
        word for word in ("ANSWER", "QUERY", "OBSERVATION", "EVENT", "SUMMARY") if word in shown
    ]


def test_caption_is_an_attachment_of_its_turn():
    captions = [unit for unit in founds(read(NAME, as_json([SAMPLE]))) if unit.kind == "attachment"]
    assert [(unit.identity, unit.text) for unit in captions] == [
        ("conv-1/D1:2:attachment:1", "a photo of a kiln"),
        ("conv-1/D2:1:attachment:1", "a dark room"),
    ]
    image = {"hash": None, "type": "image", "size": None, "url": "https://pots.example/1.jpg"}
    assert captions[0].attributes == {"of": "conv-1/D1:2", "attachments": [image]}
    assert captions[1].attributes["attachments"][0]["type"] == "image"


def test_a_turn_has_no_line_and_what_is_bad_has_one():
    """A sample stands on one line: it would be the same for a whole conversation."""
    other = {**SAMPLE, "sample_id": "conv-2"}
    other["conversation"] = {**SAMPLE["conversation"], "session_3": ["no object"]}
    found = read(NAME, as_lines(SAMPLE, other))
    assert {unit.line for unit in founds(found)} == {None}
    assert {unit.native for unit in founds(found)} >= {"D1:1", "D10:1"}
    assert [unit.line for unit in bads(found)] == [2]


def test_date_without_session_is_counted():
    assert skipped(read(NAME, as_json([SAMPLE]))) == {"date_without_session": 1}


def test_zone_can_be_given():
    units = counted(read(NAME, as_json([SAMPLE]), tz="Europe/Vienna"))
    assert units[0].said_at == "2023-05-08T11:56:00Z"


def test_older_archive_has_the_sessions_at_the_top():
    old = {**SAMPLE["conversation"], "sample_id": "conv-1"}
    assert ids(read(NAME, as_json([old]))) == ids(read(NAME, as_json([SAMPLE])))
    assert sniff(NAME, as_json([old])) > 0.9


def test_one_sample_or_lines_are_read_too():
    assert ids(read(NAME, as_json(SAMPLE))) == ids(read(NAME, as_json([SAMPLE])))
    two = {**SAMPLE, "sample_id": "conv-2"}
    assert len(set(ids(read(NAME, as_lines(SAMPLE, two))))) == 12


@pytest.mark.parametrize(
    "date", [None, "", "soon", "31:00 pm on 8 May, 2023", "1:56 pm on 31 June, 2023"]
)
def test_date_that_cannot_be_read_leaves_no_time(date):
    talk = {**SAMPLE["conversation"], "session_1_date_time": date}
    (first, *_) = counted(read(NAME, as_json([{**SAMPLE, "conversation": talk}])))
    assert (first.said_at, first.time_source) == (None, "none")


def test_odd_shapes_are_bad_or_skipped():
    talk = {
        "speaker_a": "Ida",
        "session_1": [turn("D1:1", "Ida", "Hi"), 5, turn("D1:3", "Ida", None), {"text": "no id"}],
        "session_2": "gone",
        "session_3": [],
    }
    units = read(NAME, as_json([{"conversation": talk, "sample_id": "c"}, 7]))
    assert texts(units) == ["Hi", "no id"]
    assert ids(units)[1] == "c/session_1:4"
    assert skipped(units) == {"empty": 1, "empty_session": 1}
    assert len(bads(units)) == 3


def test_sample_without_id_gets_a_stable_one():
    nameless = {key: value for key, value in SAMPLE.items() if key != "sample_id"}
    first, again = ids(read(NAME, as_json([nameless]))), ids(read(NAME, as_json(nameless)))
    assert first == again
    assert len(set(first)) == 6


def test_sniff_finds_the_conversation_behind_long_questions():
    long = {**SAMPLE, "qa": SAMPLE["qa"] * 2000}
    assert len(json.dumps(long["qa"])) > 100_000
    assert sniff(NAME, as_json([long])) > 0.9
    assert sniff(NAME, as_json({"conversation": {"speaker_a": "x"}})) < 0.5
    assert sniff(NAME, as_json([{"conversation": "text"}])) < 0.5


OLD = {
    "speaker_a": "Ida",
    "speaker_b": "Ben",
    "session_1_date_time": "1:56 pm on 8 May, 2023",
    "session_1": [turn("D1:1", "Ida", "Hi."), turn("D1:2", "Ben", "Ho.")],
    "session_1_summary": "SUMMARY",
    "events_session_1": {"Ida": ["EVENT"]},
}


def test_samples_without_a_name_are_told_by_who_when_and_the_first_words():
    later = {**OLD, "session_1_date_time": "1:56 pm on 9 May, 2023"}
    other = {**OLD, "speaker_b": "Tom"}
    grown = {**OLD, "session_1": [*OLD["session_1"], turn("D1:3", "Ida", "So.")]}
    assert len(set(ids(read(NAME, as_json([OLD, later, other]))))) == 6
    assert ids(read(NAME, as_json(grown)))[:2] == ids(read(NAME, as_json(OLD)))
    assert "SUMMARY" not in repr(read(NAME, as_json(OLD)))
    assert "EVENT" not in repr(read(NAME, as_json(OLD)))


def test_two_samples_of_one_name_lose_nothing():
    other = {**OLD, "session_1": [turn("D1:1", "Ida", "Hi."), turn("D1:2", "Ben", "No.")]}
    units = read(NAME, as_json([{**one, "sample_id": "c"} for one in (OLD, other)]))
    assert texts(units) == ["Hi.", "Ho.", "No."]
    assert skipped(units) == {"duplicate_id": 1}
