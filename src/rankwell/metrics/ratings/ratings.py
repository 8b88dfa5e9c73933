"""Errors of predicted ratings: RMSE, MAE and MSE, over all pairs or per user."""

from __future__ import annotations

import math
from typing import ClassVar, Literal

import numpy as np

from rankwell.errors import DataError, UsageError, brief
from rankwell.matching.batch import Context, Judged
from rankwell.metrics.metric import Better, CorpusMetric, Metric, QueryMetric, definition
from rankwell.records import record
from rankwell.tables.lists import Ranked, ratio
from rankwell.tables.states import Mean

__all__ = ["MAE", "MSE", "RMSE", "UserMAE", "UserMSE", "UserRMSE"]


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
