"""The prompts of all tasks as files to read, so that a change of one is seen in review.

`python -m tests.tasks.write_prompts` writes `tests/tasks/prompts/`, from `examples.py`.
"""

import json
from pathlib import Path
from typing import Any

from tests.tasks.examples import EXAMPLES

FOLDER = Path(__file__).parent / "prompts"


def text_of(task: Any) -> str:
    """All that decides over an answer: name, version, messages, schema; and what it shows."""
    parts = [f"{task.name} {task.version}, asked of [model.{task.setting}]"]
    parts += [f"--- {one['role']} ---\n{one['content']}" for one in task.messages()]
    parts.append("--- schema ---\n" + json.dumps(task.schema(), indent=1, sort_keys=True))
    parts.append("--- shows ---\n" + ", ".join(task.sources()))
    return "\n\n".join(parts) + "\n"


def main() -> None:
    """Write a file for each example, and remove those of examples that are gone."""
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.glob("*.txt"):
        if path.stem not in EXAMPLES:
            path.unlink()
    for name, task in EXAMPLES.items():
        (FOLDER / f"{name}.txt").write_text(text_of(task), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
