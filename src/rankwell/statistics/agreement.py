"""How far two orders of the same units agree (Kendall's τ_b, AP correlation, rank-biased overlap, with equal values), two disjoint halves of the
units about which of two systems is better, and raters who put units into categories (shares, Cohen's κ, Krippendorff's α).

Orders are arrays of values, higher is better. A table of categories has a row per category of one rater and a column per category of the
other. Arrays with more axes in front give a number per row or table: of many bootstrap replicates at once. NaN where there is no order to
compare, or chance alone leaves nothing to agree on.
"""

from __future__ import annotations

import math
from itertools import permutations
from typing import Literal, NamedTuple

import numpy as np

from rankwell.statistics.draws import further, replicates
from rankwell.statistics.frequent import TIE

Ties = Literal["a", "b", "w"]
FEWEST = 8  # units of which τ has an interval
Level = Literal["nominal", "ordinal", "interval"]
HALVES = 7  # what these draws are for
CELLS = 1 << 22  # differences worked on at a time


class Order(NamedTuple):
    """Units in the order of their values: ``above[…, i, j]`` says that j is above i, by more than rounding.

    ``top`` is the first rank of the group of equal values that a unit belongs to, from 1, ``size`` the number of units in it.
    """

    above: np.ndarray
    top: np.ndarray
    size: np.ndarray


Values = np.ndarray | Order


def order_of(values: Values) -> Order:
    """Return the order of values along the last axis; what is an order already is returned as it is."""
    if isinstance(values, Order):
        return values
    values = np.asarray(values, np.float64)
    above = values[..., None, :] - values[..., :, None] > TIE
    top = 1 + above.sum(axis=-1)
    # what is neither above a unit nor below it is in its group
    return Order(above, top, values.shape[-1] - (top - 1) - above.sum(axis=-2))


def kendall(x: Values, y: Values) -> np.ndarray:
    """Return Kendall's τ_b: concordant less discordant pairs, over the geometric mean of the pairs that each order decides.

    Source: M. G. Kendall, The treatment of ties in ranking problems, Biometrika 33(3), 1945.

    Examples
    --------
    >>> round(float(kendall([4, 3, 2, 1], [4, 2, 3, 3])), 4)
    0.1826
    """
    one, other = order_of(x).above, order_of(y).above
    concordant = (one & other).sum(axis=(-1, -2))
    discordant = (one & np.swapaxes(other, -1, -2)).sum(axis=(-1, -2))
    decided = one.sum(axis=(-1, -2)) * other.sum(axis=(-1, -2)).astype(np.float64)
    # the root of the product of both counts; as a float, which the product of two integers may not fit into
    with np.errstate(divide="ignore", invalid="ignore"):
        return (concordant - discordant) / np.sqrt(decided)


