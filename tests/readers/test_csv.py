"""Tables of messages by a map, self-written."""

import csv
import io
from typing import Any

import pytest

from memcli.core.found import Found, Skipped, Unit
from memcli.engine.detect import detect
from memcli.errors import UsageError

from .build import Bytes, bads, founds, ids, read, skipped, sniff, texts

NAME = "csv"
COLUMNS = {"text": "body", "role": "who", "time": "sent", "id": "nr", "conversation": "ticket"}
HEADER = ["ticket", "nr", "who", "body", "sent"]
ROWS = [
    ["T-1", "m1", "user", 'The kiln,\r\nsee "line 4"', "2026-05-01T10:00:00+02:00"],
    ["T-1", "m2", "assistant", "Which one?", "2026-05-01 08:01:30"],
    ["T-2", "m1", "bot", "=1+1", "1777622400"],
]


def table(rows: list[list[str]], delimiter: str = ",", end: str = "\r\n") -> bytes:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator=end).writerows(rows)
    return out.getvalue().encode()


SAMPLE = table([HEADER, *ROWS])


def units(data: bytes = SAMPLE, columns: dict[str, str] = COLUMNS, **options: Any) -> list[Unit]:
    return read(NAME, data, columns=columns, **options)


def plain(*rows: str, **options: Any) -> list[Unit]:
    """The units of a table with the columns who, body and sent, none of which is an id."""
    data = "\n".join(["who;body;sent", *rows, ""]).encode()
    return units(data, {"speaker": "who", "text": "body", "time": "sent"}, **options)


def warnings(found: list[Unit]) -> list[str]:
    return [unit.warning for unit in found if isinstance(unit, Skipped) and unit.warning]


def test_each_row_is_a_record():
    assert [
        (unit.identity, unit.session, unit.role, unit.text, unit.said_at, unit.time_source)
        for unit in founds(units())
    ] == [
        ("T-1/m1", "T-1", "user", 'The kiln,\nsee "line 4"', "2026-05-01T08:00:00Z", "exact"),
        ("T-1/m2", "T-1", "assistant", "Which one?", "2026-05-01T08:01:30Z", "assumed-zone"),
        ("T-2/m1", "T-2", "assistant", "=1+1", "2026-05-01T08:00:00Z", "exact"),
    ]
    assert [unit.line for unit in founds(units())] == [2, 4, 5]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_ends(delimiter, end):
    rows = [[cell.replace("\r\n", " ") for cell in row] for row in ROWS]
    found = units(table([HEADER, *rows], delimiter, end))
    assert ids(found) == ids(units())
    assert not bads(found)


def test_a_spreadsheet_may_say_its_delimiter():
    assert ids(units(b"sep=;\r\n" + table([HEADER, *ROWS], ";"))) == ids(units())
    assert founds(units(b"sep=;\r\n" + table([HEADER, *ROWS], ";")))[0].line == 3


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-16-le"])
def test_encodings_with_and_without_mark(codec):
    assert ids(units(SAMPLE.decode().encode(codec))) == ids(units())


def test_cp1252_is_read_and_told():
    found = units("ticket,nr,who,body,sent\nT,1,user,Grün für 5 €,\n".encode("cp1252"))
    assert texts(found) == ["Grün für 5 €"]
    assert warnings(found) == ["this is not UTF-8; it is read as cp1252"]
    named = units("grün;b\nä;ö\n".encode("cp1252"), {"text": "grün"})
    assert texts(named) == ["ä"]


def test_one_damaged_byte_does_not_change_the_encoding():
    found = units("a,b\nGrün,1\nfür,2\n".encode() + b"\xff,3\n", {"text": "a"})
    assert texts(found) == ["Grün", "für", "\ufffd"]
    assert "1 bytes are no UTF-8" in warnings(found)[0]


def test_a_cell_above_pythons_own_limit():  # simonw/datasette-lite#84
    long = "x" * 300_000
    assert texts(units(table([HEADER, ["T", "1", "user", long, ""]]))) == [long]


