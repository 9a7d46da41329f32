"""A suite from a file: which form it has, and its probes narrowed to those that are wanted."""

import dataclasses
import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from memcli.core.found import Found
from memcli.errors import InputError, UsageError
from memcli.evals import beam, factconsolidation, fields, halumem, locomo, longmemeval, native
from memcli.evals.suite import Probe, Suite, World
from memcli.kit.jsonio import BadJsonError, parse

SHIPPED = "probes"
_LARGEST = 4 * 1024**3
_FORMS = (native, longmemeval, beam, halumem, factconsolidation)
_ROLE_KINDS = ("user", "assistant", "system", "tool", "memory")


def load(source: str) -> Suite:
    """The suite in the file `source`, or those that come with the program for `probes`.

    Raises InputError for what is no suite: what, where, what to do.
    """
    return shipped() if source == SHIPPED else of_file(Path(source))


def shipped() -> Suite:
    """All suites of the package as one."""
    found = resources.files("memcli.evals") / "suites"
    parts = sorted((one for one in found.iterdir() if one.name.endswith(".json")), key=_name)
    if not parts:
        raise InputError(
            "The probes that come with the program are not installed.",
            where=str(found),
            hint="name a suite: mem eval SUITE.json",
        )
    return _joined([of_bytes(one.read_bytes(), one.name) for one in parts])


def _name(part: Any) -> str:
    return str(part.name)


def of_file(path: Path) -> Suite:
    """The suite in a file."""
    try:
        if not path.is_file():
            there = path.exists()
            what = "This is a folder." if path.is_dir() else "This is no plain file."
            raise InputError(
                what if there else "There is no such file.",
                where=str(path),
                hint="name a suite, or leave it out for the probes that come with the program",
            )
        data = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"The suite cannot be read: {error.strerror or error}.",
            where=str(path),
            hint="name a file that you may read",
        ) from error
    return of_bytes(data, path.name)


def of_bytes(data: bytes, name: str) -> Suite:
    """The suite in the bytes of a file called `name`."""
    suite = _converted(_value(data, name), name, data)
    return suite if suite.probes else fields.bad("There is no question in this suite.", name)


def _converted(value: Any, name: str, data: bytes) -> Suite:
    sha256 = hashlib.sha256(data).hexdigest()
    if locomo.recognises(value):  # it is read by the reader of such files, from their bytes
        return locomo.convert(value, name, sha256, data)
    for form in _FORMS:
        if form.recognises(value):
            suite: Suite = form.convert(value, name, sha256)
            return suite
    raise InputError(
        "This is no suite of a form that is known.",
        where=name,
        hint=f"one of {', '.join(form.NAME for form in (*_FORMS, locomo))}; {fields.HINT}",
    )


def _value(data: bytes, name: str) -> Any:
    try:
        return parse(data)
    except BadJsonError as whole:
        # JSON Lines: a value a line.
        lines = [line for line in data.splitlines() if line.strip()]
        try:
            if len(lines) > 1:
                return [parse(line) for line in lines]
        except BadJsonError:
            pass
        raise InputError(f"The suite is {whole.reason}.", where=name, hint=fields.HINT) from whole


def _joined(suites: list[Suite]) -> Suite:
    """Several suites as one; ids and worlds are kept apart by the names of theirs if they clash."""
    worlds: dict[str, World] = {}
    probes: list[Probe] = []
    problems: dict[str, int] = defaultdict(int)
    for suite in suites:
        for title, world in suite.worlds.items():
            if title in worlds:
                fields.bad(f"Two suites have a world {title!r}.", suite.name)
            worlds[title] = world
        known = {probe.id for probe in probes}
        for probe in suite.probes:
            if probe.id in known:
                fields.bad(f"Two suites have a probe {probe.id!r}.", suite.name)
        probes += suite.probes
        for key, count in suite.problems.items():
            problems[key] += count
    told = json.dumps([suite.sha256 for suite in suites])
    sha256 = hashlib.sha256(told.encode()).hexdigest()
    return Suite(SHIPPED, native.NAME, worlds, tuple(probes), sha256, dict(problems))


# --- narrowed -------------------------------------------------------------------------------------


