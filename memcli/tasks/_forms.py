"""The two kinds of forms that tasks have: strict replies off the wire, and typed answers."""

from collections.abc import Mapping, Sequence
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


def bounded(form: type[Reply], **handles: Sequence[str]) -> dict[str, Any]:
    """The JSON schema of `form`, in which fields of these names take none but these handles.

    A server that holds a model to the schema then keeps it from making ids up, and from going on
    for ever. A list that may hold none of any has room for none.
    """
    schema: dict[str, Any] = form.model_json_schema()
    inner: list[Any] = [schema]
    while inner:
        here = inner.pop()
        if isinstance(here, list):
            inner += here
        elif isinstance(here, dict):
            for name, field in here.get("properties", {}).items():
                if name in handles:
                    _bound(field, list(handles[name]))
            inner += here.values()
    return schema


def _bound(field: dict[str, Any], handles: list[str]) -> None:
    """One of the field's forms is a handle, or a list of handles; null stays as it is."""
    for one in field.get("anyOf", [field]):
        if one.get("type") == "array":
            one["maxItems"] = min(one.get("maxItems", len(handles)), len(handles))
            if handles:
                one["items"] = {"type": "string", "enum": handles}
        elif one.get("type") == "string" and handles:
            one.clear()
            one.update({"type": "string", "enum": handles})


def exactly(schema: dict[str, Any], name: str, least: int, most: int) -> dict[str, Any]:
    """The schema with a list of the reply held to between `least` and `most` items."""
    schema["properties"][name] |= {"minItems": least, "maxItems": most}
    return schema


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
