"""Learning weights, or the number of a method, from judged queries; each judged query is fused with weights learned from the other queries."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations, pairwise

import numpy as np

from rankwell.comparison.fusion.methods import Parameter
from rankwell.errors import DataError
from rankwell.records import record
from rankwell.tables.fingerprints import draws
from rankwell.tables.ids import Ids
from rankwell.tables.workers import on_all_cores

STEPS = 10  # shares are tried in tenths
MOST = 1_001  # up to this number of combinations of shares, all are tried
TOGETHER = 4  # settings that one thread tries: most means are known already, from another fold
ROUNDS = 10
BETTER = 1e-12  # a mean that is higher by less is the same


@record
class Setting:
    """What a method is used with: the weights of the runs and its number, 1 for a method that has none."""

    weights: tuple[float, ...]
    number: float = 1.0


Values = Callable[[Setting], np.ndarray]  # the metric of each judged query
Search = Callable[[Callable[[Setting], float]], Setting]  # takes the mean of a setting, returns the best one


@record(eq=False)
class Fit:
    """A setting, the judged queries it was learned from (rows), their mean over ``n`` values, and the queries it is used for."""

    setting: Setting
    learned_from: np.ndarray
    n: int
    mean: float
    used_for: np.ndarray


def folds_of(judged: Ids, folds: int, seed: int) -> np.ndarray:
    """Return the fold of each judged query, from 1; 0 with a single fold, which is none.

    Raises
    ------
    DataError
        If there are fewer queries than folds.
    """
    if len(judged) < folds:
        raise DataError(
            f"the runs hold {len(judged)} judged {'query' if len(judged) == 1 else 'queries'}, too few for {folds} folds; say "
            f"folds={max(len(judged), 1)}, or give the judgements of more queries."
        )
    dealt = np.zeros(len(judged), np.int64)
    if folds > 1:
        dealt[np.argsort(draws(seed, judged), kind="stable")] = np.arange(len(judged)) % folds + 1
    return dealt


def fits_of(values: Values, search: Search, judged: np.ndarray, fold: np.ndarray, queries: int) -> list[Fit]:
    """Return what is learned from all judged queries, for the others, and for each fold what is learned without it.

    ``judged`` are the judged queries (rows), in the order of the values and of ``fold``.

    Raises
    ------
    DataError
        If the metric is undefined for all queries to learn from.
    """

    def fit(kept: np.ndarray, used_for: np.ndarray) -> Fit:
        rows = np.flatnonzero(kept)

        def defined(setting: Setting) -> np.ndarray:
            known = values(setting)[rows]
            known = known[~np.isnan(known)]
            if len(known):
                return known
            raise DataError(
                "the metric is undefined for all queries to learn from; give judgements with relevant items for more queries."
            )

        setting = search(lambda tried: float(defined(tried).mean()))
        reached = defined(setting)
        return Fit(setting, judged[rows], len(reached), float(reached.mean()), used_for)

    others = np.setdiff1d(np.arange(queries), judged[fold > 0])
    numbers = range(1, int(fold.max()) + 1)
    return [
        fit(np.ones(len(fold), np.bool_), others),
        *(fit(fold != number, judged[fold == number]) for number in numbers),
    ]


def number_search(parameter: Parameter, weights: tuple[float, ...]) -> Search:
    """Return what tries the values of a method's number, those near its default first: of equal means the first is taken."""
    tried = sorted({*parameter.grid, parameter.default}, key=lambda each: abs(each - parameter.default))
    return lambda mean: _best((Setting(weights, number) for number in tried), mean)


def weight_search(runs: int, number: float) -> Search:
    """Return what tries shares of the runs in tenths, the most even first; for many runs it moves one share at a time."""
    if math.comb(STEPS + runs - 1, runs - 1) <= MOST:
        shares = sorted(_shares(runs), key=lambda each: sum(share * share for share in each))
        tried = [Setting(tuple(share / STEPS for share in each), number) for each in shares]
        return lambda mean: _best(tried, mean)
    return lambda mean: _moved(Setting((1 / runs,) * runs, number), mean)


def _shares(runs: int) -> Iterator[tuple[int, ...]]:
    """All ways to divide the tenths between the runs."""
    for bars in combinations(range(STEPS + runs - 1), runs - 1):
        ends = (-1, *bars, STEPS + runs - 1)
        yield tuple(high - low - 1 for low, high in pairwise(ends))


def _best(tried: Iterable[Setting], mean: Callable[[Setting], float]) -> Setting:
    settings = list(tried)
    parts = [settings[begin : begin + TOGETHER] for begin in range(0, len(settings), TOGETHER)]
    found = [reached for means in on_all_cores(lambda part: [*map(mean, part)], parts) for reached in means]
    highest = max(found)
    return next(
        setting for setting, reached in zip(settings, found, strict=True) if reached >= highest - BETTER
    )


def _moved(setting: Setting, mean: Callable[[Setting], float]) -> Setting:
    """The setting reached from one by moving one share at a time, the others keeping their proportions.

    It stops when a round over all runs moves nothing, or after ten rounds.
    """
    for _ in range(ROUNDS):
        before = setting
        for run in range(len(setting.weights)):
            moves = [_with_share(setting, run, step / STEPS) for step in range(STEPS + 1)]
            setting = _best([setting, *moves], mean)
        if setting == before:
            break
    return setting


def _with_share(setting: Setting, run: int, share: float) -> Setting:
    rest = 1.0 - setting.weights[run]
    factor = (1.0 - share) / rest if rest > BETTER else 0.0
    even = (1.0 - share) / (len(setting.weights) - 1) if rest <= BETTER else 0.0
    weights = [round(weight * factor + even, 12) for weight in setting.weights]
    weights[run] = share
    return Setting(tuple(weights), setting.number)
