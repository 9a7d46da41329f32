"""Readers that an installed package brings: they work like ours, and cannot get in their way."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
READER = '''
"""Kiln logs: one `WHO> TEXT` a line."""
from memcli.core.found import Found, Guess
from memcli.kit.identity import Chain
from memcli.registry import reader

def sniff(source):
    return Guess(0.9 if source.head(3) == b"Ida" and b"> " in source.head(20) else 0.0, "who> text")

@reader("NAME", title="Kiln logs", sniff=sniff, recognised="`who> text` from the first line on")
def read(source, options):
    chain = Chain()
    for number, line in enumerate(b"".join(source.chunks()).decode().splitlines(), 1):
        who, _, text = line.partition("> ")
        identity = chain.step("user", who, text)
        BODY
        yield Found(identity, "kiln", "utterance", "user", text, speaker=who, line=number)
'''


def install(folder: Path, module: str, source: str, value: str | None = None) -> None:
    """A package as pip leaves it: a module, and beside it what its metadata says."""
    (folder / f"{module}.py").write_text(source, "utf-8")
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n", "utf-8"
    )
    (info / "entry_points.txt").write_text(
        f"[memcli.readers]\n{module} = {value or module}\n", "utf-8"
    )


def a_reader(name: str = "kiln", body: str = "pass") -> str:
    """The source of a reader."""
    return READER.replace("NAME", name).replace("BODY", body)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder on the path, and two logs to read."""
    folder = tmp_path / "site"
    folder.mkdir()
    (tmp_path / "kiln.log").write_text("Ida> The kiln is hot.\nBen> At last.\n", "utf-8")
    chat = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]
    (tmp_path / "chat.json").write_text(json.dumps(chat), "utf-8")
    return folder


def mem(site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `mem` where the folder is on the path."""
    keep = {name: value for name, value in os.environ.items() if not name.startswith("MEM_")}
    return subprocess.run(
        [sys.executable, "-m", "memcli", *arguments],
        cwd=site.parent,
        env={**keep, "PYTHONPATH": os.pathsep.join((str(site), str(ROOT)))},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def test_reader_of_a_package_is_used(site):
    install(site, "mem_kiln", a_reader())
    listed = mem(site, "ingest", "--list-formats", "--json")
    assert "kiln" in [one["name"] for one in json.loads(listed.stdout)["formats"]]
    done = mem(site, "ingest", "kiln.log", "chat.json", "--json")
    report = json.loads(done.stdout)
    assert [source["format"] for source in report["sources"]] == ["kiln", "openai_chat"]
    assert (done.returncode, report["records_new"], report["warnings"]) == (0, 4, [])
    assert json.loads(mem(site, "ingest", "kiln.log", "--json").stdout)["records_new"] == 0


@pytest.mark.parametrize(
    ("source", "value", "said"),
    [
        ("import no_such_module", None, "ModuleNotFoundError"),
        ("raise SystemExit(3)", None, "SystemExit"),
        ("this is no Python", None, "SyntaxError"),
        ("x = 1", "mem_bad:missing", "AttributeError"),
        (a_reader("half") + "\nraise ValueError('later')", None, "ValueError: later"),
    ],
)
def test_package_that_is_broken_is_told_and_left_out(site, source, value, said):
    install(site, "mem_bad", source, value)
    install(site, "mem_kiln", a_reader())
    done = mem(site, "ingest", "kiln.log", "chat.json", "--json")
    report = json.loads(done.stdout)
    assert (done.returncode, report["records_new"]) == (0, 4)
    (warning,) = report["warnings"]
    assert "mem_bad" in warning
    assert said in warning
    listed = mem(site, "ingest", "--list-formats")
    assert listed.returncode == 0
    assert "half" not in listed.stdout
    assert listed.stderr.count("cannot be loaded") == 1


def test_name_that_is_taken_stays_with_ours(site):
    install(site, "mem_clash", a_reader("openai_chat"))
    done = mem(site, "ingest", "chat.json", "--json")
    report = json.loads(done.stdout)
    assert report["records_new"] == 2
    (warning,) = report["warnings"]
    assert "mem_clash" in warning
    assert "openai_chat" in warning
    assert mem(site, "ingest", "kiln.log").returncode == 2


def test_reader_that_fails_on_the_way_keeps_what_it_gave(site):
    install(site, "mem_kiln", a_reader(body="if number == 2: raise KeyError('who')"))
    done = mem(site, "ingest", "kiln.log", "--json")
    report = json.loads(done.stdout)
    assert (done.returncode, report["records_new"]) == (3, 1)
    (bad,) = report["sources"][0]["bad"]
    assert "mem_kiln" in bad["reason"]
    assert "KeyError" in bad["reason"]


def test_what_is_no_unit_is_bad(site):
    install(site, "mem_kiln", a_reader(body="yield {'text': text}"))
    done = mem(site, "ingest", "kiln.log", "--json")
    assert done.returncode == 3
    assert "gave a dict" in json.loads(done.stdout)["sources"][0]["bad"][0]["reason"]


def test_sniff_that_fails_does_not_block_the_others(site):
    source = a_reader().replace(
        "    return Guess(", "    raise RuntimeError('no')\n    return Guess("
    )
    install(site, "mem_kiln", source)
    done = mem(site, "ingest", "chat.json", "--json")
    report = json.loads(done.stdout)
    assert (done.returncode, report["records_new"]) == (0, 2)
    assert any(
        "mem_kiln" in warning and "RuntimeError" in warning for warning in report["warnings"]
    )
