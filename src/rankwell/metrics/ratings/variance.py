"""How much of the ratings a prediction explains: R², explained variance; and log loss of predicted probabilities."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import ClassVar

import numpy as np

from rankwell.errors import UsageError
from rankwell.matching.batch import Context, Judged
from rankwell.metrics.metric import Better, definition
from rankwell.metrics.ratings.ratings import OfPairs, PairErrors
from rankwell.records import record
from rankwell.tables.states import Mean, Total

__all__ = ["R2", "ExplainedVariance", "LogLoss"]


@record(slots=True)
class Moments:
    """Exact sums over pairs of user and item of the grades, the errors and their squares; ``n`` counts the users."""

    grades: Total
    squares: Total
    errors: Total
    losses: Total
    n: int

    def __add__(self, other: Moments) -> Moments:
        return Moments(
            self.grades + other.grades,
            self.squares + other.squares,
            self.errors + other.errors,
            self.losses + other.losses,
            self.n + other.n,
        )

    def spread(self) -> Fraction:
        """The sum of squared deviations of the grades from their mean."""
        return _spread(self.grades, self.squares)

    def error_spread(self) -> Fraction:
        """The sum of squared deviations of the errors from their mean."""
        return _spread(self.errors, self.losses)


def _spread(values: Total, squares: Total) -> Fraction:
    unit = Fraction(1, 1 << 1127)  # in which exact sums are kept
    total = values.total * unit
    return squares.total * unit - total * total / values.n if values.n else Fraction(0)


@definition
class _OfVariance(OfPairs):
    """A share of the variance of the ratings that the scores explain."""

    range: ClassVar[tuple[float, float]] = (-math.inf, 1.0)
    better: ClassVar[Better] = "higher"

    def state(self, judged: Judged, context: Context) -> Moments:  # type: ignore[override]
        """The sums over the pairs of a batch."""
        rows, losses = self.losses(judged)
        assert rows.score is not None
        return Moments(
            Total.of(rows.grade),
            Total.of(np.square(rows.grade)),
            Total.of(rows.score - rows.grade),
            Total.of(losses),
            int(np.count_nonzero(rows.count())),
        )


@definition
class R2(_OfVariance):
    """R²: the share of the variance of ratings that the predictions account for; 0 is predicting the mean for everyone.

    Formula
        R² = 1 − Σ (s_ui − g_ui)² / Σ (g_ui − ḡ)², over all pairs that are in a list (with r ≤ k) and judged

    Edge cases
        Negative if predicting the mean would be better. Undefined if all ratings found are equal. Other edge cases as for
        rmse.

    Convention
        All pairs have the same weight; ḡ is the mean of the ratings found. Where all ratings are equal, scikit-learn says 1
        or 0.

    Parameters
        none

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"u": {"a": 4.5, "b": 2}, "v": {"a": 3}}, {"u": {"a": 5, "b": 3}, "v": {"a": 4}}, ["r2"]).mean
        {'r2': -0.125}

    Reference
        Microsoft recommenders rsquared; scikit-learn r2_score.
    """

    name: ClassVar[str] = "r2"
    aliases: ClassVar[tuple[str, ...]] = ("rsquared",)

    def value(self, state: Moments) -> float:  # type: ignore[override]
        """One less the squared errors over the spread of the ratings."""
        below = state.spread()
        return float(1 - Fraction(state.losses.total, 1 << 1127) / below) if below else math.nan


@definition
class ExplainedVariance(_OfVariance):
    """Explained variance: as R², but errors are counted from their mean, so a constant shift of all scores costs nothing.

    Formula
        1 − Var(s_ui − g_ui) / Var(g_ui), over all pairs that are in a list (with r ≤ k) and judged

    Edge cases
        As for r2.

    Convention
        At least r2, and equal to it if errors cancel on average. Microsoft's exp_var.

    Parameters
        none

    Example
        >>> import rankwell as rw
        >>> run, truth = {"u": {"a": 4, "b": 2}, "v": {"a": 3}}, {"u": {"a": 5, "b": 3}, "v": {"a": 4}}
        >>> rw.evaluate(run, truth, ["explained_variance", "r2"]).mean
        {'explained_variance': 1.0, 'r2': -0.5}

    Reference
        Microsoft recommenders exp_var; scikit-learn explained_variance_score.
    """

    name: ClassVar[str] = "explained_variance"
    aliases: ClassVar[tuple[str, ...]] = ("exp_var",)

    def value(self, state: Moments) -> float:  # type: ignore[override]
        """One less the spread of the errors over that of the ratings."""
        below = state.spread()
        return float(1 - state.error_spread() / below) if below else math.nan


@definition
class LogLoss(OfPairs):
    """Log loss: the cross-entropy between relevance and scores that are predicted probabilities of relevance.

    Formula
        −(1/|found|) Σ_{(u,i) found} [rel ln p + (1 − rel) ln(1 − p)], p = the score, at least eps and at most 1 − eps, found =
        pairs that are in a list (with r ≤ k) and judged

    Edge cases
        A score of less than eps counts as eps and one above 1 − eps as 1 − eps, so scores that are no probabilities say
        nothing; rows of scores below 0 or above 1 are counted. Interactions are refused, as all of them are relevant.
        Undefined if no list holds a judged item.

    Convention
        All pairs have the same weight, as in RecBole (whose eps is 1e-15) and scikit-learn (which refuses scores outside 0
        to 1).

    Parameters
        eps: how far p stays from 0 and 1, above 0 and below 0.5
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> res = rw.evaluate({"u": {"a": .5, "b": .25}}, {"u": {"a": 1, "b": 0}}, ["log_loss"])
        >>> round(res["log_loss"], 6)
        0.490415

    Reference
        C. Bishop, Pattern Recognition and Machine Learning, 2006, section 4.3; RecBole LogLoss; scikit-learn log_loss.
    """

    name: ClassVar[str] = "log_loss"
    aliases: ClassVar[tuple[str, ...]] = ("logloss",)

    eps: float = 2.220446049250313e-16
    rel: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.eps < 0.5:
            raise UsageError(f"log_loss(eps={self.eps:g}): eps must be above 0 and below 0.5.")

    def counts(self, judged: Judged, context: Context) -> dict[str, int]:
        """The number of rows whose score is no probability."""
        rows, _ = self.losses(judged)
        assert rows.score is not None
        return {
            "rows with a score below 0 or above 1": int(np.count_nonzero((rows.score < 0) | (rows.score > 1)))
        }

    def state(self, judged: Judged, context: Context) -> PairErrors:
        """The sum over the pairs of a batch."""
        rows, _ = self.losses(judged)
        assert rows.score is not None
        chance = np.clip(
            rows.score, self.eps, 1 - self.eps
        )  # a certainty that is wrong would be an infinite loss
        relevant = context.scale.relevant(rows.grade, self.rel)
        losses = -np.log(np.where(relevant, chance, 1 - chance))
        return PairErrors(Mean.of(losses), int(np.count_nonzero(rows.count())))
