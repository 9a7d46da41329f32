"""The Python interface: `open_store` and `Store`. The command line uses nothing else.

with open_store("memory.db", mode="create") as store:
    store.ingest(["transcripts/"])
    report = store.consolidate("reflect")
    store.rollback(report.pass_id)

What a name or a method needs is imported when it is first asked for: a start of `mem show` pays for
what it shows.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from memcli.api.opened import Mode, ProgressCallback
from memcli.api.store import Store, open_store

__all__ = [
    "Mode",
    "ProgressCallback",
    "Store",
    "doctor",
    "evaluate",
    "format_warnings",
    "formats",
    "init_store",
    "open_store",
    "strategies",
]

if TYPE_CHECKING:
    from memcli.api.installation import doctor, format_warnings, formats, strategies
    from memcli.api.making import init_store
    from memcli.api.measuring import evaluate
else:
    _HOMES = {
        "doctor": "installation",
        "evaluate": "measuring",
        "format_warnings": "installation",
        "formats": "installation",
        "init_store": "making",
        "strategies": "installation",
    }

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
