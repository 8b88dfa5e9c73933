"""Rows of prediction-powered means: which systems and pairs, and their values."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from rankwell.comparison.agreement.verdicts import Power
from rankwell.errors import DataError
from rankwell.metrics.metric import Metric
from rankwell.statistics.intervals import interval
from rankwell.statistics.prediction_powered import Predicted


def refuse_undefined(metric: Metric, model: np.ndarray, people: np.ndarray | None = None) -> None:
    """Refuse values that are undefined for some queries."""
    tables = [("the model's", model), *([] if people is None else [("people's", people)])]
    missing = [(who, int(np.isnan(each).any(axis=0).sum())) for who, each in tables]
    told = [f"of {n:,} queries under {who} judgements" for who, n in missing if n]
    if told:
        raise DataError(
            f"values of {metric} are undefined: {' and '.join(told)}, and leaving them out would choose queries by their "
            f"judgements. Say undefined='zero', or use a metric that is always defined, such as DCG@k."
        )


def systems(names: tuple[str, ...], baseline: str | None) -> list[tuple[int, int | None]]:
    """Each system alone, and the pairs to compare."""
    alone: list[tuple[int, int | None]] = [(row, None) for row in range(len(names))]
    if baseline is not None:
        return [
            *alone,
            *((row, names.index(baseline)) for row in range(len(names)) if names[row] != baseline),
        ]
    return [*alone, *combinations(range(len(names)), 2)]


def less_of(values: np.ndarray, row: int, less: int | None) -> np.ndarray:
    """Return the values of a system, or its differences from another."""
    found: np.ndarray = values[row] if less is None else values[row] - values[less]
    return found


def power_of(
    names: tuple[str, ...],
    row: int,
    less: int | None,
    metric: Metric,
    told: Predicted,
    human: float,
    by_people: Predicted,
    errors: np.ndarray,
    guesses: np.ndarray,
    level: float,
) -> Power:
    """Return the row of a system, or of a pair.

    ``by_people`` is what the sample says without the model, ``errors`` the model's in each sampled query, ``guesses`` its values of all.
    """
    alone = interval(guesses, np.arange(len(guesses), dtype=np.uint64), method="t", level=level)
    other = "" if less is None else names[less]
    _, counts = np.unique(np.round(errors, 12), return_counts=True)
    return Power(
        names[row],
        other,
        str(metric),
        told,
        human,
        float(guesses.mean()),
        human_bounds=(by_people.low, by_people.high),
        model_bounds=(alone.low, alone.high),
        apart=len(errors) - int(counts.max(initial=0)),
    )
