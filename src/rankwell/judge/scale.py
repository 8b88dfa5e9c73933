"""Scale: the meaning of grades: which items are relevant or judged, and where gains begin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
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
            return grade > 0
        return (grade >= threshold) & self.judged(grade)

    def judged(self, grade: np.ndarray) -> np.ndarray:
        """Return which grades are judgements: negative ones are not under ``negative='unjudged'``."""
        return grade >= 0 if self.negative == "unjudged" else ~np.isnan(grade)

    def level(self, grade: np.ndarray, rel: float | None = None, gain_from: str = "threshold") -> np.ndarray:
        """Return the level that gains are computed from: the grade, or for ratings the number of steps from the threshold."""
        threshold = self.threshold(rel)
        if self.kind != "ratings" or gain_from == "raw" or threshold is None:
            return grade
        return np.where(grade >= threshold, grade - threshold + 1, np.where(np.isnan(grade), np.nan, 0.0))
