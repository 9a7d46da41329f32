"""What is known of each embedder: how long its vectors are, and what its cosines mean.

All of it is measured by `python -m tests.benchmarks.embedders`, but for `fusion`, which comes from
whole searches. A remote model's thresholds are measured when a store learns it (calibration.py).
"""

from memcli.core.values import dataclass
from memcli.gateway.naming import E5, HASH, MINILM, WORDLLAMA


@dataclass(frozen=True, slots=True)
class Measured:
    """`related`, `near_duplicate`: cosines, see context.Embedder. `fusion`: the weight in a search's
    score of the cosine, scaled to 0..1, beside a text score that is also scaled to 0..1."""

    dimensions: int
    related: float
    near_duplicate: float
    fusion: float


# A model that nobody has searched with: a little less than those that were measured.
UNMEASURED_FUSION = 0.7

MEASURED = {
    # The thresholds of hash-1024 are chosen on the sentences of tests/gateway/test_hashed.py, five on
    # each of ten topics. From .2 on, 66 % of the pairs on one topic are related (nearly all that
    # share a telling word) and .4 % of the others; average link cut there gives ten groups of three
    # or more, all pure (.15 as well; .25 nine, .1 ten with one mixed). No two of these different
    # statements reach .44, while sentences that say the same in another order or with one word more
    # lie at .74 to 1; so do "two dogs" and "three dogs", which only the guard tells apart.
    HASH: Measured(1024, 0.2, 0.7, 0.35),
    WORDLLAMA: Measured(256, 0.2, 0.81, 1.0),
    MINILM: Measured(384, 0.31, 0.76, 1.0),
    E5: Measured(384, 0.84, 0.95, UNMEASURED_FUSION),
}
