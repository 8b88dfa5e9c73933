"""Options that the commands ``judging …`` share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from rankwell.cli.arguments import Option
from rankwell.cli.options import Reading
from rankwell.cli.words import split_names
from rankwell.errors import UsageError, one_of
from rankwell.faces import modules
from rankwell.judging import methods
from rankwell.records import record

if TYPE_CHECKING:
    from rankwell.tables.run_qrels import Qrels, Run

NOTHING = "none"  # in place of judgements
METHODS = one_of([f"``{name}``" for name in modules(methods)])
Aim = Literal["order", "difference", "mean"]


@record(kw_only=True)
class Choosing:
    """What the judgements are for."""

    metric: Annotated[
        str,
        Option(
            name=("--metric", "-m"),
            help="the metric to compare by: ``ap``, ``p@k``, ``dcg@k``, ``cg@k`` or ``rbp``; for nDCG take ``dcg``",
        ),
    ] = "ap"
    highest: Annotated[
        float | None,
        Option(help="the highest grade that a judge can give; default: the highest so far, at least 1"),
    ] = None
    seed: Annotated[int, Option(help="the seed for the draws of bandits")] = 0


def runs_of(paths: tuple[str, ...], reading: Reading) -> dict[str, Run]:
    """Open runs by the names of their files; UsageError if one is given twice."""
    from rankwell.readers import open_named

    names, files = split_names(paths)
    if len(set(names)) < len(names):
        raise UsageError("a run is given twice.")
    return open_named(dict(zip(names, files, strict=True)), reading.of_runs)


def qrels_of(path: str, reading: Reading) -> Qrels | None:
    """Read judgements, None for ``none``."""
    from rankwell.readers import read_qrels

    return None if path == NOTHING else read_qrels(path, **reading.of_qrels)


def inputs(qrels: str, runs: tuple[str, ...]) -> list[str]:
    """Return the files that are read."""
    return [*([] if qrels == NOTHING else [qrels]), *split_names(runs)[1]]
