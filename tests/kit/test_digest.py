from memcli.gateway.hashed import HashEmbedder
from memcli.kit.digest import Pick, digest

EMBED = HashEmbedder().embed
TALK = [
    "Hello Ada! How are you today?",
    "I started a pottery class in Porto on Monday.",
    "That is nice. Pottery is a good hobby to have.",
    "My pottery teacher Rui has twelve students in the class.",
    "Short one. I adopted a dog named Rex from the shelter last week!",
    "The weather has been rather grey and wet over here.",
]


def test_picks_statements_word_for_word_in_their_order():
    found = digest(TALK, EMBED, 3)
    assert len(found) == 3
    assert [pick.place for pick in found] == sorted(pick.place for pick in found)
    assert all(pick.text in TALK[pick.place] for pick in found)
    assert Pick(4, "I adopted a dog named Rex from the shelter last week!") in found


def test_leaves_out_questions_courtesies_short_and_endless_statements():
    texts = ["Thanks so much for all of your help!", "Where did you buy that nice red bike?"]
    assert digest([*texts, "I like tea.", "I have " + "a cat and " * 200], EMBED) == ()
    assert digest([], EMBED) == ()
    assert digest(TALK, EMBED, 0) == ()


def test_no_two_alike():
    said = "I started a pottery class in Porto on Monday."
    assert digest([said, "I started the pottery class in Porto, on Monday"], EMBED) == (
        Pick(0, said),
    )


def test_prefers_what_is_far_from_what_was_picked():
    vectors = {"wall": (1.0, 0.0), "door": (1.0, 0.0), "bike": (0.6, 0.8)}
    texts = [f"somebody painted that old {thing} again" for thing in vectors]

    def embed(said):
        return [vectors[text.split()[-2]] for text in said]

    assert [pick.place for pick in digest(texts, embed, 2)] == [0, 2]


def test_former_points_compete_as_they_are():
    found = digest(["I like tea.", *TALK], EMBED, 6, whole=[0])
    assert found[0] == Pick(0, "I like tea.")
    # What is said again is no new point.
    again = digest([TALK[1], TALK[1]], EMBED, whole=[0])
    assert again == (Pick(0, TALK[1]),)


def test_same_again():
    assert digest(TALK, EMBED) == digest(TALK, EMBED)
