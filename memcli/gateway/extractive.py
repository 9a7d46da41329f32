"""The default backend: no model, no network, nothing invented.

It answers by rules what rules can answer (strategies/README.md, section 5) and leaves the rest
pending, reason `needs-model`. A task it does not know is pending too.
"""

from collections.abc import Callable, Sequence
from typing import Any

from memcli.gateway.edges import dated, joined, matched, named
from memcli.gateway.rules import compared, extracted, observed, reconciled
from memcli.gateway.summaries import summarised
from memcli.kit.rating import rate
from memcli.ports import Failed, Pending, Task
from memcli.tasks.compare_claims import CompareClaims
from memcli.tasks.date_facts import DateFacts
from memcli.tasks.extract_entities import ExtractEntities
from memcli.tasks.extract_facts import ExtractFacts, Facts
from memcli.tasks.match_entities import MatchEntities
from memcli.tasks.observe import Observe
from memcli.tasks.rate_importance import RateImportance, Rating, Ratings
from memcli.tasks.reconcile import Reconcile
from memcli.tasks.summarise import Summarise


class Extractive:
    """Answers by rule; the same question gets the same answer, always."""

    name = "extractive"

    def answer(self, tasks: Sequence[Task[Any]]) -> list[Any | Pending | Failed]:
        """The typed answer to each task, or Pending."""
        return [self._one(task) for task in tasks]

    def _one(self, task: Task[Any]) -> Any | Pending:
        rule = _RULES.get(type(task))
        return Pending() if rule is None else rule(task)


def _ratings(task: RateImportance) -> Ratings:
    ratings = tuple(Rating(item=item.ref, rating=rate(item.text)) for item in task.items)
    return Ratings(ratings=ratings)


def _facts(task: ExtractFacts) -> Facts:
    return joined(task) if task.entities else extracted(task)


# AskQuestions and DrawInsights have no rule: a question or insight by rule would be made up.
_RULES: dict[type[Any], Callable[[Any], Any]] = {
    RateImportance: _ratings,
    ExtractFacts: _facts,
    ExtractEntities: named,
    MatchEntities: matched,
    DateFacts: dated,
    Reconcile: reconciled,
    CompareClaims: compared,
    Observe: observed,
    Summarise: summarised,
}
