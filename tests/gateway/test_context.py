from memcli.gateway.context import RunContext
from memcli.gateway.hashed import HashEmbedder
from memcli.kit.handles import Item
from memcli.kit.slots import SINGLE_VALUED
from memcli.ports import Pending
from memcli.tasks.ask_questions import AskQuestions
from memcli.tasks.rate_importance import RateImportance
from memcli.testing import NOW, Scripted, a_context

TASK = RateImportance((Item("r1", "I moved."),))


class Counting(HashEmbedder):
    def __init__(self):
        self.texts = []

    def embed(self, texts):
        self.texts += texts
        return super().embed(texts)


def test_defaults_need_no_model():
    ctx = RunContext(now=NOW)
    assert (ctx.now, ctx.backend) == (NOW, "extractive")
    assert (ctx.related, ctx.near_duplicate) == (HashEmbedder.related, HashEmbedder.near_duplicate)
    assert ctx.single_valued is SINGLE_VALUED
    assert "lives_in" in ctx.single_valued
    assert ctx.ask(AskQuestions(TASK.items)) == Pending()


def test_one_seed_gives_one_series():
    assert RunContext(now=NOW, seed=5).rng.random() == RunContext(now=NOW, seed=5).rng.random()
    assert RunContext(now=NOW, seed=5).rng.random() != RunContext(now=NOW, seed=6).rng.random()


def test_answers_come_in_the_order_of_the_tasks():
    ctx = a_context(Scripted("one", "two", name="model-x"))
    assert ctx.backend == "model-x"
    assert ctx.ask_all([TASK, TASK]) == ["one", "two"]
    assert ctx.ask_all([]) == []


def test_each_text_is_embedded_once():
    embedder = Counting()
    ctx = a_context(embedder=embedder)
    first = ctx.embed(["tea", "coffee", "tea"])
    assert first[0] == first[2] != first[1]
    assert ctx.embed(["coffee"]) == first[1:2]
    assert embedder.texts == ["tea", "coffee"]
    assert ctx.embed([]) == []


def test_who_waits_is_told_how_many_records_were_looked_at():
    told = []
    ctx = RunContext(now=NOW, went=lambda done, total: told.append((done, total)))
    ctx.waits(["r1", "r2", "r3"])
    ctx.ask_all([TASK, TASK])  # which shows r1
    ctx.looked(["r3", "r9"])  # what does not wait does not count
    assert told == [(1, 3), (1, 3), (2, 3)]
    silent = RunContext(now=NOW)
    silent.waits(["r1"])
    silent.looked(["r1"])
    assert silent.ask_all([TASK]) == ctx.ask_all([TASK])
