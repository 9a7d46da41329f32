"""Bytes of a source -> UTF-8, whatever it was written in.

PowerShell redirects in UTF-16 LE (jqlang/jq#2351), Windows editors prepend a BOM
(microsoft/promptflow#4172). Everything after this module sees UTF-8 without BOM, so that lines
can be cut at LF bytes.
"""

import codecs
from collections.abc import Iterator

from memcli.ports import Source

# UTF-32's little-endian mark begins with UTF-16's, so it has to be asked first.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def encoding_of(first: bytes) -> tuple[str, int]:
    """(codec, length of the BOM in bytes) by the first four bytes; UTF-8 if nothing speaks.

    Without a BOM, UTF-16 shows by a zero byte in every second place: transcripts begin with an
    ASCII character. Four bytes without a pattern are left to UTF-8, where they will be refused.
    """
    for mark, codec in _MARKS:
        if first.startswith(mark):
            return codec, len(mark)
    zero = [byte == 0 for byte in first[:4]]
    if zero in ([False, True], [False, True, False, True]):
        return "utf-16-le", 0
    if zero in ([True, False], [True, False, True, False]):
        return "utf-16-be", 0
    return "utf-8", 0


def utf8_chunks(source: Source) -> Iterator[bytes]:
    """The source as UTF-8 chunks without BOM; invalid UTF-8 comes through as it is.

    Invalid UTF-16 or UTF-32 becomes U+FFFD.
    """
    chunks = iter(source.chunks())
    first = b""
    for chunk in chunks:
        first += chunk
        if len(first) >= 4:
            break
    codec, skip = encoding_of(first)
    if codec == "utf-8":
        yield first[skip:]
        yield from chunks
        return
    decoder = codecs.getincrementaldecoder(codec)("replace")
    yield decoder.decode(first[skip:]).encode()
    for chunk in chunks:
        yield decoder.decode(chunk).encode()
    yield decoder.decode(b"", final=True).encode()


def text_chunks(source: Source) -> Iterator[str]:
    """The source as text; a byte that is not UTF-8 becomes a surrogate U+DC80..U+DCFF.

    JSON cannot hold a raw surrogate otherwise, so a reader can tell which element was damaged.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    for chunk in utf8_chunks(source):
        yield decoder.decode(chunk)
    yield decoder.decode(b"", final=True)
