"""A model for any strategy: it answers by the schema it is given, well, badly, or not at all.

Whatever tasks there are or will be, a reply is made from the JSON schema of the task and from the lines that
its prompt shows: handles that are there, words of those lines as quotes. Then the task parses it, as
it parses what a real model sends.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from memcli.errors import GatewayError
from memcli.ports import Failed, Task, TooLong
from tests.loopback import shown

Manner = Literal["valid", "invalid", "truncated", "unknown", "hangs up"]
MANNERS: tuple[Manner, ...] = ("valid", "invalid", "truncated", "unknown", "hangs up")
UNKNOWN = "R97"
_TRIES = (
    4  # replies that do not fit in sense are made anew: a model that is asked to repair does so
)
_DATES = ("2026-01-01", "2026-03", "", "2026-02-02T10:00:00Z")
_WORDS = ("tea", "lives_in", "Porto", "humour", "swimming", "high", "Ada")


class Erratic:
    """Answers the tasks in turn, each in the next of the `manners`; the last one goes on for ever.

    `seed` decides what valid replies say. The same seed and the same questions: the same answers.
    """

    name = "model-x"

    def __init__(self, manners: Sequence[Manner] = ("valid",), seed: int = 0) -> None:
        self.manners = list(manners) or ["valid"]
        self.random = random.Random(seed)
        self.asked = 0

    def answer(self, tasks: Sequence[Task[Any]]) -> list[Any]:
        """For each task what comes of it; raises GatewayError where the line is cut."""
        return [self._one(task) for task in tasks]

    def _one(self, task: Task[Any]) -> Any:
        manner = self.manners[min(self.asked, len(self.manners) - 1)]
        self.asked += 1
        if manner == "hangs up":
            raise GatewayError("The connection was lost.", where=task.name, hint="try again")
        if manner == "truncated":
            return TooLong("the reply was cut off")
        if manner == "invalid":
            return _parsed(task, {"nothing": "of the kind"})
        for _ in range(_TRIES):
            found = _parsed(task, Replies(task, self.random, strange=manner == "unknown").make())
            if not isinstance(found, Failed):
                return found
        return found


def _parsed(task: Task[Any], reply: Mapping[str, Any]) -> Any:
    try:
        return task.parse(reply)
    except ValueError as error:
        return Failed(str(error))


class Replies:
    """Makes replies that fit the schema of a task. `strange`: with handles that name nothing."""

    def __init__(self, task: Task[Any], rng: random.Random, *, strange: bool) -> None:
        self.schema = task.schema()
        self.defs = self.schema.get("$defs", {})
        lines = shown(task.messages())
        self.texts = {str(line["id"]): str(line.get("text", "")) for line in lines if "id" in line}
        self.pool = [text for text in (str(line.get("text", "")) for line in lines) if text.strip()]
        self.random = rng
        self.strange = strange

    def make(self) -> Any:
        """One reply."""
        return self._value(self.schema, "", {})

    def _value(self, schema: Mapping[str, Any], name: str, beside: Mapping[str, Any]) -> Any:
        if "$ref" in schema:
            return self._value(self.defs[schema["$ref"].rsplit("/", 1)[1]], name, beside)
        if "anyOf" in schema:
            some = [one for one in schema["anyOf"] if one.get("type") != "null"]
            given = some if self.random.random() < 0.85 else schema["anyOf"]
            return self._value(self.random.choice(given), name, beside)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._handle(schema["enum"])
        kind = schema.get("type")
        if kind == "object":
            return self._object(schema)
        if kind == "array":
            return self._list(schema, name, beside)
        if kind == "integer":
            return self.random.randint(schema.get("minimum", 0), schema.get("maximum", 10))
        if kind == "number":
            return self.random.random()
        if kind == "boolean":
            return self.random.random() < 0.5
        return None if kind == "null" else self._text(schema, name, beside)

    def _handle(self, known: Sequence[Any]) -> Any:
        handles = all(isinstance(one, str) and one in self.texts for one in known)
        if self.strange and handles and self.random.random() < 0.5:
            return UNKNOWN
        return self.random.choice(list(known))

    def _object(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Handles first: texts are words of what they name."""
        fields = schema.get("properties", {})
        first = [name for name in fields if name not in ("text", "quotes", "value")]
        rest = [name for name in fields if name not in first]
        made: dict[str, Any] = {}
        for name in (*first, *rest):
            made[name] = self._value(fields[name], name, made)
        return {name: made[name] for name in fields}

    def _list(self, schema: Mapping[str, Any], name: str, beside: Mapping[str, Any]) -> list[Any]:
        least, most = schema.get("minItems", 0), schema.get("maxItems", 4)
        items = schema.get("items", {})
        if name == "quotes":
            named = [ref for ref in self._named(beside) if ref in self.texts]
            return [{"source": ref, "text": self._words(self.texts[ref])} for ref in named]
        count = self.random.randint(min(max(least, 1), most), min(most, max(least, 4)))
        found = [self._value(items, name, beside) for _ in range(count)]
        return list(dict.fromkeys(found)) if all(isinstance(one, str) for one in found) else found

    def _text(self, schema: Mapping[str, Any], name: str, beside: Mapping[str, Any]) -> str:
        if "valid" in name or "date" in name:
            return self.random.choice(_DATES)
        named = [self.texts[ref] for ref in self._named(beside) if ref in self.texts]
        if schema.get("maxLength", 1000) < 300 or not (named or self.pool):
            label = self.random.choice(_WORDS)
            return f"{label} {self.random.randint(1, 99)}" if name == "dimension" else label
        if named and self.random.random() < 0.7:
            return self._words(named[0])
        return f"{self.random.choice(_WORDS)} and {self._words(self.random.choice(self.pool or ['so']))}"

    @staticmethod
    def _named(beside: Mapping[str, Any]) -> Iterator[str]:
        """The handles that stand in an object so far."""
        for value in beside.values():
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, str):
                    yield one

    def _words(self, text: str) -> str:
        """Some of the words of a text that follow each other, or all of them."""
        words = text.split(" ")
        if len(words) < 3 or self.random.random() < 0.5:
            return text[:900]
        start = self.random.randrange(len(words) - 2)
        return " ".join(words[start : start + self.random.randint(3, 30)])[:900]
