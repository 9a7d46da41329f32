"""What answers of several tasks have in common, as far as the kit reads them."""

from collections.abc import Sequence
from typing import Protocol


class Quoted(Protocol):
    """Words of a source, by its id."""

    @property
    def source(self) -> str: ...
    @property
    def text(self) -> str: ...


class Stated(Protocol):
    """Something that an answer says; `sources`: ids of what it was shown and drew this from."""

    @property
    def text(self) -> str: ...
    @property
    def sources(self) -> Sequence[str]: ...


class Quoting(Stated, Protocol):
    """The same, with words of those sources."""

    @property
    def quotes(self) -> Sequence[Quoted]: ...
