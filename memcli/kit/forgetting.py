"""The curves of forgetting: from times and counts to a value, and the parameters that set them.

Sources: R = exp(-t/S) from Zhong et al. 2023, MemoryBank (arXiv:2305.10250), not as its code has it:
exp(-t/5*S) lets strong memories fade faster (zhongwanjun/MemoryBank-SiliconFriend#23). Heat from
Kang et al. 2025, MemoryOS (arXiv:2506.06326). The 30 days are those that
joonspk-research/generative_agents stores and never reads.
"""

import math

from memcli.core.values import dataclass

NAME = "forget"
POLICIES = ("ebbinghaus", "heat", "ttl", "lru")
LAYERS = ("both", "records", "memories")


@dataclass(frozen=True)
class Params:
    """As on the page of the method; times in days, `tau` in seconds."""

    policy: str = "ebbinghaus"
    layer: str = "both"
    time_scale: float = 1.0  # stretches the curve: 5 is gentler
    threshold: float = 0.1  # of R, 0..1
    capacity: int = 2_000  # items of a layer in a scope, for heat and lru
    min_heat: float = 0.0  # 0: capacity alone
    alpha: float = 1.0  # a recall
    beta: float = 1.0  # a piece of evidence
    gamma: float = 1.0  # freshness
    tau: float = 10_000_000.0
    ttl_days: float = 30.0
    keep_importance: int = 9
    min_age_days: float = 1.0
    every_days: float = 1.0
    unconsumed: bool = False  # fade also what no pass has settled

    def __post_init__(self) -> None:
        for name, known in (("policy", POLICIES), ("layer", LAYERS)):
            if getattr(self, name) not in known:
                raise ValueError(f"{name} is none of {', '.join(known)}")
        for name in ("time_scale", "tau"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} is not above 0")
        for name in (
            "min_heat",
            "alpha",
            "beta",
            "gamma",
            "ttl_days",
            "min_age_days",
            "every_days",
        ):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is less than 0")
        if not 0 <= self.threshold <= 1:
            raise ValueError("threshold is not between 0 and 1")
        if self.capacity < 1:
            raise ValueError("capacity is less than 1")
        if not 1 <= self.keep_importance <= 11:
            raise ValueError("keep_importance is not between 1 and 11")

    @property
    def limited(self) -> bool:
        """Whether the policy goes by the room there is."""
        return self.policy in ("heat", "lru")


def retention(days: float, strength: float, time_scale: float = 1.0) -> float:
    """R, 1..0: what is left after `days` without use. It rises with the strength, always."""
    return math.exp(-days / (time_scale * strength))


def heat(recalls: int, evidence: int, idle_seconds: float, params: Params) -> float:
    """How hot an item is: its recalls, its evidence, and how fresh its last use is."""
    fresh = math.exp(-idle_seconds / params.tau)
    return params.alpha * recalls + params.beta * evidence + params.gamma * fresh
