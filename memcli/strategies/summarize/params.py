"""The parameters of `summarize`."""

from memcli.core.values import dataclass
from memcli.errors import UsageError
from memcli.kit.times import zone

NAME = "summarize"


@dataclass(frozen=True)
class Params:
    """As on the page of the method: `tz` names the zone that dates are counted in."""

    tz: str = "UTC"
    max_input: int = 6_000  # tokens of a call, about
    day_words: int = 150
    overview_words: int = 300
    digest: int = 6  # statements of a day without a model
    traits: bool = True
    open_day: bool = False  # also the day that is not over

    def __post_init__(self) -> None:
        for name in ("max_input", "day_words", "overview_words", "digest"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is less than 1")
        try:
            zone(self.tz)
        except UsageError as error:
            raise ValueError(f"tz: {error.what}") from error
