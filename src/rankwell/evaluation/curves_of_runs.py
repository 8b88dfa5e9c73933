"""Curves: what an evaluator knows of a run besides its values: precision-recall curves and contingency tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankwell.readers import open_run
from rankwell.tables.arguments import checked

if TYPE_CHECKING:
    from rankwell.evaluation.distributed.plan import SparkPlan
    from rankwell.evaluation.plan import Plan
    from rankwell.evaluation.streaming.plan import StreamPlan
    from rankwell.results.contingency import Contingency
    from rankwell.results.curves import Curve

LEVELS = tuple(level / 100 for level in range(101))


class Curves:
    """The part of an evaluator that needs a run itself."""

    plan: Plan | StreamPlan | SparkPlan
    read: Mapping[str, Any]

    @checked
    def curve(
        self,
        run: Any,
        query: str | int | None = None,
        *,
        levels: Sequence[float] | None = None,
        rel: float | None = None,
    ) -> Curve:
        """Return the precision-recall curve of one query of a run, or the mean interpolated curve of all queries.

        Parameters
        ----------
        run
            As for ``evaluate``.
        query
            The query; None for the mean over the queries with a relevant item.
        levels
            The levels of recall at which precision is interpolated; default 0, 0.01, …, 1.
        rel
            The lowest grade that counts as relevant; by default the policy's ``rel``, else any grade above 0.

        Examples
        --------
        >>> import rankwell as rw
        >>> ev = rw.Evaluator({"q": {"a": 1, "c": 1}}, ["ap"])
        >>> curve = ev.curve({"q": ["a", "b", "c"]}, "q", levels=[0, .5, 1])
        >>> curve.precision, curve.break_even
        ((1.0, 1.0, 0.6666666666666666), 0.5)
        >>> curve.points  # rank, recall, precision
        ((1, 0.5, 1.0), (2, 0.5, 0.5), (3, 1.0, 0.6666666666666666))
        """
        from rankwell.evaluation.curves import curve_of

        return curve_of(
            self.plan, open_run(run, **self.read), query, LEVELS if levels is None else levels, rel
        )

    @checked
    def contingency(
        self, run: Any, k: int | None = None, *, collection: int | None = None, rel: float | None = None
    ) -> Contingency:
        """Return TP, FP, FN and TN per query of a run and pooled, with micro and macro precision, recall and F1.

        Parameters
        ----------
        run
            As for ``evaluate``.
        k
            Only the first k items count as retrieved; None for all.
        collection
            The number of items that could be retrieved; with it there are TN and accuracy.
        rel
            The lowest grade that counts as relevant; by default the policy's ``rel``, else any grade above 0.

        Examples
        --------
        >>> import rankwell as rw
        >>> ev = rw.Evaluator({"q": {"a": 1, "c": 1}, "r": {"a": 1}}, ["ap"])
        >>> table = ev.contingency({"q": ["a", "b"], "r": ["a"]}, collection=10)
        >>> table.pooled, table.micro["P"], table.macro["P"]
        ({'TP': 2, 'FP': 1, 'FN': 1, 'TN': 16}, 0.6666666666666666, 0.75)
        """
        from rankwell.evaluation.curves import contingency_of

        return contingency_of(self.plan, open_run(run, **self.read), k, collection, rel)
