"""How far two orders of the same units agree: Kendall's τ_b, AP correlation and rank-biased overlap, with equal values.

Each function takes two arrays of values, higher is better, and gives one number; or, for arrays with more axes in front, one
number per row: of many bootstrap replicates at once. NaN where there is no order to compare.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from rankwell.statistics.frequent import TIE

Ties = Literal["a", "b", "w"]
FEWEST = 8  # units of which τ has an interval


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
