from memcli.kit.draft import Draft
from memcli.kit.nearby import nearby
from memcli.testing import FakeView, a_context, a_memory, a_record


def near(view, text, k=10):
    return [found.memory.id for found in nearby(view, a_context(), text, k, kind="fact")]


RECORDS = [a_record(f"r{n}", f"note {n} on tea") for n in range(1, 60)]
TEA = a_memory("m1", "Ada likes green tea", "r1")
DOG = a_memory("m2", "Ada has a dog named Rex", "r2")


def test_words_and_vectors_together():
    view = FakeView(*RECORDS, TEA, DOG)
    assert near(view, "her dog Rex")[0] == "m2"
    assert near(view, "tea, green or not")[0] == "m1"
    assert near(view, "her dog Rex", k=1) == ["m2"]


def test_only_live_memories_of_the_kind():
    past = a_memory("m3", "Ada likes black tea", "r1", valid_to="2024-01-01T00:00:00Z")
    faded = a_memory("m4", "Ada likes red tea", "r1", status="faded")
    other = a_memory("m5", "Ada is fond of tea", "r1", kind="insight")
    assert near(FakeView(*RECORDS, TEA, past, faded, other), "tea") == ["m1"]


def test_the_cosine_stands_beside():
    (found,) = nearby(FakeView(*RECORDS, TEA), a_context(), TEA.text, 5, kind="fact")
    assert found.cosine == 1.0


def test_drafts_are_found_and_ties_go_by_age():
    ctx = a_context()
    draft = Draft(FakeView(*RECORDS, TEA), embed=ctx.embed)
    draft.add("fact", "Ada has a dog named Rex", evidence=["r2"])
    draft.add("fact", "Ada has a dog named Rex", evidence=["r3"])
    found = nearby(draft, ctx, "Rex the dog", 5, kind="fact")
    assert [one.memory.id for one in found][:2] == ["new:1", "new:2"]


def test_nothing_for_nothing():
    assert near(FakeView(*RECORDS), "tea") == []
    assert near(FakeView(*RECORDS, TEA), "  ") == []
