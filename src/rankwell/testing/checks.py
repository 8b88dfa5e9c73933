"""Checks of metrics, readers and engines by the laws."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from rankwell.evaluation import Evaluator
from rankwell.evaluation.engine import Engine
from rankwell.metrics import metric_of
from rankwell.metrics.metric import Metric
from rankwell.readers import read_qrels, read_run
from rankwell.testing.data import JUDGED, Data, examples
from rankwell.testing.laws import LAWS, LawBroken, equal


def check_metric(
    metric: str | Metric | type[Metric], *, cases: int | Iterable[int] = 25, seed: int = 0
) -> None:
    """Try every law on a metric; a law that it declares not to keep (``Metric.breaks``) is left out.

    ``cases`` says on how many sets of random data, or on those of which numbers.

    Raises
    ------
    LawBroken
        With the law, the metric and the data for which it fails.

    Examples
    --------
    >>> check_metric("ndcg@3", cases=3)
    """
    made = metric_of(metric)
    laws = {name: law for name, law in LAWS.items() if name not in made.breaks()}
    for given in examples(cases, seed):
        for name, law in laws.items():
            if not law(made, given):
                raise LawBroken(f"{made} breaks the law “{name}”: {law.__doc__} Data: {given}")


def check_reader(
    write_run: Callable[[Data, Path], None],
    write_qrels: Callable[[Data, Path], None],
    folder: Path,
    *,
    suffix: str,
    cases: int = 10,
) -> None:
    """Write data in a format, read them back, and compare with the dicts: the values have the same bits.

    Raises
    ------
    LawBroken
        If they differ.
    """
    metrics = ["ap", "ndcg@3", "rr", "p@2", "judged@3"]
    for given in examples(cases):
        run, qrels = folder / f"run{given.seed}{suffix}", folder / f"qrels{given.seed}{suffix}"
        write_run(given, run)
        write_qrels(given, qrels)
        theirs = Evaluator(given.qrels, metrics, policy=JUDGED).evaluate(given.run)
        ours = Evaluator(read_qrels(qrels), metrics, policy=JUDGED).evaluate(read_run(run))
        if not ours.per_query.equals(theirs.per_query) or ours.mean != theirs.mean:
            raise LawBroken(f"{suffix}: the values differ from those of the dicts. Data: {given}")


def check_engine(engine: Engine, *, cases: int = 10) -> None:
    """Compare an engine with the one for memory.

    Raises
    ------
    LawBroken
        If a value differs.
    """
    for given in examples(cases):
        for metric in map(metric_of, ("ap", "ndcg@3", "err", "coverage@2")):
            if not equal(metric, given.results(metric, engine=engine), given.results(metric)):
                raise LawBroken(f"{engine.name}: {metric} differs from the engine for memory. Data: {given}")
