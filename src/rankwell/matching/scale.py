"""Scale: the meaning of grades: which items are relevant or judged, and where gains begin."""

from __future__ import annotations

import math

import numpy as np

from rankwell.errors import DataError
from rankwell.kernels import sums
from rankwell.records import record

HIGHEST_EXP2 = 1000.0  # sums of such gains over millions of items still fit into a number
LARGEST_GAIN = 2.0**900  # and so do sums of these with weights


@record(slots=True)
class Scale:
    """The meaning of grades: which items are relevant, which count as judged, and where gains begin."""

    kind: str = "judgements"
    rel: float | None = None
    negative: str = "unjudged"

    def threshold(self, rel: float | None) -> float | None:
        """The lowest relevant grade; a metric's own ``rel`` wins; None means above 0."""
        return self.rel if rel is None else rel

    def relevant(self, grade: np.ndarray, rel: float | None = None) -> np.ndarray:
        """Return which grades are relevant; unjudged (NaN) never is."""
        threshold = self.rel if rel is None else rel
        if threshold is None:
            return grade > 0.0  # an integer would be converted first, which takes longer than a short list
        return (grade >= threshold) & self.judged(grade)

    @property
    def lowest(self) -> float:
        """The lowest grade that is a judgement."""
        return 0.0 if self.negative == "unjudged" else -math.inf

    def judged(self, grade: np.ndarray) -> np.ndarray:
        """Return which grades are judgements: negative ones are not under ``negative='unjudged'``."""
        return grade >= 0 if self.negative == "unjudged" else ~np.isnan(grade)

    def level(self, grade: np.ndarray, rel: float | None = None, gain_from: str = "threshold") -> np.ndarray:
        """Return the level that gains are computed from: the grade, or for ratings the number of steps from the threshold."""
        threshold = self.threshold(rel)
        if self.kind != "ratings" or gain_from == "raw" or threshold is None:
            return grade
        return np.where(grade >= threshold, grade - threshold + 1, np.where(np.isnan(grade), np.nan, 0.0))


def refuse_large_gains(gains: np.ndarray, grades: np.ndarray) -> np.ndarray:
    """Return the gains of grades.

    Raises
    ------
    DataError
        For a gain of which a sum may be too large for a number.
    """
    if sums.any_beyond(np.ascontiguousarray(gains, np.float64), LARGEST_GAIN):
        row = int(np.nanargmax(np.abs(gains)))
        raise DataError(
            f"the gain {gains[row]:g} of the grade {grades[row]:g} is too large for a number, as gains are added up. Are these "
            f"grades? Use a table such as gain={{1:1,2:3}}, with gains up to {LARGEST_GAIN:.0e}."
        )
    return gains


def exp2_gain(level: np.ndarray) -> np.ndarray:
    """Return 2^level − 1; DataError for a level that is too high for the gain to be a number."""
    return _exp2(level) - 1.0


def exp2_share(level: np.ndarray, top: np.ndarray | float) -> np.ndarray:
    """Return (2^level − 1) / 2^top, the probability that an item of this level satisfies; DataError as for ``exp2_gain``."""
    return (_exp2(level) - 1.0) / _exp2(np.asarray(top, np.float64))


def _exp2(level: np.ndarray) -> np.ndarray:
    if (level > HIGHEST_EXP2).any():
        raise DataError(
            f"the gain 2^{np.nanmax(level):g} of the highest grade is too large for a number. Are these grades? Use linear gains, "
            f"or a table such as gain={{1:1,2:3}}."
        )
    return np.exp2(level)
