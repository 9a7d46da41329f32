"""Damaged inputs of each format through the whole of an ingest, into a real store."""

import random
from pkgutil import iter_modules

import pytest

from memcli import readers
from memcli.api import open_store
from memcli.core.options import ReadOptions
from memcli.errors import InputError, UsageError
from tests.readers.test_fuzz import INPUTS, MAPS, VALID

_TRIES = 12


def test_there_is_a_valid_input_of_each_format():
    assert set(VALID) == {module.name for module in iter_modules(readers.__path__)}


def damaged(data: bytes, chance: random.Random) -> bytes:
    """`data` with some bytes lost, some lines lost or twice, or the end cut off."""
    lines = data.split(b"\n")
    place = chance.randrange(len(lines))
    match chance.randrange(4):
        case 0:
            return data[: chance.randrange(len(data))]
        case 1:
            lines.insert(chance.randrange(len(lines) + 1), lines[place])
        case 2:
            lines[place] = lines[place][: chance.randrange(len(lines[place]) + 1)]
        case _:
            at = chance.randrange(len(data))
            return data[:at] + chance.randbytes(3) + data[at + chance.randrange(9) :]
    return b"\n".join(lines)


@pytest.mark.parametrize("number", range(len(INPUTS)))
def test_what_is_damaged_leaves_a_sound_store_and_adds_nothing_when_read_again(tmp_path, number):
    name, valid = INPUTS[number]
    chance = random.Random(number)
    options = ReadOptions(columns=MAPS.get(name, {}), all_branches=number % 2 == 0)
    read = 0
    with open_store(tmp_path / "memory.db", mode="create") as store:
        for turn in range(_TRIES):
            path = tmp_path / f"{turn}.input"
            path.write_bytes(damaged(valid, chance) if turn else valid)
            try:
                store.ingest([str(path)], format=name, options=options)
            except (InputError, UsageError):
                continue
            read += 1
            again = store.ingest([str(path)], format=name, options=options)
            assert again.pass_id is None
            assert (again.records_new, again.missing) == (0, 0)
        assert read
        assert store.audit(deep=True).findings == ()
