import pytest

from memcli.kit.facts import facts, is_fact, is_order, slot_of

SLOTS = [
    ("I moved to SF in June", "lives_in", "SF"),
    ("I live in Lisbon.", "lives_in", "Lisbon"),
    ("i live in lisbon now", "lives_in", "lisbon"),
    ("We live in the Netherlands with two dogs.", "lives_in", "Netherlands"),
    ("I moved from Rome to San Francisco last week!", "lives_in", "San Francisco"),
    ("I live in New York City, near the park.", "lives_in", "New York City"),
    ("I’m based in Rio de Janeiro these days.", "lives_in", "Rio de Janeiro"),
    ("I moved to Paris Tuesday.", "lives_in", "Paris"),
    ("Just moved to Porto!", "lives_in", "Porto"),
    ("I moved to Rome, but now I live in Oslo.", "lives_in", "Oslo"),
    ("I just started at Globex as a data engineer", "works_at", "Globex"),
    ("I work for Initech.", "works_at", "Initech"),
    ("I got a new job at Acme Corp.", "works_at", "Acme Corp"),
    ("I joined Globex as a designer.", "works_at", "Globex"),
    ("I'm a data engineer at Globex.", "job_title", "data engineer"),
    ("I work as a night nurse in Porto.", "job_title", "night nurse"),
    ("I was promoted to head teacher.", "job_title", "head teacher"),
    ("My email is ada@example.org.", "email", "ada@example.org"),
    ("My new phone number is +351 912 345 678.", "phone", "+351 912 345 678"),
    ("My name is Ada Lovelace and I live in London.", "name", "Ada Lovelace"),
    ("Hi, I'm Ada Lovelace.", "name", "Ada Lovelace"),
    ("Call me Addy.", "nickname", "Addy"),
    ("My birthday is on May 3rd.", "birthday", "May 3rd"),
    ("I was born on 3 May 1990.", "birthday", "3 May 1990"),
    ("I'm 34 years old.", "age", "34"),
    ("I just turned 40!", "age", "40"),
    ("My wife Ana works at a bank.", "partner", "Ana"),
    ("I'm married to Tom.", "partner", "Tom"),
    ("I got divorced last year.", "marital_status", "divorced"),
    ("My time zone is Europe/Lisbon.", "timezone", "Europe/Lisbon"),
    ("I'm in UTC+2.", "timezone", "UTC+2"),
    ("Please answer in German.", "language", "German"),
    ("I'm Portuguese.", "nationality", "Portuguese"),
    ("I study physics at Porto University.", "school", "Porto University"),
    ("My address is 12 Main Street, Porto.", "address", "12 Main Street, Porto"),
    ("I prefer Vim over Emacs.", "prefers_editor", "Vim"),
    ("My favorite editor is Helix.", "prefers_editor", "Helix"),
    ("I use zsh.", "prefers_shell", "zsh"),
    ("I switched from npm to pnpm.", "prefers_package_manager", "pnpm"),
    ("Use ruff instead of flake8.", "prefers_linter", "ruff"),
    ("I prefer dark mode.", "prefers_theme", "dark mode"),
    ("I prefer fish over bash as my shell.", "prefers_shell", "fish"),
    ("I moved to Python last year.", "prefers_language", "Python"),
]


