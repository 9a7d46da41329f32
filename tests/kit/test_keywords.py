from memcli.kit.keywords import corpus_of, keywords

CAMP = ["We went camping in Oregon.", "I love camping.", "The camping trip to Oregon was wet."]
REST = ["I drink tea.", "My dog sleeps.", "Tea is good.", "The dog barks at the trip."]


def test_terms_as_they_occur_most_telling_first():
    assert keywords(CAMP, corpus_of(CAMP + REST), most=2) == ("camping", "Oregon")


def test_commonest_form_counts_and_names_are_left_out():
    texts = ["Ada paints.", "Ada painted a bridge.", "Ada paints bridges."]
    assert keywords(texts, corpus_of(texts), most=2, without=["Ada"]) == ("paints", "bridge")


def test_a_talkative_text_decides_nothing():
    texts = ["tea tea tea tea tea", "a cake", "cakes again"]
    assert keywords(texts, corpus_of(texts), most=1) == ("cake",)


def test_nothing_from_nothing():
    assert keywords([], corpus_of([])) == ()
    assert keywords(["it is what it is"], corpus_of(["it is what it is"])) == ()


def test_only_what_occurs_in_enough_texts():
    assert keywords(CAMP, corpus_of(CAMP + REST), least=2) == ("camping", "Oregon")
    assert keywords(CAMP, corpus_of(CAMP + REST), least=4) == ()
