import hashlib
import math
import os
import subprocess
import sys
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.gateway.hashed import DIMENSIONS, HashEmbedder, embed, fingerprint
from memcli.kit.salience import cosine

# Five sentences on each of ten topics: what the threshold `related` was measured on.
TOPICS = {
    "camping": [
        "We went camping by the lake last weekend.",
        "My tent leaked on the first camping night.",
        "I love a campfire and a starry sky.",
        "The kids want to go camping again in August.",
        "I bought a new sleeping bag for our camping trips.",
    ],
    "coffee": [
        "I drink two cups of coffee every morning.",
        "My espresso machine broke again.",
        "I switched to decaf coffee in the evening.",
        "The coffee at the office is terrible.",
        "I roast my own coffee beans at home.",
    ],
    "python": [
        "I write most of my scripts in Python.",
        "Our Python service still needs version 3.11.",
        "I prefer ruff over flake8 for linting Python.",
        "The Python tests take ten minutes.",
        "I moved our Python packaging to hatchling.",
    ],
    "dog": [
        "We adopted a dog from the shelter.",
        "My dog Rex chews every shoe.",
        "I walk the dog at six in the morning.",
        "Rex had his vaccination at the vet yesterday.",
        "The dog sleeps on our sofa.",
    ],
    "piano": [
        "I take piano lessons on Tuesdays.",
        "My daughter plays the piano better than I do.",
        "We had the old piano tuned.",
        "I practise a Bach prelude on the piano.",
        "The piano stands in the living room.",
    ],
    "garden": [
        "I planted tomatoes in the garden.",
        "Slugs ate my lettuce seedlings.",
        "The garden needs water twice a day in July.",
        "We built a raised bed for the vegetables in our garden.",
        "My roses bloom late this year.",
    ],
    "hospital": [
        "I work as a nurse in a hospital.",
        "My shift at the hospital starts at six.",
        "I applied for a job at the children's hospital.",
        "The night shifts wear me out.",
        "Our ward has three new nurses.",
    ],
    "flat": [
        "I moved to a flat near the harbour.",
        "The rent of our flat went up by ten percent.",
        "We are looking for a bigger flat.",
        "Our landlord repaired the heating of the flat.",
        "I painted the kitchen of the flat yellow.",
    ],
    "deploy": [
        "We deploy to production on Thursdays.",
        "The last deploy broke the login page.",
        "I rolled back the deploy of the billing service.",
        "Our staging cluster is on Kubernetes.",
        "The production database is Postgres 15.",
    ],
    "school": [
        "My son starts school in September.",
        "His teacher says that he reads well.",
        "The school concert is next week.",
        "I help with homework after school.",
        "The school bus comes at half past seven.",
    ],
}
# The same words in another order, or one word more: what `near_duplicate` was measured on.
NEAR = [
    ("I live in New York.", "I live in New York City."),
    ("We deploy on Thursdays.", "We deploy every Thursday."),
    ("I moved to Lisbon in June.", "In June I moved to Lisbon."),
    ("I work as a nurse in a hospital.", "I work in a hospital as nurse."),
    ("Please always run the tests first.", "Always run the tests first, please."),
]


def pairs():
    """(cosines within a topic, cosines across topics)."""
    vectors = {topic: [embed(text) for text in texts] for topic, texts in TOPICS.items()}
    flat = [(topic, vector) for topic, found in vectors.items() for vector in found]
    same, other = [], []
    for nth, (topic, vector) in enumerate(flat):
        for another, before in flat[:nth]:
            (same if topic == another else other).append(cosine(vector, before))
    return same, other


def share(values, threshold):
    return sum(value >= threshold for value in values) / len(values)


def test_thresholds_as_measured():
    same, other = pairs()
    assert share(same, HashEmbedder.related) > 0.55
    assert share(other, HashEmbedder.related) < 0.005
    assert all(cosine(embed(a), embed(b)) >= HashEmbedder.near_duplicate for a, b in NEAR)
    assert max(*same, *other) < HashEmbedder.near_duplicate


@settings(deadline=None)
@given(st.text())
def test_unit_length_or_zero(text):
    vector = embed(text)
    assert len(vector) == DIMENSIONS
    length = math.fsum(value * value for value in vector)
    assert math.isclose(length, 1.0) if text.split() else length == 0.0


@settings(deadline=None)
@given(st.lists(st.text(max_size=20), max_size=6))
def test_the_batch_does_not_matter(texts):
    embedder = HashEmbedder()
    assert embedder.embed(texts) == [embed(text) for text in texts]
    assert embedder.embed(texts[::-1]) == embedder.embed(texts)[::-1]


@settings(deadline=None)
@given(st.permutations(["use", "ruff", "instead", "of", "flake8", "for", "linting", "python"]))
def test_the_order_of_words_does_not_matter(words):
    assert embed(" ".join(words)) == embed("use ruff instead of flake8 for linting python")


def test_stop_words_and_case_do_not_matter():
    assert embed("The DOG is at the vet") == embed("a dog was with his vet!")
    assert embed("the and of") != embed("to be or not")


def test_odd_texts():
    assert embed("") == embed(" \n\t") == (0.0,) * DIMENSIONS
    assert embed("🍕") != embed("🍔")
    assert embed("\ud800") != embed("")
    assert cosine(embed("x" * 5000), embed("x" * 4999)) > 0.9
    assert cosine(embed("painting"), embed("painted")) > 0.7


def test_the_same_in_another_process_and_forever():
    text = "Ada moved to Lisbon on 3 May, again!"
    code = f"from memcli.gateway.hashed import embed; print(embed({text!r}))"
    other = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "7"},
        cwd=Path(__file__).parents[2],
    )
    assert other.stdout.strip() == repr(embed(text))
    # A change here needs a new version in the fingerprint: stores hold such vectors.
    assert hashlib.sha256(repr(embed(text)).encode()).hexdigest()[:16] == "cfe06286e1fd556e"


def test_fingerprint():
    assert fingerprint() == HashEmbedder().fingerprint()
    assert len(bytes.fromhex(fingerprint())) == 32