def test_rows_of_another_width_are_bad_and_listed():
    data = table([HEADER, ["T-1", "m1", "user"], *ROWS[1:], ["a", "b", "user", "d", "", "more"]])
    found = units(data)
    assert [(bad.line, bad.reason) for bad in bads(found)] == [
        (2, "3 columns where the header has 5"),
        (5, "6 columns where the header has 5"),
    ]
    assert len(founds(found)) == 2


def test_empty_cells_at_the_end_and_blank_lines_say_nothing():
    data = b"\r\na,b\r\n\r\none,1,,\r\n\r\n  \r\ntwo,2\r\n"
    found = units(data, {"text": "a"})
    assert texts(found) == ["one", "two"]
    assert [bad.line for bad in bads(found)] == [6]


def test_a_quotation_that_never_ends_takes_nothing_with_it():
    data = b'a,b\none,1\n"two,2\nthree,3\nfour,4\n'
    found = units(data, {"text": "a"})
    assert texts(found) == ["one", "three", "four"]
    assert [(bad.line, bad.reason) for bad in bads(found)] == [(3, "a quotation that never ends")]


def test_a_cell_that_is_too_large_is_one_bad_row():
    lines = "no end\n" * 1_300_000
    found = units(f'a,b\none,1\n"{lines}",2\nthree,3\n'.encode(), {"text": "a"})
    assert texts(found) == ["one", "three"]
    assert [(bad.line, bad.reason) for bad in bads(found)] == [
        (3, "a cell of more than 8 million characters")
    ]


def test_very_many_broken_quotations_end():
    rows = "".join(f'a{n}","1\n' for n in range(301))
    found = units(f"t,u\n{rows}".encode(), {"text": "t"})
    assert bads(found)[-1].reason == "too many broken quotations: the rest is not read"
    assert len(bads(found)) <= 102


def test_a_line_end_outside_of_quotation_marks_is_bad():
    found = units(b"a,b\none\rmore,1\ntwo,2\n", {"text": "a"})
    assert [(bad.line, bad.reason) for bad in bads(found)] == [
        (2, "a line end outside of quotation marks")
    ]
    assert texts(found) == ["two"]


def test_a_last_line_that_is_still_being_written():
    for tail in (b"two", b'two,"2'):
        found = units(b"a,b\none,1\n" + tail, {"text": "a"})
        assert texts(found) == ["one"]
        assert skipped(found) == {"truncated_last_line": 1}
        assert warnings(found)
    assert texts(units(b"a,b\none,1\ntwo,2", {"text": "a"})) == ["one", "two"]


def test_nul_and_quotes_in_the_middle_are_text():
    data = b'a,b\none\x00,1\n5" disk,2\n"two"s,3\nthree,4\n'
    found = units(data, {"text": "a"})
    assert detect(Bytes(data), mapped=True).name == NAME
    assert texts(found) == ["one\ufffd", '5" disk', "twos", "three"]


@pytest.mark.parametrize("data", [b"a,b", b"a,b\n", b"\xef\xbb\xbfa,b\r\n\r\n"])
def test_a_header_alone_gives_nothing(data):
    assert skipped(units(data, {"text": "a"})) == {"empty_conversation": 1}


def test_the_same_id_again():
    rows = [
        ["T", "1", "user", "Hi.", ""],
        ["T", "1", "user", "Hi.", ""],
        ["T", "1", "user", "Ho.", ""],
    ]
    found = units(table([HEADER, *rows]))
    assert texts(found) == ["Hi.", "Ho."]
    assert skipped(found) == {"duplicate_id": 1}
    assert len(set(ids(found))) == 2


def by_roles(*words: str, **options: Any) -> list[Unit]:
    rows = [["T", str(n), word, "Hi.", ""] for n, word in enumerate(words)]
    return units(table([HEADER, *rows]), **options)


