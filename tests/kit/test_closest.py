from operator import mul
from random import Random

import pytest

from memcli.gateway.hashed import embed
from memcli.kit.closest import Closest
from memcli.testing import a_memory

WORDS = ["tea", "rome", "ada", "bike", "garden", "roof", "letter", "piano", "soup", "trip"]


def embedded(texts):
    return [embed(text) for text in texts]


def scanned(vector, memories, k):
    """The `k` best by looking at each; of equal ones all."""
    cosines = {m.id: round(sum(map(mul, vector, embed(m.text))), 6) for m in memories}
    least = sorted(cosines.values(), reverse=True)[:k][-1]
    return {ident: cosine for ident, cosine in cosines.items() if cosine >= least}


def memories(count, seed):
    lots = Random(seed)
    return [
        a_memory(f"m{n}", " ".join(lots.choices(WORDS, k=lots.randint(1, 4))))
        for n in range(1, count + 1)
    ]


@pytest.mark.parametrize("count", [3, 90, 400])
def test_the_best_are_those_of_a_look_at_each(count):
    closest, held = Closest(embedded), memories(count, count)
    for memory in held:
        closest.put(memory)
    for query in memories(10, 1):
        vector = embed(query.text)
        for k in (1, 7, 50):
            found = closest.best(vector, k)
            wanted = scanned(vector, held, k)
            assert wanted == {ident: found[ident] for ident in wanted}


def test_what_is_changed_or_gone_is_so_at_once():
    closest, held = Closest(embedded), {m.id: m for m in memories(300, 3)}
    lots = Random(5)
    for memory in held.values():
        closest.put(memory)
    for turn in range(30):
        closest.best(embed("ada"), 3)
        gone, ended, said = lots.sample(sorted(held), 3)
        closest.drop(gone)
        del held[gone]
        closest.put(a_memory(ended, held.pop(ended).text, valid_to="2024-01-01T00:00:00Z"))
        held[said] = a_memory(said, f"ada rides bike {turn}")
        closest.put(held[said])
        vector = embed(lots.choice(WORDS))
        found, wanted = closest.best(vector, 5), scanned(vector, held.values(), 5)
        assert wanted == {ident: found[ident] for ident in wanted}
        assert not {gone, ended} & found.keys()


def test_each_text_is_embedded_once():
    asked = []

    def counting(texts):
        asked.extend(texts)
        return embedded(texts)

    closest = Closest(counting)
    for memory in memories(5, 1):
        closest.put(memory)
        closest.put(memory)
        closest.best(embed("tea"), 1)
    assert len(asked) == 5