def kendall_bounds(tau: np.ndarray, n: int, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Return the bounds of Kendall's τ of n independent units: tanh(artanh τ ± z·√(.437/(n − 4))); NaN for n < 8 and where |τ| is 1.

    Source: E. C. Fieller, H. O. Hartley and E. S. Pearson, Tests for rank correlation coefficients I, Biometrika 44, 1957.

    Examples
    --------
    >>> [round(float(bound), 3) for bound in kendall_bounds(np.array(0.6429), 8)]
    [0.115, 0.888]
    """
    from scipy.special import ndtri

    is_bounded = (np.abs(tau) < 1) & (n >= FEWEST)
    middle = np.arctanh(np.where(is_bounded, tau, np.nan))
    reach = ndtri((1 + level) / 2) * np.sqrt(0.437 / max(n - 4, 1))
    return np.tanh(middle - reach), np.tanh(middle + reach)


def ap_correlation(reference: Values, observed: Values) -> np.ndarray:
    """Return τ_AP of an observed order with the reference: disagreement at the top of the observed order weighs most.

    2/(n − 1) · Σ_{i=2}^n C(i)/(i − 1) − 1, C(i) being the units above observed rank i that the reference has above that unit
    too. Of equal values it is the mean over all their orders: τ_AP,a where the reference has none.

    Source: E. Yilmaz, J. Aslam and S. Robertson, A new rank correlation coefficient for information retrieval, SIGIR 2008;
    J. Urbano and M. Marrero, The treatment of ties in AP correlation, ICTIR 2017.

    Examples
    --------
    >>> [round(float(ap_correlation([4, 3, 2, 1], seen)), 4) for seen in ([3, 4, 2, 1], [4, 3, 1, 2])]
    [0.3333, 0.7778]
    """
    true, seen = order_of(reference), order_of(observed)
    n = true.top.shape[-1]
    undecided = ~(true.above | np.swapaxes(true.above, -1, -2))
    agreed = (seen.above & true.above).sum(axis=-1) + (seen.above & undecided).sum(axis=-1) / 2
    harmonic = np.append(0.0, np.cumsum(1 / np.arange(1, n + 1)))
    first, last = np.maximum(seen.top - 1, 1), seen.top + seen.size - 2
    # a unit of a group takes each of its ranks equally often, and has half of those of its group that are above it in order
    shares = np.where(seen.top > 1, harmonic[last] - harmonic[first - 1], 0.0)
    within = (seen.size - 1) - (seen.top - 1) * (harmonic[last] - harmonic[seen.top - 1])
    total = ((agreed * shares + within / 2) / seen.size).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(n > 1, 2 * total / np.float64(n - 1) - 1, np.nan)


def ap_correlation_b(x: Values, y: Values) -> np.ndarray:
    """Return τ_AP,b, the symmetric AP correlation of two orders with ties, neither of which is the true one.

    Equal values decide nothing: a unit is compared with those above its group. Source: Urbano and Marrero (2017).

    Examples
    --------
    >>> round(float(ap_correlation_b([0, 0.2, 0.2, 0.4, 0.6], [0.4, 0, 0.2, 0.2, 0.6])), 4)
    0.3125
    """
    one, other = order_of(x), order_of(y)
    return (_decided(one, other) + _decided(other, one)) / 2


def _decided(true: Order, seen: Order) -> np.ndarray:
    below = seen.top > 1
    agreed = (seen.above & true.above).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(below, agreed / np.maximum(seen.top - 1, 1), 0.0).sum(axis=-1)
        return 2 * shares / below.sum(axis=-1) - 1


def overlap(x: Values, y: Values, p: float = 0.9, ties: Ties = "a") -> np.ndarray:
    """Return the rank-biased overlap (RBO) of two orders of the same units, with persistence p.

    Equal values: ``a`` is the mean over all their orders, ``b`` corrects it so that an order agrees wholly with itself, ``w``
    takes them to share the first rank of their group.

    Source: W. Webber, A. Moffat and J. Zobel, ACM TOIS 28(4), 2010; M. Corsi and J. Urbano, The treatment of ties in rank-biased
    overlap, SIGIR 2024.

    Examples
    --------
    >>> round(float(overlap([4, 3, 2, 1], [3, 4, 2, 1], p=0.9)), 4)
    0.9
    """
    one, other = (_shares_included(order_of(values), ties) for values in (x, y))
    n = one.shape[-1]
    depth = np.arange(1, n + 1)
    common = (one * other).sum(axis=-2)
    if ties == "a":
        agreement = common / depth
    elif ties == "b":
        agreement = common / np.sqrt((one**2).sum(axis=-2) * (other**2).sum(axis=-2))
    else:
        agreement = 2 * common / (one.sum(axis=-2) + other.sum(axis=-2))
    return (1 - p) * (agreement * p ** (depth - 1)).sum(axis=-1) + p**n


def _shares_included(order: Order, ties: Ties) -> np.ndarray:
    """How much of each unit (row) is among the first d (column): the share of the orders of its group that place it there."""
    depth = np.arange(1, order.top.shape[-1] + 1)
    reached = depth - order.top[..., None] + 1
    return np.clip(reached if ties == "w" else reached / order.size[..., None], 0.0, 1.0)


def swapped_pairs(x: Values, y: Values) -> np.ndarray:
    """Return which pairs two orders decide differently: ``[…, i, j]`` where j is above i in the first and below it in the second."""
    swapped: np.ndarray = order_of(x).above & np.swapaxes(order_of(y).above, -1, -2)
    return swapped


class Coincidences(NamedTuple):
    """What each unit adds to a table of coincidences: so much (``amount``) in a cell, row · categories + column."""

    unit: np.ndarray
    cell: np.ndarray
    amount: np.ndarray


def share_agreed(tables: np.ndarray) -> np.ndarray:
    """Return the share of units that both raters put into the same category.

    Examples
    --------
    >>> float(share_agreed(np.array([[20, 5], [10, 15]])))
    0.7
    """
    return _ratio(np.trace(tables, axis1=-2, axis2=-1), tables.sum(axis=(-1, -2)))


def cohen(tables: np.ndarray, values: np.ndarray | None = None) -> np.ndarray:
    """Return Cohen's κ: 1 less the disagreement seen over that of independent raters with the same shares of each category.

    ``values`` of the categories make it the quadratic-weighted κ: a disagreement counts as the square of their difference.

    Source: J. Cohen, Educational and Psychological Measurement 20(1), 1960, and Psychological Bulletin 70(4), 1968.

    Examples
    --------
    >>> round(float(cohen(np.array([[20, 5], [10, 15]]))), 4)
    0.4
    """
    weight = _disagreement(tables.shape[-1], values)
    rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
    seen = (tables * weight).sum(axis=(-1, -2)) * tables.sum(axis=(-1, -2))
    chance = (rows[..., :, None] * columns[..., None, :] * weight).sum(axis=(-1, -2))
    return 1 - _ratio(seen, chance)


def krippendorff(tables: np.ndarray, values: np.ndarray, level: Level) -> np.ndarray:
    """Return Krippendorff's α of tables of coincidences, which are symmetric.

    ``level`` says how far apart two categories are: ``nominal``, all alike; ``ordinal``, by the ratings between them;
    ``interval``, by the square of the difference of their ``values``, which ascend.

    Source: K. Krippendorff, Computing Krippendorff's alpha-reliability, 2011.

    Examples
    --------
    >>> table = np.array([[40.0, 15.0], [15.0, 30.0]])
    >>> round(float(krippendorff(table, np.array([0.0, 1.0]), "nominal")), 4)
    0.4
    """
    per_grade = tables.sum(axis=-1)
    total = per_grade.sum(axis=-1)  # n − 1 below, as no rating is paired with itself by chance either
    if level == "ordinal":
        # the ratings between two categories, with half of those in either, are the difference of their mid-ranks
        until = np.cumsum(per_grade, axis=-1) - per_grade / 2
        weight = (until[..., :, None] - until[..., None, :]) ** 2
    else:
        weight = _disagreement(tables.shape[-1], values if level == "interval" else None)
    seen = (tables * weight).sum(axis=(-1, -2)) * (total - 1)
    chance = (per_grade[..., :, None] * per_grade[..., None, :] * weight).sum(axis=(-1, -2))
    return 1 - _ratio(seen, chance)


def coincidences(codes: np.ndarray, categories: int) -> Coincidences:
    """Return what each unit adds to the table of coincidences of all raters.

    ``codes`` has a row per rater, of at least two, and a column per unit: the number of the category, -1 where there is none. Each pair of ratings
    of a unit by two raters counts in both directions, over the number of its ratings less one.

    Examples
    --------
    >>> found = coincidences(np.array([[0, 1, 1], [0, 0, -1]]), 2)
    >>> np.bincount(found.cell, found.amount, 4).reshape(2, 2).tolist()
    [[2.0, 1.0], [1.0, 0.0]]
    """
    ratings = (codes >= 0).sum(axis=0)
    units, cells, amounts = [], [], []
    for one, other in permutations(range(len(codes)), 2):
        both = np.flatnonzero((codes[one] >= 0) & (codes[other] >= 0))
        units.append(both)
        cells.append(codes[one, both] * categories + codes[other, both])
        amounts.append(1 / (ratings[both] - 1))
    return Coincidences(np.concatenate(units), np.concatenate(cells), np.concatenate(amounts))


def _disagreement(categories: int, values: np.ndarray | None) -> np.ndarray:
    if values is None:
        return 1.0 - np.eye(categories)
    return (values[:, None] - values[None, :]) ** 2


def _ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(below > 0, above / below, np.nan)


class Swaps(NamedTuple):
    """Of comparisons of two rows on two disjoint sets of ``size`` units: how often the sets disagree.

    ``rate`` is the share of swaps among comparisons that both sets decide, ``tied`` the share that one of them does not. ``needed``
    is the least difference in one set from which on at most 5 % are swapped, ``reached`` the share of comparisons that have it.
    """

    size: int
    rate: float
    tied: float
    needed: float
    reached: float


def swaps(
    values: np.ndarray, units: np.ndarray, size: int, *, times: int, seed: int, most: float = 0.05
) -> Swaps:
    """Return how often the means of rows are ordered differently by two disjoint random sets of units.

    ``values`` has a row per system and a column per unit, none of them NaN; ``units`` a fixed number (uint64) per unit, from which
    the sets are drawn. All pairs of rows are compared in ``times`` random divisions.

    Source: E. Voorhees and C. Buckley, The effect of topic set size on retrieval experiment error, SIGIR 2002; ``needed`` and
    ``reached``: T. Sakai, Evaluating evaluation metrics based on the bootstrap, SIGIR 2006.

    Examples
    --------
    >>> values = np.array([[0.9, 0.8, 0.7, 0.9], [0.1, 0.2, 0.3, 0.1], [0.3, 0.0, 0.1, 0.4]])
    >>> found = swaps(values, np.arange(4, dtype=np.uint64), 2, times=100, seed=0)
    >>> round(found.rate, 2), round(found.tied, 2)
    (0.14, 0.22)
    """
    left, right = np.triu_indices(len(values), 1)
    rows = max(CELLS // max(len(left), values.shape[1]), 1)
    # a division takes the units with the lowest draws, and as many after them, so that the sets share none
    parts = []
    for low in range(0, times, rows):
        keys = replicates(seed, HALVES, low, min(low + rows, times))
        order = np.argsort(further(keys[:, None], units[None, :]), axis=1)
        means = (_means(values, order[:, :size]), _means(values, order[:, size : 2 * size]))
        parts.append(np.stack([half[:, left] - half[:, right] for half in means]).reshape(2, -1))
    first, second = np.concatenate(parts, axis=1)
    decided = (np.abs(first) > TIE) & (np.abs(second) > TIE)
    swapped = first * second < 0
    rate = float(swapped[decided].mean()) if decided.any() else math.nan
    needed, reached = _needed(np.abs(first), decided & swapped, most)
    return Swaps(size, rate, float(1 - decided.mean()), needed, reached)


def _means(values: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """The mean of each row (column) over the units chosen in each division (row)."""
    weights = np.zeros((len(chosen), values.shape[1]))
    np.put_along_axis(weights, chosen, 1 / chosen.shape[1], axis=1)
    means: np.ndarray = weights @ values.T
    return means


def _needed(sizes: np.ndarray, swapped: np.ndarray, most: float) -> tuple[float, float]:
    """The least difference from which on at most so many comparisons are swapped, and the share that has it."""
    order = np.argsort(-sizes, kind="stable")
    ordered = sizes[order]
    # from the largest difference down: of those at least as large, so many are swapped
    shares = np.cumsum(swapped[order]) / np.arange(1, len(order) + 1)
    last = np.append(ordered[1:] < ordered[:-1] - TIE, True)  # equal differences are reached together
    fit = np.flatnonzero((shares <= most) & last)
    if not len(fit):
        return math.nan, 0.0
    return float(ordered[fit[-1]]), float((fit[-1] + 1) / len(order))
