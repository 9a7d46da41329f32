"""LoCoMo conversations (snap-research/LoCoMo; Maharana et al. 2024; formats.md, 6.12).

The answer keys beside the conversation (`qa`, `observation`, `event_summary`, `session_summary`)
and the `query` of an image, which nobody said, are never read.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime, tzinfo
from typing import Any

from memcli.core.found import Bad, Found, Guess, Skipped, Unit
from memcli.core.records import TimeSource
from memcli.kit import attach
from memcli.kit.distinct import distinct
from memcli.kit.frame import read_json
from memcli.kit.head import NEAR, NO, SURE, Head, look
from memcli.kit.identity import canonical, digest
from memcli.kit.normalise import name_of, text_of
from memcli.kit.times import local, zone
from memcli.kit.values import Value
from memcli.ports import ReadOptions, Source
from memcli.registry import reader

_SESSION = re.compile(r"session_(\d{1,6})")
_DATE = re.compile(r"session_(\d{1,6})_date_time")
_SAID = re.compile(r"(\d{1,2}):(\d\d) ?([ap])\.?m\.? on (\d{1,2}) ([a-z]{3})[a-z]*,? (\d{4})")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# The questions stand before the conversation and can be longer than the usual head.
_LONG_HEAD = 1 << 20


def sniff(source: Source) -> Guess:
    """Sure by `speaker_a` beside a `session_N`, in the object or in its `conversation`."""
    head = look(source)
    if any("qa" in value and "conversation" not in value for value in head.objects[:1]):
        head = look(source, _LONG_HEAD)
    return _judge(head)


def _judge(head: Head) -> Guess:
    for value in head.objects:
        talk = _talk(value)
        if isinstance(talk.get("speaker_a"), str):
            if any(_SESSION.fullmatch(key) and isinstance(talk[key], list) for key in talk):
                return Guess(SURE, "speaker_a and session_N")
            return Guess(NEAR, "speaker_a, but no session_N with a list of turns")
    return Guess(NO, "no conversation with speaker_a" if head.objects else head.no_json)


def _talk(sample: Mapping[str, Any]) -> Mapping[str, Any]:
    """The sessions of a sample; in an older archive they are the sample itself."""
    talk = sample.get("conversation")
    return talk if isinstance(talk, dict) else sample


@reader(
    "locomo",
    title="LoCoMo conversations (JSON)",
    sniff=sniff,
    recognised="a conversation with speaker_a and session_N",
)
def read(source: Source, options: ReadOptions) -> Iterator[Unit]:
    """All turns of each sample, sessions by number, each with its session's time.

    A caption of an image is a record of kind attachment. Identity is sample id + dia_id. Only
    what is passed over or bad has a line, that of the sample.
    """
    yield from distinct(_samples(source, zone(options.tz)))


def _samples(source: Source, where: tzinfo) -> Iterator[Unit]:
    for unit in read_json(source):
        if not isinstance(unit, Value):
            yield unit
        elif isinstance(unit.data, dict):
            yield from _sample(unit.data, unit.line, where)
        else:
            yield Bad("a sample that is no object", unit.line)


def _sample(sample: dict[str, Any], line: int, where: tzinfo) -> Iterator[Unit]:
    talk = _talk(sample)
    key = name_of(sample.get("sample_id")) or _unnamed(talk)
    numbers = {int(found[1]): name for name in talk if (found := _SESSION.fullmatch(name))}
    for number, name in sorted(numbers.items()):
        turns = talk[name]
        if not isinstance(turns, list):
            yield Bad(f"{name} is no list of turns", line)
            continue
        said_at, source = _time(talk.get(f"{name}_date_time"), where)
        if not turns:
            yield Skipped("empty_session", line)
        for place, turn in enumerate(turns, 1):
            if isinstance(turn, dict):
                fallback = f"session_{number}:{place}"
                yield from _turn(turn, key, f"{key}/{name}", fallback, said_at, source, line)
            else:
                yield Bad(f"turn {place} of {name} is no object", line)
    dated = {int(found[1]) for name in talk if (found := _DATE.fullmatch(name))}
    lone = len(dated - set(numbers))
    if lone:
        yield Skipped("date_without_session", line, lone)


def _unnamed(talk: Mapping[str, Any]) -> str:
    """The key of a sample without a name: who talks, since when, and the first words."""
    first = talk.get("session_1")
    turn = first[0] if isinstance(first, list) and first else None
    words = turn.get("text") if isinstance(turn, dict) else None
    about = (talk.get("speaker_a"), talk.get("speaker_b"), talk.get("session_1_date_time"), words)
    return digest("locomo", *(canonical(text_of(one)) for one in about))[:32]


def _turn(
    turn: dict[str, Any],
    key: str,
    session: str,
    fallback: str,
    said_at: str | None,
    time_source: TimeSource,
    line: int,
) -> Iterator[Unit]:
    native = name_of(turn.get("dia_id"))
    identity = f"{key}/{native or fallback}"
    text = text_of(turn.get("text"))
    caption = text_of(turn.get("blip_caption"))
    urls = turn.get("img_url")
    images = [attach.of_url(url, "image") for url in (urls if isinstance(urls, list) else [urls])]
    if urls is None:
        images = [attach.reference("image")] if caption else []

    def found(kind: Any, identity: str, text: str, about: dict[str, Any]) -> Found:
        return Found(
            identity=identity,
            session=session,
            kind=kind,
            role="user",
            text=text,
            speaker=name_of(turn.get("speaker")),
            said_at=said_at,
            time_source=time_source,
            attributes=about,
            line=None,  # a sample stands on one line: it says nothing of a turn
            container=key,
            native=native,
        )

    if not text and not images:
        yield Skipped("empty", line)
        return
    yield found("utterance", identity, text, {"attachments": images} if images else {})
    if caption:
        about = {"of": identity, "attachments": images[:1]}
        yield found("attachment", f"{identity}:attachment:1", caption, about)


def _time(given: Any, where: tzinfo) -> tuple[str | None, TimeSource]:
    """The time of a session, such as `1:56 pm on 8 May, 2023`; `12:09 am` is 00:09."""
    found = _SAID.fullmatch(text_of(given).casefold())
    if found is None or found[5] not in _MONTHS or not 1 <= int(found[1]) <= 12:
        return None, "none"
    hour = int(found[1]) % 12 + (12 if found[3] == "p" else 0)
    try:
        month = _MONTHS.index(found[5]) + 1
        moment = datetime(int(found[6]), month, int(found[4]), hour, int(found[2]))
    except ValueError:
        return None, "none"
    said_at, _ = local(moment, where)
    return said_at, "none" if said_at is None else "session"
