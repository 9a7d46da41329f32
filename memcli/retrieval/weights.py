"""The constants of the search, in one place.

They were chosen by hand on conversations and lie on flat plateaus: halving or doubling any one costs
few points of recall. `python -m tests.benchmarks.weights SUITE` measures just that.
"""

from memcli.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """What each part of a score counts; see scoring.py for the formula.

    `candidates`: the best so many by words, and as many by vectors, are scored. `small`: below so
    many texts, words are asked one by one (words.py). `matching`: where the words stand in more
    texts than that together, the most frequent ones find nothing and only rank (frequent.py).
    """

    candidates: int = 200
    small: int = 200
    matching: int = 600
    # What words akin to the question's count beside them (nearwords.py).
    akin: float = 0.5
    # Whose neighbours are looked at although no word found them: of the best so many.
    neighbours: int = 25
    # Whose text is looked at, where the question asks for a time or advice: the best so many before.
    read: int = 150
    # Neighbours of a turn, one and two away, in talk between people.
    beside: float = 0.5
    beyond: float = 0.25
    beside_near: float = 0.2
    # A user's message and the assistant's answer to it; the answer itself, a tool's result.
    answer: float = 0.5
    assistant: float = 0.5
    tool: float = 0.5
    # The session: mean of its best so many.
    session: float = 0.5
    session_near: float = 0.15
    session_best: int = 3
    # What multiplies: said by who is named; holds a time where one is asked for; of the time named;
    # says what the user likes or wants, where advice is asked for.
    speaker: float = 0.5
    time: float = 0.5
    date: float = 0.8
    wish: float = 0.4
    # Turns of talk, by how much they tell (telling.py): so many of the best are looked at; what each
    # sign adds, or takes; what the best have of it as a rule.
    told: int = 30
    told_long: float = 0.1
    told_names: float = 0.3
    told_own: float = 0.1
    told_time: float = 0.1
    told_asks: float = 0.15
    told_opening: float = 0.1
    told_reply: float = 0.3
    told_usual: float = 0.25
    # What a session counts more where vectors do: that share of their weight.
    session_beside_vectors: float = 0.5
    # Where the cosines of unrelated texts lie: so many times as far from 1 as what is related.
    spread: float = 1.4
    # The order of the first results (newest.py): of the first one's score, what takes the place of
    # one that states nothing, and what may come before it as the newer, less where it tells of a
    # change; of the question's words that the first has; the cosine of two sentences; results looked
    # at; what takes the place of one that ties its words to nobody, where one's own thing is asked
    # for; shares of score and words of what stands behind others that state nothing, as the newer
    # and as the older; days in which a time is told of.
    lead: float = 0.6
    least: float = 0.5
    least_told: float = 0.4
    shared: float = 0.6
    alike: float = 0.6
    compared: int = 5
    own: float = 0.8
    far: float = 0.6
    far_words: float = 0.7
    far_older: float = 0.4
    far_older_words: float = 0.5
    told_later: int = 31
    # Events that times are counted from (anchors.py): records looked at, the share of the event's
    # words, days before and after.
    event_records: int = 5
    event_words: float = 0.6
    event_near: int = 7
    event_far: int = 60
    # Records looked at for what may have ended the first result (ending.py).
    ends: int = 30


RECIPE = Weights()
