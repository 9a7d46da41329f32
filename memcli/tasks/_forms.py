"""The two kinds of forms that tasks have: strict replies off the wire, and typed answers."""

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

# Every string and list has a maximum (C12): a runaway reply is invalid, not stored.
Handle = Annotated[str, Field(max_length=16)]
Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=400)]
Prose = Annotated[str, StringConstraints(strip_whitespace=True, max_length=1000)]
Score = Annotated[int, Field(ge=1, le=10)]


class Reply(BaseModel):
    """What a model sends: exact types, nothing beside what was asked for."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class Typed(BaseModel):
    """What a strategy gets."""

    model_config = ConfigDict(frozen=True, extra="forbid")


Form = TypeVar("Form", bound=Reply)


def read(form: type[Form], reply: Mapping[str, Any]) -> Form:
    """The reply as `form`; raises ValueError in one line that a repair call can quote (C11)."""
    try:
        return form.model_validate(reply)
    except ValidationError as error:
        problems = [
            f"{'.'.join(map(str, each['loc'])) or 'reply'}: {each['msg']}"
            for each in error.errors(include_url=False, include_input=False)
        ]
        more = f" (and {len(problems) - 3} more)" if len(problems) > 3 else ""
        raise ValueError("; ".join(problems[:3]) + more) from None
