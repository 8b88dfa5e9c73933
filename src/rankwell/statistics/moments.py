"""What means and differences of very many units need of them, as sums that add up over parts of the units."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rankwell.statistics.frequent import TIE, Frequent
from rankwell.statistics.intervals import LEAST, LEAST_OTHERS
from rankwell.statistics.many import PLAIN, Design, Summaries, t_of
from rankwell.statistics.paired_tests import EXACT


class SampleMoments(NamedTuple):
    """Per row of values: sums over its independent parts (units, weighted units or clusters), as ``parts_of`` has them of one row.

    A part has a size a and a total b, and lies e = b − c·a from a centre c. ``n`` counts the units that are defined and ``weights``
    is Σw² of these; ``parts`` counts the parts with a size; ``size`` is Σa, ``sizes`` Σa², ``total`` Σe, ``squares`` Σe², ``products``
    Σe·a. The most frequent values tell which rows have no spread, and which have so little that their interval is doubtful.
    """

    n: np.ndarray
    weights: np.ndarray
    parts: np.ndarray
    size: np.ndarray
    sizes: np.ndarray
    total: np.ndarray
    squares: np.ndarray
    products: np.ndarray
    are_shares: np.ndarray
    frequent: tuple[Frequent, ...]
    is_clustered: bool

    @classmethod
    def of(cls, rows: np.ndarray, centres: np.ndarray, design: Design = PLAIN) -> SampleMoments:
        """Return the moments of rows of values around a centre each; NaN is left out, and clusters are whole."""
        defined = ~np.isnan(rows)
        values, size = rows, defined * (1.0 if design.weights is None else design.weights)
        # around a centre near the mean, since Σx² − n·x̄² of large values cancels to nothing but rounding
        apart = np.where(defined, rows - centres[:, None], 0.0) * size
        weights = (size**2).sum(axis=1)
        if design.clusters is not None:
            size, apart = (by_cluster(column, design.clusters) for column in (size, apart))
            with np.errstate(invalid="ignore"):
                values = apart / size + centres[:, None]
        return cls(
            n=defined.sum(axis=1),
            weights=weights,
            parts=np.count_nonzero(size, axis=1),
            size=size.sum(axis=1),
            sizes=(size**2).sum(axis=1),
            total=apart.sum(axis=1),
            squares=(apart**2).sum(axis=1),
            products=(apart * size).sum(axis=1),
            are_shares=((rows == 0) | (rows == 1) | ~defined).all(axis=1),
            frequent=tuple(
                Frequent.of(row[own > 0], None if design.is_plain else own[own > 0])
                for row, own in zip(values, size, strict=True)
            ),
            is_clustered=design.clusters is not None,
        )

    def __add__(self, other: SampleMoments) -> SampleMoments:  # type: ignore[override]
        """Return the moments of the parts of both."""
        sums = {name: own + getattr(other, name) for name, own in self._asdict().items() if name in SUMS}
        return self._replace(
            **sums,
            are_shares=self.are_shares & other.are_shares,
            frequent=tuple(one + more for one, more in zip(self.frequent, other.frequent, strict=True)),
        )

    @property
    def effective(self) -> np.ndarray:
        """The number of parts that a mean rests on: of clusters theirs, of weighted units the effective one."""
        return self.parts.astype(np.float64) if self.is_clustered else np.minimum(self.parts, self._of_units)

    @property
    def _of_units(self) -> np.ndarray:
        """(Σw)² / Σw², which is their number where all weights are the same."""
        with np.errstate(invalid="ignore"):
            effective = np.nan_to_num(self.size**2 / self.weights)
        alike = (
            np.abs(effective - self.n) <= 1e-12 * self.n
        )  # as for one row, where equal weights are as none
        return np.where(alike, self.n, effective)

    def summaries(self, centres: np.ndarray) -> Summaries:
        """Return what ``summaries`` says of the rows themselves."""
        with np.errstate(divide="ignore", invalid="ignore"):
            apart = self.total / self.size
            mean = centres + apart
            rest = np.maximum(self.squares - 2 * apart * self.products + apart**2 * self.sizes, 0.0)
        for row, frequent in enumerate(self.frequent):
            if frequent.is_whole and frequent.shares:
                # from the values themselves, so that what is left of rounding is no spread
                value, size, squares = np.array([*frequent.shares.values()]).T
                mean[row] = (value * size).sum() / self.size[row]
                rest[row] = ((value - mean[row]) ** 2 * squares).sum()
        with np.errstate(divide="ignore", invalid="ignore"):
            return t_of(self.n, mean, rest * (self.effective / self.size) ** 2, self.effective)

    def of_shares(self, stats: Summaries) -> np.ndarray:
        """Return the number of units of equal weight that a share is as certain as; of clusters, n / design effect (at least 1)."""
        if not self.is_clustered:
            return self._of_units
        with np.errstate(divide="ignore", invalid="ignore"):
            errors = stats.sd**2 / stats.effective
            effect = errors * (self._of_units - 1) / (stats.mean * (1 - stats.mean))
            # of units that are all 0 or all 1 the effect is not known: each cluster counts as one unit
            is_whole = np.abs(stats.mean - np.rint(stats.mean)) <= 1e-12
            of_clusters = np.minimum(self._of_units, stats.effective)
            return np.where(is_whole, of_clusters, self._of_units / np.maximum(effect, 1.0))

    def are_doubtful(self) -> np.ndarray:
        """Return whether an interval of each row's mean is likely too short: n < 50, or the values beside the most frequent < 30.

        Both are effective numbers. Of units that count alike this is exact; of others no interval is doubted in vain, and doubt is
        missed only where the weight of the rare values is within a 32nd of its bound.
        """
        most = np.array([frequent.most for frequent in self.frequent])
        with np.errstate(divide="ignore", invalid="ignore"):
            n = self.size**2 / self.sizes
            return ~((n >= LEAST) & (n * (self.size - most) / self.size >= LEAST_OTHERS - 1e-9))


SUMS = frozenset(("n", "weights", "parts", "size", "sizes", "total", "squares", "products"))


def by_cluster(rows: np.ndarray, clusters: np.ndarray) -> np.ndarray:
    """Return the sums of each row over the units of each cluster, in the order of their numbers.

    Examples
    --------
    >>> by_cluster(np.array([[1.0, 2.0, 4.0]]), np.array([7, 3, 7], np.uint64)).tolist()
    [[2.0, 5.0]]
    """
    order = np.argsort(clusters, kind="stable")
    _, begins = np.unique(clusters[order], return_index=True)
    return np.add.reduceat(rows[:, order], begins, axis=1) if len(begins) else rows


class PairMoments(NamedTuple):
    """Of pairs of rows, over the units where both are defined: the moments of the difference and of either, and who is better.

    ``nonzero`` holds the differences that are no ties as long as they are few enough to try all their signs, and None after that.

    Examples
    --------
    >>> values, pairs = np.array([[0.2, 0.4, 1.0], [0.1, 0.5, 0.0]]), np.array([[0], [1]])
    >>> centres = values.mean(axis=1)
    >>> found = PairMoments.of(values[:, :2], pairs, centres) + PairMoments.of(values[:, 2:], pairs, centres)
    >>> found.first.summaries(centres[:1]).mean.round(4).tolist(), found.more.tolist(), found.less.tolist()
    ([0.5333], [2], [1])
    """

    difference: SampleMoments
    first: SampleMoments
    second: SampleMoments
    more: np.ndarray
    less: np.ndarray
    lost_first: np.ndarray
    lost_second: np.ndarray
    nonzero: tuple[tuple[float, ...] | None, ...]

    @classmethod
    def of(
        cls, values: np.ndarray, pairs: np.ndarray, centres: np.ndarray, design: Design = PLAIN
    ) -> PairMoments:
        """Return the moments of pairs (two rows of places in ``values``); each row of values has a centre.

        The design is that of the differences: those of either system are of its units alike.
        """
        first, second = values[pairs[0]], values[pairs[1]]
        d = first - second
        defined = ~np.isnan(d)
        own = [np.where(defined, values_of, np.nan) for values_of in (first, second)]
        middle = centres[pairs[0]], centres[pairs[1]]
        return cls(
            SampleMoments.of(d, middle[0] - middle[1], design),
            SampleMoments.of(own[0], middle[0]),
            SampleMoments.of(own[1], middle[1]),
            np.count_nonzero(d > TIE, axis=1),
            np.count_nonzero(d < -TIE, axis=1),
            np.count_nonzero(np.isnan(first) & ~np.isnan(second), axis=1),
            np.count_nonzero(~np.isnan(first) & np.isnan(second), axis=1),
            tuple(
                _few(row[is_own & (np.abs(row) > TIE)].tolist())
                for row, is_own in zip(d, defined, strict=True)
            ),
        )

    def __add__(self, other: PairMoments) -> PairMoments:  # type: ignore[override]
        """Return the moments of the units of both."""
        nonzero = (
            None if one is None or more is None else _few([*one, *more])
            for one, more in zip(self.nonzero, other.nonzero, strict=True)
        )
        return PairMoments(
            self.difference + other.difference,
            self.first + other.first,
            self.second + other.second,
            self.more + other.more,
            self.less + other.less,
            self.lost_first + other.lost_first,
            self.lost_second + other.lost_second,
            tuple(nonzero),
        )


def _few(values: Sequence[float]) -> tuple[float, ...] | None:
    return tuple(values) if len(values) <= EXACT else None
