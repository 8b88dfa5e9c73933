"""Metrics of predicted ratings: RMSE, MAE and MSE, over all pairs or per user; R² and explained variance; log loss of predicted probabilities."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np

from rankwell.errors import DataError, UsageError, brief
from rankwell.matching.batch import Context, Judged
from rankwell.metrics.metric import Better, CorpusMetric, Metric, QueryMetric, definition
from rankwell.records import record
from rankwell.tables.lists import Ranked, ratio
from rankwell.tables.states import Mean, Total

__all__ = ["MAE", "MSE", "R2", "RMSE", "ExplainedVariance", "LogLoss", "UserMAE", "UserMSE", "UserRMSE"]


@definition
class _OfErrors(Metric):
    """A metric of score − grade over the rated items found."""

    range: ClassVar[tuple[float, float]] = (0.0, math.inf)
    better: ClassVar[Better] = "lower"
    needs: ClassVar[frozenset[str]] = frozenset({"score"})
    power: ClassVar[Literal[1, 2]] = 2
    rooted: ClassVar[bool] = False

    def check_tables(self, context: Context) -> None:
        """The judgements must be ratings, not interactions."""
        if context.scale.kind == "interactions":
            raise UsageError(
                f"{self} compares scores with ratings, but the judgements are interactions, which all count as 1. Add a grade "
                f"column, or drop grades='interactions'."
            )

    def losses(self, judged: Judged) -> tuple[Ranked, np.ndarray]:
        """Return the rated items found, and the loss of each: the absolute or squared error.

        Raises
        ------
        DataError
            If a score is infinite, or its square overflows.
        """
        rows = judged.found.top(self.k)
        rows = rows.where(judged.scale.judged(rows.grade))
        assert rows.score is not None
        errors = np.abs(rows.score - rows.grade)
        with np.errstate(over="ignore"):  # a square beyond every number is refused below, with its query
            losses = errors if self.power == 1 else np.square(errors)
        wrong = np.flatnonzero(~np.isfinite(losses))
        if len(wrong):
            row = int(wrong[0])
            raise DataError(
                f"query {brief(judged.queries.one(int(rows.query[row])))}: the score {rows.score[row]:g} is too large to be a "
                f"predicted rating."
            )
        return rows, losses


@definition
class OfPairs(_OfErrors, CorpusMetric):
    """An error over all pairs of user and item together."""

    judgements: ClassVar[bool] = True
    undefined: ClassVar[Literal["judgements", "list", "never"]] = "list"

    def state(self, judged: Judged, context: Context) -> PairErrors:
        """The sum over the pairs of a batch."""
        rows, losses = self.losses(judged)
        return PairErrors(Mean.of(losses), int(np.count_nonzero(rows.count())))

    def value(self, state: PairErrors) -> float:
        """The mean, or its root; NaN of nothing."""
        return math.sqrt(state.pairs.value) if self.rooted else state.pairs.value


@record(slots=True)
class PairErrors:
    """The mean loss over pairs of user and item; ``n`` counts the users."""

    pairs: Mean
    n: int

    def __add__(self, other: PairErrors) -> PairErrors:
        return PairErrors(self.pairs + other.pairs, self.n + other.n)


@definition
class _OfUsers(_OfErrors, QueryMetric):
    """An error of each user alone."""

    undefined: ClassVar[Literal["judgements", "list", "never"]] = "list"

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The mean over the user's pairs, or its root."""
        rows, losses = self.losses(judged)
        means = ratio(rows.sum(losses), rows.count())
        return np.sqrt(means) if self.rooted else means


@definition
class MSE(OfPairs):
    """Mean squared error: the mean of (predicted − given rating)² over all pairs of user and item together.

    Formula
        MSE = Σ_{(u,i) found} (s_ui − g_ui)² / |found|, found = pairs that are in a list (with r ≤ k) and judged

    Edge cases
        The score is the predicted rating, so runs without scores and interactions are refused. Undefined if no list holds a
        rated item. Rated items missing from the lists have no prediction, so they do not count. A grade below 0 counts under
        ``negative=nonrelevant``.

    Convention
        All pairs have the same weight, so users with many ratings weigh more; ``user_mse`` weights users equally. Uses the
        raw grades, whatever the policy counts as relevant.

    Parameters
        none

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"u": {"a": 4.5, "b": 2}, "v": {"a": 1}}, {"u": {"a": 5, "b": 3}, "v": {"a": 4}}, ["mse"]).mean
        {'mse': 3.4166666666666665}

    Reference
        recmetrics mse; Microsoft recommenders.
    """

    name: ClassVar[str] = "mse"