def test_role_words():
    found = by_roles(
        "AGENT", "Customer", "", "Human", roles={"agent": "assistant", "customer": "user"}
    )
    assert [unit.role for unit in founds(found)] == ["assistant", "user", "user", "user"]
    assert bads(found) == []


def test_a_table_with_role_words_that_nobody_knows_is_refused_whole():
    # What was read of it would keep its place, and the rest could only come behind it.
    with pytest.raises(UsageError) as error:
        by_roles("user", "Agent", "elf", "agent", "guest", roles={"guest": "user"})
    assert error.value.what == "This has role words that are not known: 'Agent', 'elf'."
    assert error.value.where == "--map role=who, the first in line 3"
    assert "--role Agent=assistant --role elf=user" in (error.value.hint or "")
    with pytest.raises(UsageError) as error:
        by_roles(*(f"say {number}" for number in range(30)))
    assert "'say 7' and 22 more" in error.value.what
    assert "--role 'say 0=user'" in (error.value.hint or "")


def test_speakers_without_a_role():
    found = founds(plain("Ida;Hi.;", "Assistant;Yes?;", "Ben;Ho.;", speakers={"ben": "assistant"}))
    assert [(unit.speaker, unit.role) for unit in found] == [
        ("Ida", "user"), ("Assistant", "assistant"), ("Ben", "assistant"),
    ]  # fmt: skip


def test_scope_and_title_by_columns():
    data = b"text,whose,about\nHi.,ida,Kilns\nHo.,ben,\n"
    found = founds(units(data, {"text": "text", "user": "whose", "title": "about"}))
    assert [unit.scope.user for unit in found] == ["ida", "ben"]
    assert found[0].session != found[1].session
    assert found[0].title == "Kilns"


# --- identity: by ids, else by who, when and what ---------------------------------------------------

TALK = ["Ida;Hi.;2026-05-01 10:00", "Ben;Ho.;2026-05-01 10:00", "Ida;Hi.;2026-05-01 10:01"]


def test_equal_rows_are_numbered_and_a_second_reading_gives_the_same():
    twice = [*TALK, TALK[0]]
    assert len(set(ids(plain(*twice)))) == 4
    assert plain(*twice) == plain(*twice)


def test_growth_at_either_end_and_another_order_give_the_same_ids():
    grown = set(ids(plain("Ben;Late.;2026-05-02 10:00", *TALK[::-1])))
    assert set(ids(plain(*TALK))) < grown
    sessions = {unit.session for unit in founds(plain(*TALK, "Ben;Late.;2026-05-02 10:00"))}
    assert sessions == {unit.session for unit in founds(plain(*TALK[::-1]))}


def test_short_ids_of_two_tables_are_kept_apart():
    columns = {"text": "body", "id": "nr"}
    one = ids(units(b"nr,body\n1,Hi.\n2,Ho.\n", columns))
    other = ids(units(b"nr,body\n1,Good day.\n2,Ho.\n", columns))
    assert not set(one) & set(other)
    own = units(b"nr,body\n6f1c2a54-8d0e,Hi.\n", columns)
    assert (
        ids(own) == ids(units(b"nr,body\n77777777-aaaa,First.\n6f1c2a54-8d0e,Hi.\n", columns))[1:]
    )
    apart = ids(units(b"nr,body\n6f1c2a54-8d0e,Hi.\n", columns, session="monday"))
    assert apart == ["monday/6f1c2a54-8d0e"]


def test_rows_without_ids_and_times_are_tied_to_their_table():
    one = units(b"body\nHi.\nHo.\nHi.\n", {"text": "body"})
    other = units(b"body\nGood day.\nHo.\n", {"text": "body"})
    assert len(set(ids(one))) == 3
    assert not set(ids(one)) & set(ids(other))
    assert ids(one) == ids(units(b"body\nHi.\nHo.\nHi.\nMore.\n", {"text": "body"}))[:3]


