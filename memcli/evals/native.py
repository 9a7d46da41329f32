"""Suites in the form of `mem` itself (docs/evaluation.md)."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from memcli.core.found import Found
from memcli.evals import fields
from memcli.evals.suite import KINDS, Probe, Suite, World

NAME = "probes"
SCHEMA = "mem.suite/1"
_RECORD = ("session", "time", "role", "text", "ref", "speaker", "attachments")
_PROBE = (
    *("id", "kind", "records", "world", "question", "question_time", "answer", "current_refs"),
    *("stale_refs", "distractor_refs", "stale_answer", "rubric", "as_of", "category", "note"),
)


def recognises(value: Any) -> bool:
    """Whether this is meant to be such a suite."""
    if isinstance(value, dict):
        return "probes" in value
    return (
        isinstance(value, list)
        and bool(value)
        and isinstance(value[0], dict)
        and {"kind", "question"} <= value[0].keys()
    )


def convert(value: Any, name: str, sha256: str) -> Suite:
    """The suite; raises InputError. A list of probes stands for an object with `probes` alone."""
    whole = {"probes": value} if isinstance(value, list) else fields.table(value, name)
    schema = whole.get("schema") or SCHEMA
    if schema != SCHEMA:
        fields.bad(f"The suite is of another form, {str(schema)[:60]!r}.", name)
    worlds: dict[str, World] = {}
    shared = fields.table(whole.get("worlds", {}), f"{name}, worlds")
    for title, given in shared.items():
        place = f"{name}, world {title!r}"
        worlds[title] = _world(title, fields.table(given, place).get("records"), place)
    probes: list[Probe] = []
    seen: set[str] = set()
    for number, given in enumerate(fields.rows(whole.get("probes"), f"{name}, probes"), 1):
        place = f"{name}, probe {number}"
        entry = fields.table(given, place)
        ident = fields.text(entry, "id", place)
        place = f"{name}, probe {ident!r}"
        if ident in seen:
            fields.bad("Two probes have this id.", place)
        seen.add(ident)
        _only(entry, _PROBE, place)
        world = _world_of(entry, ident, worlds, place)
        probes.append(_probe(entry, ident, world, place))
    if not probes:
        fields.bad("There is no probe in this suite.", name)
    return Suite(
        fields.plain(whole.get("name")) or name,
        NAME,
        worlds,
        tuple(probes),
        sha256,
        _problems(probes, worlds),
    )


def _only(given: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in given:
        if key not in known:
            fields.bad(f"There is no field {key[:60]!r} here; there are {', '.join(known)}.", where)


def _world_of(entry: Mapping[str, Any], ident: str, worlds: dict[str, World], where: str) -> World:
    """The world that a probe names, or that of its own records."""
    named = entry.get("world")
    if named is None:
        title = f"probe:{ident}"
        worlds[title] = _world(title, entry.get("records"), where)
        return worlds[title]
    if entry.get("records") is not None:
        fields.bad("A probe has records of its own or names a world, not both.", where)
    if not isinstance(named, str) or named not in worlds:
        fields.bad(f"There is no world {str(named)[:60]!r} in this suite.", where)
    return worlds[named]


def _world(title: str, given: Any, where: str) -> World:
    units: list[Found] = []
    refs: dict[str, tuple[str, ...]] = {}
    for number, value in enumerate(fields.rows(given, f"{where}, records"), 1):
        place = f"{where}, record {number}"
        entry = fields.table(value, place)
        _only(entry, _RECORD, place)
        ref = fields.text(entry, "ref", place)
        if f"{title}/{ref}" in refs:
            fields.bad(f"Two records have the ref {ref!r}.", place)
        made = fields.record(
            world=title,
            session=fields.text(entry, "session", place),
            ref=ref,
            role=entry.get("role", "user"),
            words=fields.text(entry, "text", place),
            said_at=fields.moment(entry.get("time"), place),
            speaker=entry.get("speaker"),
            captions=fields.texts(entry.get("attachments"), place),
            where=place,
        )
        units += made
        refs.update((unit.identity, (ref,)) for unit in made)
    return World(title, tuple(units), refs)


def _probe(entry: Mapping[str, Any], ident: str, world: World, where: str) -> Probe:
    kind = fields.text(entry, "kind", where)
    if kind not in KINDS:
        fields.bad(f"There is no kind {kind[:60]!r}.", where, hint="one of " + ", ".join(KINDS))
    known = {ref for names in world.refs.values() for ref in names}
    refs = {}
    for key in ("current_refs", "stale_refs", "distractor_refs"):
        refs[key] = fields.texts(entry.get(key), f"{where}, {key}")
        for ref in refs[key]:
            if ref not in known:
                fields.bad(f"{key} names {ref[:60]!r}, and no record has this ref.", where)
    both = next((ref for ref in refs["current_refs"] if ref in refs["stale_refs"]), None)
    if both is not None:
        fields.bad(f"{both[:60]!r} is current and stale.", where)
    if kind != "abstain" and not refs["current_refs"]:
        fields.bad("current_refs is empty: only a probe of kind abstain has no answer.", where)
    return Probe(
        ident,
        kind,
        world.name,
        fields.text(entry, "question", where),
        fields.moment(entry.get("question_time"), f"{where}, question_time"),
        fields.texts(entry.get("answer"), f"{where}, answer"),
        stale_answer=fields.texts(entry.get("stale_answer"), f"{where}, stale_answer"),
        rubric=fields.texts(entry.get("rubric"), f"{where}, rubric"),
        as_of=fields.moment(entry.get("as_of"), f"{where}, as_of"),
        category=fields.text(entry, "category", where, default=""),
        cluster=world.name,
        current_refs=refs["current_refs"],
        stale_refs=refs["stale_refs"],
        distractor_refs=refs["distractor_refs"],
    )


def _problems(probes: list[Probe], worlds: Mapping[str, World]) -> dict[str, int]:
    found: Counter[str] = Counter()
    found["unanswered_probes"] = sum(not p.answer and p.kind != "abstain" for p in probes)
    used = {probe.world for probe in probes}
    found["unused_worlds"] = sum(name not in used for name in worlds)
    return {key: count for key, count in found.items() if count}
