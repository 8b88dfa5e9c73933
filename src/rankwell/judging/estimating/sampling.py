"""``sample``: items to judge, drawn at random with known probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np

from rankwell.errors import UsageError
from rankwell.evaluation.inputs import Words, read_with, reading_of
from rankwell.judging.arguments import ordering_policy, runs_of
from rankwell.judging.estimating.designs import Design, Drawing, drawing_of, prior_of
from rankwell.judging.estimating.frame import Frame
from rankwell.judging.estimating.sampled import Sample
from rankwell.judging.pooled import Pooled
from rankwell.matching.policy import Policy
from rankwell.statistics.draws import uniform
from rankwell.tables.arguments import checked
from rankwell.tables.fingerprints import draws
from rankwell.tables.places import RowOf

ARGUMENTS = ("budget", "design", "seed", "read")
BUDGET = 50


@checked
def sample(
    runs: Any,
    *,
    budget: int = BUDGET,
    design: Design = "rank",
    seed: int = 0,
    read: Mapping[str, Any] | None = None,
    policy: Policy | None = None,
    **rules: Unpack[Words],
) -> Sample:
    """Draw items to judge at random from the lists of runs, so that metrics can be estimated from their judgements.

    Formula
        ``rank``: strata by best rank in any run, 1-10, 11-30, 31-100 …, each drawn a third as densely as the one above it ·
        ``prior``: strata of equal sums of the prior (1/2n) (1 + 1/r + … + 1/n), averaged over the runs, as many items of each ·
        ``uniform``: one stratum · ``poisson``: each item independently, with a probability in proportion to the prior

    Parameters
    ----------
    runs
        The runs: by name, or a list; each in any form that ``read_run`` accepts. Their items, down to ``depth``, are the frame: what
        can be drawn.
    budget
        How many items to draw per query; of a query with fewer, all.
    design
        How to draw them.
    seed
        One seed, one sample: the draw of an item depends on the seed and its ids alone.
    read
        How files are read: arguments of ``read_run``.
    policy, rules
        The order of equal scores and ``depth``; as for ``evaluate``.

    Returns
    -------
    Sample
        Iterate over it, or ``save`` it for ``rankwell judging sheet`` and ``judging prompts``; ``estimate`` takes it as ``frame=``.

    Raises
    ------
    RankwellError
        For a budget below 1, or bad data.

    Notes
    -----
    There are no more strata than a fifth of the budget, and at least two items are drawn of each where it allows. The prior is that of
    J. Aslam, V. Pavlu and E. Yilmaz, A statistical method for system evaluation using incomplete judgments, SIGIR 2006. They and Pavlu
    and Aslam (2007) draw with it otherwise: from buckets, some of which may be drawn more than once; strata of equal sums, and the
    strata of ranks, are rankwell's.

    Examples
    --------
    >>> runs = {"bm25": {"q": [f"d{i}" for i in range(40)]}, "dense": {"q": [f"d{i}" for i in range(60, 0, -2)]}}
    >>> drawn = sample(runs, budget=20)
    >>> len(drawn), len(drawn.frame), {each.stratum: round(each.propensity, 3) for each in drawn}
    (20, 51, {'1-10': 0.65, '11-30': 0.192, '31-100': 0.4})
    """
    if budget < 1:
        raise UsageError(f"budget={budget}: must be at least 1.")
    read = read_with(read, rules)
    rule = ordering_policy(policy, rules, ARGUMENTS)
    opened = runs_of(runs, reading_of(read)[0])
    if not opened:
        raise UsageError("give at least one run.")
    pooled = Pooled.of([*opened], [*opened.values()], rule)
    keys = uniform(draws(seed, pooled.queries[pooled.query], pooled.catalogue[pooled.item]))
    prior = _prior(pooled)
    drawings = [
        drawing_of(design, pooled.best_rank[own], prior[own], keys[own], budget)
        for own in map(pooled.of_query, range(len(pooled.queries)))
    ]
    frame = _frame(pooled, drawings)
    assert frame.drawn is not None
    rows = np.flatnonzero(frame.drawn)
    order = rows[np.lexsort((keys[rows], pooled.query[rows]))]
    return Sample(frame, design, budget, seed, tuple(opened), order)


def _prior(pooled: Pooled) -> np.ndarray:
    """The mean prior of each candidate over the runs; a run that lacks it gives 0."""
    lists = pooled.query[pooled.candidate] * len(pooled.names) + pooled.run
    length = np.bincount(lists)[lists]
    found: np.ndarray = np.bincount(
        pooled.candidate, prior_of(pooled.rank.astype(np.int64), length), minlength=len(pooled)
    )
    return found / len(pooled.names)


def _frame(pooled: Pooled, drawings: list[Drawing]) -> Frame:
    names = {name: None for each in drawings for name in each.names}
    code = {name: at for at, name in enumerate(names)}
    stratum = None
    if names:
        stratum = np.concatenate(
            [np.array([code[name] for name in each.names])[each.stratum] for each in drawings]
        )
    return Frame(
        "the sample",
        pooled.queries,
        pooled.offsets,
        pooled.catalogue[pooled.item],
        tuple(names),
        stratum,
        np.concatenate([each.chance for each in drawings]),
        np.concatenate([each.drawn for each in drawings]),
        np.full(len(pooled), np.nan),
        RowOf("the sample"),
    )