@definition
class RMSE(OfPairs):
    """Root mean squared error: the root of the mean of (predicted − given rating)² over all pairs together.

    Formula
        RMSE = √(Σ_{(u,i) found} (s_ui − g_ui)² / |found|), found = pairs that are in a list (with r ≤ k) and judged

    Edge cases
        The score is the predicted rating, so runs without scores and interactions are refused. Undefined if no list holds a
        rated item. Rated items missing from the lists have no prediction, so they do not count. A grade below 0 counts under
        ``negative=nonrelevant``.

    Convention
        All pairs have the same weight (Microsoft recommenders, recmetrics, Surprise); Cornac uses the mean over users, which
        is ``user_rmse``. It says little about how well a system ranks.

    Parameters
        none

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"u": {"a": 4.5, "b": 2}, "v": {"a": 1}}, {"u": {"a": 5, "b": 3}, "v": {"a": 4}}, ["rmse"]).mean
        {'rmse': 1.848422751068236}

    Reference
        J. Herlocker et al., Evaluating collaborative filtering recommender systems, ACM TOIS 22(1), 2004.
    """

    name: ClassVar[str] = "rmse"
    plain: ClassVar[str] = "how far predicted ratings are off"
    rooted: ClassVar[bool] = True


@definition
class MAE(OfPairs):
    """Mean absolute error: the mean of |predicted − given rating| over all pairs of user and item together.

    Formula
        MAE = Σ_{(u,i) found} |s_ui − g_ui| / |found|, found = pairs that are in a list (with r ≤ k) and judged

    Edge cases
        The score is the predicted rating, so runs without scores and interactions are refused. Undefined if no list holds a
        rated item. Rated items missing from the lists have no prediction, so they do not count. A grade below 0 counts under
        ``negative=nonrelevant``.

    Convention
        All pairs have the same weight (Microsoft recommenders, Surprise); ``user_mae`` weights users equally. Elliot divides
        by all relevant items, found or not.

    Parameters
        none

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"u": {"a": 4.5, "b": 2}, "v": {"a": 1}}, {"u": {"a": 5, "b": 3}, "v": {"a": 4}}, ["mae"]).mean
        {'mae': 1.5}

    Reference
        J. Herlocker et al., Evaluating collaborative filtering recommender systems, ACM TOIS 22(1), 2004.
    """

    name: ClassVar[str] = "mae"
    plain: ClassVar[str] = "how far predicted ratings are off"
    power: ClassVar[Literal[1, 2]] = 1


@definition
class UserMSE(_OfUsers):
    """Mean squared error of each user: the mean of (predicted − given rating)² over their items.

    Formula
        MSE_u = Σ_{i found} (s_ui − g_ui)² / |found of u|; the mean is over users

    Edge cases
        As for mse; undefined for a user whose list holds no item they rated.

    Convention
        All users have the same weight; ``mse`` pools all pairs.

    Parameters
        none

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"u": {"a": 4.5, "b": 2}, "v": {"a": 1}}, {"u": {"a": 5, "b": 3}, "v": {"a": 4}}, ["user_mse"]).mean
        {'user_mse': 4.8125}

    Reference
        as for mse.
    """

    name: ClassVar[str] = "user_mse"


@definition
class UserRMSE(_OfUsers):
    """Root mean squared error of each user: the root of the mean of (predicted − given rating)² over their items.

    Formula
        RMSE_u = √(Σ_{i found} (s_ui − g_ui)² / |found of u|); the mean is over users

    Edge cases
        As for rmse; undefined for a user whose list holds no item they rated.

    Convention
        All users have the same weight: Cornac's RMSE with user_based=True. ``rmse`` pools all pairs.

    Parameters
        none

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"u": {"a": 4, "b": 2}, "v": {"a": 1}}, {"u": {"a": 5, "b": 3}, "v": {"a": 4}}, ["user_rmse"]).mean
        {'user_rmse': 2.0}

    Reference
        as for rmse; Cornac.
    """

    name: ClassVar[str] = "user_rmse"
    rooted: ClassVar[bool] = True


@definition
class UserMAE(_OfUsers):
    """Mean absolute error of each user: the mean of |predicted − given rating| over their items.

    Formula
        MAE_u = Σ_{i found} |s_ui − g_ui| / |found of u|; the mean is over users

    Edge cases
        As for mae; undefined for a user whose list holds no item they rated.

    Convention
        All users have the same weight: Cornac's MAE with user_based=True. ``mae`` pools all pairs.

    Parameters
        none

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"u": {"a": 4.5, "b": 2}, "v": {"a": 1}}, {"u": {"a": 5, "b": 3}, "v": {"a": 4}}, ["user_mae"]).mean
        {'user_mae': 1.875}

    Reference
        as for mae; Cornac.
    """

    name: ClassVar[str] = "user_mae"
    power: ClassVar[Literal[1, 2]] = 1


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
