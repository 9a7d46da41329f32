"""A store that answers with canned reports and remembers what it was asked."""

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

from memcli import api
from tests.render import samples


class FakeStore(api.Store):
    """Every method returns what `answers` holds for it (of an iterator the next), or raises it."""

    def __init__(self, asked: list[tuple[str, tuple[Any, ...], dict[str, Any]]]) -> None:
        self.path = Path("memory.db")
        self.asked = asked
        self.answers: dict[str, Any] = {
            "ingest": samples.INGEST,
            "add": samples.INGEST,
            "consolidate": samples.CONSOLIDATE,
            "compare": samples.COMPARED,
            "apply_plan": samples.CONSOLIDATE,
            "forget": samples.FORGOTTEN,
            "estimate": samples.ESTIMATE,
            "calls": samples.CALLS,
            "recorded_call": samples.CALL,
            "export_calls": samples.EXPORTED,
            "exported_calls": iter([["one\n", "two\n"]]),
            "import_calls": samples.IMPORTED,
            "prune_calls": samples.PRUNED,
            "due": samples.DUE,
            "diff": samples.DIFF,
            "diff_against": samples.DIFF,
            "log": samples.PASSES,
            "history": samples.HISTORY,
            "why": samples.WHY,
            "rollback": samples.ROLLBACK,
            "rollback_to": samples.ROLLBACK,
            "undo": samples.ROLLBACK,
            "redo": samples.ROLLBACK,
            "rate": samples.RATED,
            "audit": samples.AUDIT,
            "audit_self_test": samples.CLEAN,
            "search": samples.SEARCH,
            "context": samples.CONTEXT,
            "digest": samples.DIGEST,
            "reindex": samples.REINDEX,
        }

    def __enter__(self) -> "FakeStore":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.asked.append(("close", (), {}))

    def __getattribute__(self, name: str) -> Any:
        known = object.__getattribute__(self, "__dict__").get("answers", {})
        if name not in known and name != "show":
            return object.__getattribute__(self, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            self.asked.append((name, args, kwargs))
            answer = samples.SHOWN[args[0]] if name == "show" else known[name]
            if isinstance(answer, BaseException):
                raise answer
            return next(answer) if isinstance(answer, Iterator) else answer

        return call
