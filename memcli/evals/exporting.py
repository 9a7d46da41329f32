"""Answers in the form that LongMemEval's own scripts score: a line of JSON a question."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from memcli.engine import writing
from memcli.errors import ExistsError, UsageError
from memcli.evals.level2 import Answers
from memcli.evals.suite import Suite

FORMS = ("longmemeval",)


def target(given: str) -> Path:
    """The file of `longmemeval=FILE`; raises UsageError, and ExistsError for a file that holds
    something else than answers."""
    form, equals, name = given.partition("=")
    if form not in FORMS or not equals or not name:
        raise UsageError(
            f"{given!r} is no export.", where="--export", hint="--export longmemeval=answers.jsonl"
        )
    path = Path(name)
    try:
        if path.exists() and path.stat().st_size and not _is_ours(path):
            raise ExistsError(
                "There is a file already, and it holds no answers.",
                where=name,
                hint="choose another name",
            )
    except (OSError, ValueError) as error:
        raise writing.unwritten("The export", path, error) from error
    return path


def _is_ours(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        try:
            first = json.loads(file.readline(1 << 20))
        except ValueError:
            return False
    return isinstance(first, dict) and {"question_id", "hypothesis"} <= first.keys()


def write(path: Path, suite: Suite, answered: Sequence[Answers]) -> None:
    """The answers of the last arm that retrieves; the benchmark's own fields stand beside."""
    chosen = next((one for one in reversed(answered) if one.arm.letter in "de"), answered[-1])
    try:
        writing.write(path, _lines(suite, chosen))
    except (OSError, ValueError) as error:
        raise writing.unwritten("The export", path, error) from error


def _lines(suite: Suite, chosen: Answers) -> Iterator[str]:
    for probe, text in zip(suite.probes, chosen.texts, strict=True):
        line = {
            "question_id": probe.id,
            "question_type": probe.category or probe.kind,
            "question": probe.question,
            "answer": probe.answer[0] if len(probe.answer) == 1 else list(probe.answer),
            **probe.original,
            "hypothesis": text or "",
        }
        yield json.dumps(line, ensure_ascii=False) + "\n"
