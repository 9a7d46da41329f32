from memcli.gateway.extractive import Extractive
from memcli.kit.handles import Item
from memcli.ports import Pending
from memcli.tasks.ask_questions import AskQuestions
from memcli.tasks.draw_insights import DrawInsights
from memcli.tasks.rate_importance import RateImportance, Rating, Ratings

ITEMS = (Item("r1", "I moved to Lisbon."), Item("r2", "Hi!"))


def test_rates_by_rule():
    (answer,) = Extractive().answer([RateImportance(ITEMS)])
    assert answer == Ratings(ratings=[Rating(item="r1", rating=7), Rating(item="r2", rating=1)])


def test_makes_no_questions_and_no_insights_up():
    tasks = [AskQuestions(ITEMS), DrawInsights("Why?", ITEMS)]
    assert Extractive().answer(tasks) == [Pending("needs-model")] * 2


def test_an_unknown_task_is_pending():
    class Other(RateImportance):
        pass

    assert Extractive().answer([Other(ITEMS)]) == [Pending()]