def narrowed(
    suite: Suite,
    *,
    kinds: Collection[str] = (),
    categories: Collection[str] = (),
    roles: Collection[str] = (),
    limit: int | None = None,
    pool: bool = False,
) -> Suite:
    """The suite with these probes only, and with the records of these roles only.

    A probe loses the refs of records that are left out. With `pool` all records are in one world,
    also those of probes that are not asked. Raises UsageError where nothing is left.
    """
    probes = list(suite.probes)
    probes = _chosen(probes, "kind", kinds, "--kind")
    probes = _chosen(probes, "category", categories, "--categories")
    for role in roles:
        if role not in _ROLE_KINDS:
            raise UsageError(
                f"There is no role {role!r}.", where="--role", hint=", ".join(_ROLE_KINDS)
            )
    worlds = dict(suite.worlds)
    if roles:
        worlds = {title: _of_roles(world, roles) for title, world in worlds.items()}
    if pool:
        worlds, probes = _pooled(worlds, probes)
    probes = [_held(probe, worlds[probe.world]) for probe in probes]
    if limit is not None:
        probes = _few(probes, limit)
    if not probes:
        raise UsageError(
            "No probe of this suite is of this kind and category.",
            where="--kind, --categories",
            hint="leave one of them out",
        )
    used = {probe.world for probe in probes}
    worlds = {title: world for title, world in worlds.items() if title in used}
    return dataclasses.replace(suite, worlds=worlds, probes=tuple(probes))


def _few(probes: Sequence[Probe], limit: int) -> list[Probe]:
    """So many, in their order: the first of each kind in turn, for a suite may go kind by kind."""
    nth: Counter[str] = Counter()
    turns: list[tuple[int, int]] = []
    for place, probe in enumerate(probes):
        turns.append((nth[probe.kind], place))
        nth[probe.kind] += 1
    return [probes[place] for place in sorted(place for _, place in sorted(turns)[:limit])]


def _chosen(probes: list[Probe], field: str, wanted: Collection[str], option: str) -> list[Probe]:
    if not wanted:
        return probes
    there = sorted({getattr(probe, field) for probe in probes} - {""})
    for one in wanted:
        if one not in there:
            raise UsageError(
                f"No probe of this suite is of {field} {one!r}.",
                where=option,
                hint=f"there are {', '.join(there)}" if there else "leave the option out",
            )
    return [probe for probe in probes if getattr(probe, field) in wanted]


def _of_roles(world: World, roles: Collection[str]) -> World:
    units = tuple(unit for unit in world.units if unit.role in roles)
    return dataclasses.replace(world, units=units)


def _held(probe: Probe, world: World) -> Probe:
    """The probe without refs that no record of its world has."""
    there = {ref for unit in world.units for ref in world.refs.get(unit.identity, ())}
    return dataclasses.replace(
        probe,
        current_refs=tuple(ref for ref in probe.current_refs if ref in there),
        stale_refs=tuple(ref for ref in probe.stale_refs if ref in there),
        distractor_refs=tuple(ref for ref in probe.distractor_refs if ref in there),
        evidence_refs=tuple(ref for ref in probe.evidence_refs if ref in there),
    )


def _pooled(worlds: dict[str, World], probes: list[Probe]) -> tuple[dict[str, World], list[Probe]]:
    """All worlds as one. The same words of the same role at the same time are one record."""
    units: list[Found] = []
    refs: dict[str, tuple[str, ...]] = {}
    first: dict[tuple[str, str, str | None], str] = {}
    for title, world in worlds.items():
        for unit in world.units:
            named = tuple(f"{title}/{ref}" for ref in world.refs.get(unit.identity, ()))
            key = (unit.role, unit.text, unit.said_at)
            if unit.kind == "utterance" and key in first:
                refs[first[key]] += named
                continue
            first[key] = unit.identity
            refs[unit.identity] = named
            units.append(unit)
    formats = {world.format for world in worlds.values()}
    one = World("pool", tuple(units), refs, formats.pop() if len(formats) == 1 else "probes")

    def moved(probe: Probe) -> Probe:
        def names(given: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(f"{probe.world}/{ref}" for ref in given)

        return dataclasses.replace(
            probe,
            world="pool",
            current_refs=names(probe.current_refs),
            stale_refs=names(probe.stale_refs),
            distractor_refs=names(probe.distractor_refs),
            evidence_refs=names(probe.evidence_refs),
        )

    return {"pool": one}, [moved(probe) for probe in probes]
