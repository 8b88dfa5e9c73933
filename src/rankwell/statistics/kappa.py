"""How far raters agree who put units into categories: shares, Cohen's κ and Krippendorff's α, from tables of counts.

A table has a row per category of one rater and a column per category of the other; arrays with more axes in front are many
tables at once, such as bootstrap replicates. NaN where chance alone leaves nothing to agree on.
"""

from __future__ import annotations

from itertools import permutations
from typing import Literal, NamedTuple

import numpy as np

Level = Literal["nominal", "ordinal", "interval"]


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