@pytest.mark.parametrize(("text", "attribute", "value"), SLOTS)
def test_slots_of_the_speaker(text, attribute, value):
    assert slot_of(text) == (attribute, value)
    (fact,) = facts("Hello there! " + text)
    assert fact.slot is not None
    assert (fact.slot.attribute, fact.slot.value) == (attribute, value)
    assert ("Hello there! " + text)[fact.slot.start : fact.slot.end] == value


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("Ada lives in Lisbon", ("lives_in", "Lisbon")),
        ("In June 2024, Ada Lovelace moved to SF.", ("lives_in", "SF")),
        ("The user works at Globex as a senior engineer.", ("works_at", "Globex")),
        ("She is a nurse.", ("job_title", "nurse")),
        ("Ada's email is ada@example.org.", ("email", "ada@example.org")),
        ("The user's name is Ada.", ("name", "Ada")),
        ("Ada is 34.", ("age", "34")),
        ("Ada prefers dark mode.", ("prefers_theme", "dark mode")),
        ("Ada's mother lives in Rome.", None),
        ("My mother lives in Rome.", None),
        ("Bob says Ada lives in Rome.", None),
        ("Ada used to live in Rome.", None),
        ("Ada does not work at Globex.", None),
    ],
)
def test_slots_of_others(text, slot):
    assert slot_of(text) == slot
    # They are never slots of the one who speaks.
    assert all(fact.slot is None for fact in facts(text))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Do you live in Rome?",
        "where do i live",
        "I used to live in Rome.",
        "I lived in Rome until 2020.",
        "I live with my mother.",
        "I live in fear.",
        "i live in a small flat",
        "I don't live in Rome.",
        "I no longer work at Initech.",
        "I never worked at Initech.",
        "If I lived in Rome, I would walk more.",
        "When I moved to Rome as a kid, I cried.",
        "I wish I lived in Rome.",
        "I might move to Rome.",
        "I want to work at Globex.",
        "I'm moving to Oslo in June.",
        "I'm thinking about moving to Rome.",
        "I would live in Rome.",
        "She asked if I live in Rome.",
        "I work at Ada's bakery.",
        "I work at home.",
        "I moved to Kubernetes.",
        "I moved to a new team.",
        "I joined Facebook.",
        "I'm a terrible cook.",
        "I'm a big model train fan.",
        "I'm 34 weeks pregnant.",
        "I'm 87.5% sure.",
        "My husband is German.",
        "My ex-wife Ana called.",
        "My birthday was great.",
        "I'm engaged in this work.",
        "I prefer fish to meat.",
        "I use Chrome at work.",
        "I use Python for scripts.",
        "My email is full.",
    ],
)
def test_no_slot(text):
    assert slot_of(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "I have two cats.",
        "I love hiking in the hills.",
        "My sister is a doctor in Ghent.",
        "We adopted a dog from the shelter.",
        "I went to a pottery class last Friday.",
        "I no longer eat meat.",
        "I'm allergic to nuts.",
        "I'm planning to run a marathon in May.",
        "Always write tests before the code.",
        "Never commit to main.",
        "Please do not use emojis.",
        "From now on, use British spelling.",
        "I prefer short answers.",
        "Use tabs instead of spaces.",
        "I used to live in Rome.",
        "I also plan to visit Ghent.",
        "I've been painting for a month now.",
        "I'll be teaching chess in May.",
        "Please answer in full sentences from now on.",
        "Reply in short paragraphs going forward.",
        "So please keep your answers short, from now on.",
    ],
)
def test_is_fact(text):
    assert is_fact(text)
    assert [fact.text for fact in facts(text)] == [text]


@pytest.mark.parametrize(
    "text",
    [
        "Thanks for the help!",
        "What do you like?",
        "That sounds great.",
        "The build takes two minutes.",
        "Never mind.",
        "Don't worry about it.",
        "Never give up!",
        "I love that!",
        "If I had a dog, I would walk more.",
        "I wish I had a dog.",
        "Maybe I have a cold.",
        "I'm so happy for you.",
        "You moved to Rome.",
        "Following our dreams is what counts.",
        "I have something to show you.",
        "We have each other's backs.",
        "Never saw that coming.",
    ],
)
def test_is_no_fact(text):
    assert facts(text) == ()


def test_facts_are_spans_of_the_text():
    text = "Hi!  I live in Lisbon.\n- I have two cats. Do you?\nI no longer smoke."
    found = facts(text)
    assert [fact.text for fact in found] == [
        "I live in Lisbon.",
        "I have two cats.",
        "I no longer smoke.",
    ]
    assert all(text[fact.start : fact.end] == fact.text for fact in found)
    assert [fact.change for fact in found] == [False, False, True]


def test_a_statement_as_long_as_a_page_is_no_fact():
    assert facts("I have " + "a cat and " * 100) == ()
    assert slot_of("I live in Lisbon and " + "walk and " * 100) is None


@pytest.mark.parametrize(
    "piece",
    [
        *("I ", "I have ", "my a ", "moved from ", "I moved from a ", "Ada ", "Ada's ", "I'm a "),
        *("so, ", "please, ", "12 Main ", "A A. ", "a@b.", "1-", "my wife, ", "I am, "),
        "use a for ",
    ],
)
def test_comes_back_on_a_text_of_one_piece(piece):
    # There is no clock here: what is slow would not come back for hours.
    for text in (piece * (100_000 // len(piece)), (piece * (480 // len(piece)) + "! ") * 40):
        facts(text)
        slot_of(text)


@pytest.mark.parametrize("text", ["I've got the following code so far:", "I use these packages:"])
def test_what_only_leads_up_to_something_else_is_no_fact(text: str) -> None:
    assert facts(f"{text}\n\nprint(1)") == ()


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("Please answer in full sentences from now on.", True),
        ("I switched from bullet points: please answer in full sentences from now on.", True),
        ("Write metric units only in future.", True),
        ("Please answer in full sentences.", False),
        ("Please let me know from now on.", False),
        ("I answer in full sentences from now on.", False),
    ],
)
def test_an_order_that_says_at_its_end_how_long_it_holds(text, order):
    assert is_order(text) is order
