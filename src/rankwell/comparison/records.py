"""Records: what is known of one mean and of one difference."""

from __future__ import annotations

from typing import NamedTuple


class Mean(NamedTuple):
    """A system's mean under one metric: of how many queries, its interval, how that was made, and whether it is likely too short.

    ``effective`` is n, the effective number of weighted queries, or the number of clusters; ``of_seeds`` the share of the
    variance that comes from the seeds, where there are several, else NaN.
    """

    n: int
    effective: float
    mean: float
    low: float
    high: float
    method: str
    is_doubtful: bool
    of_seeds: float


class Difference(NamedTuple):
    """What is known of one difference, first less second, on the queries where both are defined.

    ``p`` is corrected for the family; ``p_test`` is that of this comparison alone, ``p_t`` and ``p_flips`` those of the t-test
    and of sign flips, and ``p_flips_low`` to ``p_flips_high`` what all possible flips would give, as far as the random ones tell
    (1 − alpha, Clopper and Pearson); the three are equal where all flips were looked at. ``dz`` is mean ÷ sd, ``smd`` mean ÷ the systems' mean standard deviation, ``superiority`` the share of
    queries won, ties counted half. ``visible`` is the smallest true difference that would be found with the power asked for,
    ``needed`` the queries needed to find the margin, ``p_equivalent`` that of two one-sided tests of the margin. ``below``,
    ``within`` and ``above`` are the chances (Bayesian bootstrap) that the true difference is under −rope, within ±rope and over
    rope. ``of_seeds`` is the share of the variance that comes from the seeds of two methods. NaN is undefined or not asked for.
    """

    first: str
    second: str
    metric: str
    segment: str
    n: int
    effective: float
    lost_first: int
    lost_second: int
    mean: float
    sd: float
    low: float
    high: float
    method: str
    is_doubtful: bool
    p_t: float
    p_test: float
    p_flips: float
    p_flips_low: float
    p_flips_high: float
    p: float
    dz: float
    smd: float
    superiority: float
    wins: int
    ties: int
    losses: int
    visible: float
    needed: float
    p_equivalent: float
    below: float
    within: float
    above: float
    of_seeds: float


def turned(found: Difference) -> Difference:
    """Return the same difference, second less first."""
    return found._replace(
        first=found.second,
        second=found.first,
        lost_first=found.lost_second,
        lost_second=found.lost_first,
        mean=-found.mean,
        low=-found.high,
        high=-found.low,
        dz=-found.dz,
        smd=-found.smd,
        superiority=1 - found.superiority,
        below=found.above,
        above=found.below,
        wins=found.losses,
        losses=found.wins,
    )
