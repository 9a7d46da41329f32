"""Run commands in this process, against a fake store."""

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from memcli import __main__, api
from tests.cli.fakes import FakeStore
from tests.render import samples


@dataclass
class Result:
    """What a command line answered."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The object on stdout."""
        return json.loads(self.out)

    @property
    def error(self) -> Any:
        """The object on stderr."""
        return json.loads(self.err)


Run = Callable[..., Result]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `mem` with these arguments and perhaps `stdin` bytes."""
    for name in ("NO_COLOR", "FORCE_COLOR", "MEM_DEBUG", "MEM_STORE"):
        monkeypatch.delenv(name, raising=False)

    def call(*arguments: str, stdin: bytes | None = None) -> Result:
        if stdin is not None:
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = __main__.main(list(arguments))
        out, err = capsys.readouterr()
        return Result(code, out, err)

    return call


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> FakeStore:
    """A fake store behind `api.open_store`; how it was opened is its first call."""
    calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
    fake = FakeStore(calls)

    def open_store(path: str | None = None, **kwargs: Any) -> FakeStore:
        calls.append(("open", (path,), kwargs))
        return fake

    monkeypatch.setattr(api, "open_store", open_store)
    monkeypatch.setattr(api, "init_store", _recorded(calls, "init", samples.INIT))
    monkeypatch.setattr(api, "doctor", _recorded(calls, "doctor", samples.DOCTOR))
    monkeypatch.setattr(api, "strategies", _recorded(calls, "strategies", samples.STRATEGIES))
    monkeypatch.setattr(api, "formats", _recorded(calls, "formats", samples.FORMATS))
    return fake


def _recorded(calls: list[Any], name: str, answer: Any) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        calls.append((name, args, kwargs))
        if isinstance(answer, BaseException):
            raise answer
        return answer

    return call
