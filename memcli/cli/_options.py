"""Options that several commands share, each declared once, and how their values are read."""

from collections.abc import Sequence
from typing import Annotated, Literal

from memcli.cli._params import Option
from memcli.core.records import Scope
from memcli.errors import UsageError

StoreOption = Annotated[
    str | None,
    Option(
        "--store",
        "-s",
        metavar="PATH",
        help="The store file. Else MEM_STORE, else `store` in mem.toml, else ./memory.db.",
    ),
]
JsonOption = Annotated[bool, Option("--json", help="Answer with one JSON object.")]
QuietOption = Annotated[bool, Option("--quiet", "-q", help="No notes and no progress.")]
NowOption = Annotated[str | None, Option("--now", metavar="ISO", help="Take this moment as now.")]
YesOption = Annotated[bool, Option("--yes", "-y", help="Answer every question with yes.")]
ScopeOption = Annotated[
    list[str] | None,
    Option("--scope", metavar="KEY=VALUE", help="Their user, agent or project; may be repeated."),
]
WithinOption = Annotated[
    list[str] | None,
    Option(
        "--scope",
        metavar="KEY=VALUE",
        help="Only this user, agent or project; may be repeated. Keys not given do not narrow.",
    ),
]
ModelOption = Annotated[
    str | None,
    Option(
        "--model",
        metavar="NAME",
        help="Who answers: a name of LiteLLM, or extractive. Else [model] of mem.toml, else rules.",
    ),
]
CallsOption = Annotated[
    Literal["reuse", "fresh", "none"],
    Option("--calls", help="Take recorded answers first, ask again, or never ask."),
]
MaxCallsOption = Annotated[
    int | None, Option("--max-calls", metavar="N", least=0, help="Stop before one call more.")
]
MaxTokensOption = Annotated[
    int | None,
    Option("--max-tokens", metavar="N", least=0, help="Stop before a call would pass that."),
]
MaxUsdOption = Annotated[
    float | None,
    Option("--max-usd", metavar="X", least=0, help="Stop before a call would cost more."),
]
ValidAtOption = Annotated[
    str | None,
    Option(
        "--valid-at",
        metavar="ISO",
        help="Memories that were true then, and what had been said by then.",
    ),
]
KnownAtOption = Annotated[
    str | None,
    Option("--known-at", metavar="POINT", help="What the store held at a pass or date."),
]
LexicalOption = Annotated[
    bool, Option("--lexical", help="By words alone: no vectors, same on every machine.")
]
FloorOption = Annotated[
    int,
    Option(
        "--floor",
        metavar="PERCENT",
        least=0,
        most=100,
        help="Say so where no result has this much of what is asked for; 0 never does.",
    ),
]
LogRecallOption = Annotated[
    bool,
    Option("--log-recall", help="Note in the store what is found as recalled; see mem forget."),
]
CascadeOption = Annotated[bool, Option("--cascade", help="Take along whatever rests on it.")]

_SCOPE_KEYS = ("user", "agent", "project")


def pairs(values: Sequence[str] | None, option: str) -> dict[str, str]:
    """`["a=1", "b=x=y"]` as a mapping; raises UsageError where there is no `=`, or a key twice."""
    out: dict[str, str] = {}
    for value in values or ():
        key, equals, rest = value.partition("=")
        if not equals or not key:
            raise UsageError(
                f"{value!r} is not of the form key=value.", where=option, hint=f"{option} key=value"
            )
        if out.setdefault(key, rest) != rest:
            raise UsageError(
                f"{key!r} is given twice, with two values.", where=option, hint="keep one of them"
            )
    return out


def scope_of(values: Sequence[str] | None) -> Scope | None:
    """The scope that `--scope` names, or None if it was not given."""
    if not values:
        return None
    known = pairs(values, "--scope")
    for key in known:
        if key not in _SCOPE_KEYS:
            raise UsageError(
                f"A scope has no key {key!r}.",
                where="--scope",
                hint=f"one of {', '.join(_SCOPE_KEYS)}: --scope user=ada",
            )
        # A variable of a script that is not set: everybody's would be shown, or stored as nobody's.
        if not known[key].strip():
            raise UsageError(
                f"--scope names no {key}.",
                where="--scope",
                hint=f"--scope {key}=NAME, or leave it out",
            )
    return Scope(**known)


def words(values: Sequence[str] | None) -> tuple[str, ...]:
    """`["P1,Q", "S"]` as ("P1", "Q", "S")."""
    return tuple(
        word.strip() for value in values or () for word in value.split(",") if word.strip()
    )
