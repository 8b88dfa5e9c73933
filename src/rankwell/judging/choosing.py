"""next: the items to judge next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from rankwell.errors import UsageError
from rankwell.evaluation.inputs import Words
from rankwell.judging.arguments import Aim
from rankwell.judging.chooser import Chooser
from rankwell.judging.chosen import Chosen
from rankwell.judging.method import Method
from rankwell.matching.policy import Policy
from rankwell.metrics import Wanted
from rankwell.tables.arguments import checked

BUDGET = 200


@checked
def next(  # noqa: A001 - what the function is called in the room: rw.judging.next
    runs: Any,
    qrels: Any = None,
    *,
    budget: int = BUDGET,
    aim: Aim = "order",
    method: str | type[Method] = "mtc",
    metric: Wanted = "ap",
    highest: float | None = None,
    seed: int = 0,
    read: Mapping[str, Any] | None = None,
    policy: Policy | None = None,
    **rules: Unpack[Words],
) -> Chosen:
    """Return the unjudged items whose judgements tell most about an order of runs, a difference, or a mean.

    Formula
        ``mtc``: Σ over pairs of runs of how far a judgement of the item moves their difference. The rules of the other methods are
        at ``rankwell.judging.methods``; the first note of what is returned says the rule of the one that was taken.

    Parameters
    ----------
    runs, qrels, aim, method, metric, highest, seed, read, policy, rules
        As for ``Chooser``.
    budget
        How many items to choose.

    Returns
    -------
    Chosen
        The items, best first. Print it, iterate over it, or ``save`` it; ``settling`` says how many judgements would settle
        the comparison.

    Raises
    ------
    RankwellError
        As for ``Chooser``, or for a budget below 1.

    Notes
    -----
    The items are chosen together: those that are chosen and not judged yet change nothing but that they are not chosen again.
    Methods that learn from answers do better if they are asked again after some. Items chosen so are no random sample: the
    judgements serve to compare these runs, and no p-value or prediction-powered mean may be made of them. Sources are named at
    each method in ``rankwell.judging.methods``.

    Examples
    --------
    >>> runs = {"bm25": {"q": ["a", "b", "c"]}, "dense": {"q": ["a", "c", "d"]}}
    >>> [(pick.item, pick.weight) for pick in next(runs, {"q": {"a": 1}}, metric="p@3")]
    [('b', 0.3333333333333333), ('d', 0.3333333333333333)]
    """
    if budget < 1:
        raise UsageError(f"budget={budget}: must be at least 1.")
    chooser = Chooser(
        runs, qrels, method=method, aim=aim, metric=metric, highest=highest, seed=seed, read=read, policy=policy, **rules
    )  # fmt: skip
    return Chosen.by(chooser, budget)
