"""The entry of `mem`. Help and version are answered here, before anything else is imported."""

import gc
import os
import sys

from memcli import __version__

_HELP = ("-h", "--help")
_SELDOM = 50_000  # objects more, instead of 700
_INTERRUPTED = "Interrupted. Nothing is half-written: a pass is stored whole or not at all."


def main(arguments: list[str] | None = None) -> int:
    """Run one command line; the exit code comes back."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        if not given or given[0] in _HELP or given == ["help"]:
            return _say(_help())
        if given[0] == "--version":
            return _say(f"mem {__version__}\n")
        return _process(given) if arguments is None else _command(given)
    except KeyboardInterrupt:
        return _interrupted("--json" in given)


def _process(given: list[str]) -> int:
    """A command that a process of its own is for: memory is searched for what nothing leads to
    seldom, and at the end not at all. That took a fifth of a short command."""
    if not hasattr(gc, "freeze"):
        return _command(given)
    gc.set_threshold(_SELDOM)
    try:
        return _command(given)
    finally:
        gc.freeze()


def _command(given: list[str]) -> int:
    if given[0] == "help":
        given = [given[1], "--help"]
    from memcli.cli import _run

    return _run.run(given[0], given[1:])


def _help() -> str:
    # Through the loader, so that a zipped installation has its help too.
    path = os.path.join(os.path.dirname(__file__), "cli", "help.txt")
    return str(__loader__.get_data(path), "utf-8").replace("\r\n", "\n")  # type: ignore[name-defined]


def _say(text: str) -> int:
    try:
        if sys.stdout is not None:
            sys.stdout.write(text)
            sys.stdout.flush()
    except OSError:
        # Nobody reads on; without this, Python would complain once more while it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 0


def _interrupted(as_json: bool) -> int:
    line = f"mem: {_INTERRUPTED}\n"
    if as_json:
        line = (
            f'{{"schema": "mem.error/1", "code": 130, "what": "{_INTERRUPTED}", '
            '"where": null, "hint": null, "details": {}}\n'
        )
    try:
        if sys.stderr is not None:
            sys.stderr.write(line)
    except OSError:
        pass
    return 130


if __name__ == "__main__":
    sys.exit(main())