def test_the_zone_and_the_order_of_dates_do_not_change_ids():
    rows = ["Ida;Hi.;5/6/2026 10:00", "Ben;Ho.;5/6/2026 10:00"]
    assert ids(plain(*rows)) == ids(plain(*rows, tz="Europe/Vienna"))
    assert ids(plain(*rows)) == ids(plain(*rows, date_order="mdy"))


# --- times ------------------------------------------------------------------------------------------


def said(found: list[Unit]) -> list[str | None]:
    return [unit.said_at and unit.said_at[:10] for unit in found if isinstance(unit, Found)]


def test_the_order_of_dates_is_that_of_the_whole_file_and_is_told():
    rows = ["Ida;Hi.;5/6/2026", "Ben;Ho.;6/13/2026"]
    assert said(plain(*rows)) == ["2026-05-06", "2026-06-13"]
    assert warnings(plain(*rows)) == [
        "dates are read with the month first: a second number is above 12; --date-order overrides"
    ]
    given = plain(*rows, date_order="dmy")
    assert said(given) == ["2026-06-05", None]
    assert warnings(given) == ["1 time could not be read, the first in line 3; it is left out"]
    assert skipped(given) == {}
    with pytest.raises(UsageError, match="no order of dates"):
        plain(*rows, date_order="ydm")


def test_a_table_that_stands_newest_first_is_turned_round():
    rows = [f"Ida;number {n};2026-05-01 10:{n:02}" for n in range(9)]
    assert texts(plain(*rows[::-1])) == texts(plain(*rows))
    mixed = [*rows[5:], *rows[:5]]
    assert texts(plain(*mixed)) == [row.split(";")[1] for row in mixed]


# --- maps -------------------------------------------------------------------------------------------


def test_without_a_map_one_is_proposed():
    data = b"id,author_role,message,sent_at\n1,agent,Hi.,\n2,customer,Ho.,\n"
    with pytest.raises(UsageError) as caught:
        read(NAME, data, "a.csv")
    assert caught.value.hint == (
        "mem ingest a.csv --map text=message --map role=author_role --map time=sent_at --map id=id"
        " --role agent=assistant --role customer=user"
    )


def test_a_column_that_is_not_there_or_is_there_twice():
    with pytest.raises(UsageError, match="no column 'text'") as caught:
        units(b"a,b\n1,2\n", {"text": "text"})
    assert caught.value.hint == "the columns are 'a', 'b'"
    with pytest.raises(UsageError, match="2 columns 'a'"):
        units(b"a,a\n1,2\n", {"text": "a"})
    assert texts(units(b" Body ,b\n1,2\n", {"text": "body"})) == ["1"]


def test_what_is_named_decides_the_delimiter():
    data = b"text;a,b,c\nHi, you;1,2,3\n"
    assert texts(units(data, {"text": "text"})) == ["Hi, you"]


# --- detection --------------------------------------------------------------------------------------


def test_a_table_of_messages_is_claimed_weakly_and_others_are_not():
    assert sniff(NAME, b"id,author,message,sent\n1,Ida,Hi.,\n") == 0.5
    for data in (
        b"",
        b"{}",
        b"[1, 2]",
        b"name,price\nbowl,5\n",
        b"message,sender\n",
        b"Dear Ida,\n\nthe kiln, as you know, is broken.\n\nBen\n",
        b"SQLite format 3\x00",
        b"kiln==1.0\nwheel==2.0\n",
        b"Ida: Hi, you.\nBen: Ho, you.\nIda: So.\nBen: So.\n",
    ):
        assert sniff(NAME, data) < 0.5


def test_with_a_map_only_mapped_readers_are_asked():
    source = Bytes(b"name,price\nbowl,5\n")
    assert detect(source, mapped=True).name == "csv"
    assert detect(Bytes(b'{"role": "user", "content": "Hi."}'), mapped=True).name == "jsonl"
    with pytest.raises(UsageError, match="no columns to map"):
        detect(source, "locomo", mapped=True)
