"""A command as Typer sees it: for help, for mistakes, for spellings that are not plain."""

import inspect
import re
from collections.abc import Callable, Sequence
from typing import Annotated, Any, cast

import typer
from typer.main import get_command

from memcli.cli._command import Command
from memcli.cli._params import Option, Param, params_of
from memcli.errors import UsageError

# Typer's own wrong-call error. It has no public name, but its public child has it as its base.
_CallError = cast(type[Exception], typer.BadParameter.__base__)

# What no option looks like: more dashes than two, a dash before anything but a letter, or blanks.
_DASHED_TEXT = re.compile(r"---|-[^-A-Za-z]|-[^=]*\s")


def build(name: str, found: Command) -> Any:
    """Typer's object for this one command."""
    app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)
    app.command(
        name,
        epilog=found.epilog,
        context_settings={"help_option_names": ["-h", "--help"]},
    )(_declared(found.call))
    return get_command(app)


def read(name: str, found: Command, words: Sequence[str]) -> dict[str, Any] | None:
    """The values to call the command with; None if help was asked for, and printed.

    Raises UsageError for a wrong call.
    """
    try:
        with build(name, found).make_context(f"mem {name}", list(words)) as context:
            return cast(dict[str, Any], context.command.invoke(context))
    except typer.Exit:
        return None
    except _CallError as error:
        said = getattr(error, "format_message", error.__str__)()
        hint = _dashed(name, found, words) or f"mem {name} --help"
        raise UsageError(" ".join(str(said).split()), where=f"mem {name}", hint=hint) from error


def _dashed(name: str, found: Command, words: Sequence[str]) -> str | None:
    """What to do where a text was taken for an option, for it begins with a dash."""
    if "--" in words or not any(_DASHED_TEXT.match(word) for word in words):
        return None
    names = [one.declared.metavar for one in params_of(found.call)]
    if not {"TEXT", "QUERY"} & set(names):
        return None
    stdin = f", or mem {name} - < FILE" if "TEXT" in names else ""
    return f'mem {name} -- "-..." for a text that begins with -{stdin}'


def _declared(call: Callable[..., Any]) -> Callable[..., dict[str, Any]]:
    """A function with the command's signature in Typer's words; it hands its values back."""

    def values(**given: Any) -> dict[str, Any]:
        return given

    annotations = {param.name: _annotation(param) for param in params_of(call)}
    values.__doc__ = call.__doc__
    values.__annotations__ = annotations
    values.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(
                param.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if param.required else param.default,
                annotation=annotations[param.name],
            )
            for param in params_of(call)
        ]
    )
    return values


def _annotation(param: Param) -> Any:
    said = param.declared
    if isinstance(said, Option):
        how = typer.Option(
            *said.names, metavar=said.metavar, help=said.help, min=said.least, max=said.most
        )
    else:
        how = typer.Argument(metavar=said.metavar, help=said.help)
    return Annotated[param.annotation, how]
