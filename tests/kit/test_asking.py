from memcli.kit.asking import Asked, ask_about, together
from memcli.kit.handles import Item
from memcli.ports import Failed, Pending, Unasked
from memcli.tasks.rate_importance import RateImportance, Rating, Ratings
from memcli.testing import Scripted, a_context

ITEMS = [Item(f"r{number}", "text") for number in range(1, 6)]


def rated(*items):
    return Ratings(ratings=[Rating(item=item.ref, rating=5) for item in items])


def test_several_a_call():
    backend = Scripted(rated(*ITEMS[:3]), rated(*ITEMS[3:]))
    found = ask_about(a_context(backend), ITEMS, RateImportance, size=3)
    assert [asked.items for asked in found] == [tuple(ITEMS[:3]), tuple(ITEMS[3:])]
    assert [len(task.items) for task in backend.asked] == [3, 2]


def test_halved_down_to_the_one_that_fails():
    bad = Failed("no")
    backend = Scripted(bad, bad, rated(ITEMS[2]), rated(ITEMS[0]), bad)
    found = ask_about(a_context(backend), ITEMS[:3], RateImportance, size=50)
    assert found == [
        Asked((ITEMS[0],), rated(ITEMS[0])),
        Asked((ITEMS[1],), bad),
        Asked((ITEMS[2],), rated(ITEMS[2])),
    ]


def test_nothing_asked_for_nothing_and_pending_is_an_answer():
    assert ask_about(a_context(Scripted()), [], RateImportance, size=50) == []
    found = ask_about(a_context(Scripted(Pending())), ITEMS, RateImportance, size=50)
    assert found == [Asked(tuple(ITEMS), Pending())]


def test_what_a_budget_left_unasked_is_not_halved():
    found = ask_about(a_context(Scripted(Unasked())), ITEMS, RateImportance, size=50)
    assert found == [Asked(tuple(ITEMS), Unasked())]


def test_talks_that_go_on_together():
    heard = []

    def talk(*items):
        for item in items:
            heard.append((yield RateImportance((item,))))

    class Counting(Scripted):
        rounds = 0

        def answer(self, tasks):
            self.rounds += 1
            return super().answer(tasks)

    backend = Counting(*(rated(item) for item in (ITEMS[0], ITEMS[2], ITEMS[1])))
    together(a_context(backend), [talk(*ITEMS[:2]), talk(ITEMS[2]), talk()])
    assert [task.items[0].ref for task in backend.asked] == ["r1", "r3", "r2"]
    assert (backend.rounds, heard) == (2, [rated(ITEMS[0]), rated(ITEMS[2]), rated(ITEMS[1])])
