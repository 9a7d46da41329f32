"""Intervals: Wilson for shares of yes and no, a seeded bootstrap over clusters for all else."""

import math
from collections.abc import Sequence

import numpy as np

from memcli.core.values import dataclass

Z = 1.959963984540054  # 95 %
DRAWS = 2000


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its 95 % interval over `n` values; None where there is none."""

    value: float | None
    low: float | None
    high: float | None
    n: int


NOTHING = Estimate(None, None, None, 0)


def wilson(right: float, n: int) -> Estimate:
    """The share `right / n` with Wilson's interval."""
    if n == 0:
        return NOTHING
    share = right / n
    middle = (share + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z * math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n)) / (1 + Z * Z / n)
    return Estimate(
        _round(share), _round(max(0.0, middle - half)), _round(min(1.0, middle + half)), n
    )


def bootstrap(values: Sequence[float], clusters: Sequence[str], seed: int) -> Estimate:
    """The mean of `values` with the percentile interval of a bootstrap that draws clusters.

    What is in one cluster may depend on each other. Where there is only one, values are drawn.
    """
    if not values:
        return NOTHING
    sums, counts = _grouped(values, clusters)
    drawn = np.random.default_rng(seed).integers(0, len(sums), size=(DRAWS, len(sums)))
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return Estimate(
        _round(float(np.mean(values))), _round(float(low)), _round(float(high)), len(values)
    )


def paired(
    ours: Sequence[float | None],
    theirs: Sequence[float | None],
    clusters: Sequence[str],
    seed: int,
) -> Estimate:
    """The mean difference, question by question, with its interval; `ours` minus `theirs`."""
    pairs = [
        (a - b, cluster)
        for a, b, cluster in zip(ours, theirs, clusters, strict=True)
        if a is not None and b is not None
    ]
    return bootstrap([value for value, _ in pairs], [cluster for _, cluster in pairs], seed)


def _grouped(
    values: Sequence[float], clusters: Sequence[str]
) -> tuple[
    "np.ndarray[tuple[int], np.dtype[np.float64]]", "np.ndarray[tuple[int], np.dtype[np.float64]]"
]:
    if len(set(clusters)) < 2:
        clusters = [str(number) for number in range(len(values))]
    sums: dict[str, float] = {}
    counts: dict[str, int] = {}
    for value, cluster in zip(values, clusters, strict=True):
        sums[cluster] = sums.get(cluster, 0.0) + value
        counts[cluster] = counts.get(cluster, 0) + 1
    return (
        np.array(list(sums.values()), dtype=np.float64),
        np.array([counts[cluster] for cluster in sums], dtype=np.float64),
    )


def _round(value: float) -> float:
    return round(value, 6) + 0.0  # no minus zero
