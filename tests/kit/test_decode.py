"""Any encoding that transcripts come in gives the same text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.kit.decode import encoding_of, text_chunks, utf8_chunks
from tests.readers.build import Bytes

TEXT = '{"a": "Töpfe \u2028 \U0001f600"}\n'
ENCODED = {
    "utf-8": TEXT.encode(),
    "utf-8 with BOM": TEXT.encode("utf-8-sig"),
    "utf-16 with BOM": TEXT.encode("utf-16"),
    "utf-16-le": TEXT.encode("utf-16-le"),
    "utf-16-be": TEXT.encode("utf-16-be"),
    "utf-16-be with BOM": b"\xfe\xff" + TEXT.encode("utf-16-be"),
    "utf-32 with BOM": TEXT.encode("utf-32"),
}


@pytest.mark.parametrize("name", ENCODED)
@pytest.mark.parametrize("step", [1, 2, 3, 5, 1000])
def test_encodings_and_pieces(name, step):
    source = Bytes(ENCODED[name], step=step)
    assert b"".join(utf8_chunks(source)).decode() == TEXT
    assert "".join(text_chunks(source)) == TEXT


@pytest.mark.parametrize("data", [b"", b"a", b"ab", b"\xff", b"\xef\xbb", b"\x00\x00\x00\x00"])
def test_short_and_odd_beginnings_come_through(data):
    assert b"".join(utf8_chunks(Bytes(data))) == data
    assert encoding_of(data) == ("utf-8", 0)


def test_bytes_that_are_no_utf8_can_be_told():
    assert "".join(text_chunks(Bytes(b"a\xffb"))) == "a\udcffb"
    assert b"".join(utf8_chunks(Bytes(b"\xff\xfea\x00\x00\xd8"))).decode() == "a\ufffd"


@given(st.binary(max_size=60), st.integers(1, 9))
def test_pieces_never_matter(data, step):
    whole = b"".join(utf8_chunks(Bytes(data)))
    assert b"".join(utf8_chunks(Bytes(data, step=step))) == whole
    assert "".join(text_chunks(Bytes(data, step=step))) == "".join(text_chunks(Bytes(data)))
