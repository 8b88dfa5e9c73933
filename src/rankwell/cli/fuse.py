"""The command ``fuse``."""

from __future__ import annotations

import sys
from typing import Annotated, ClassVar, Literal

from rankwell.cli.option import LEARNING, OUTPUT, Option
from rankwell.cli.options import Form, PolicyRules, Reading, refuse_files
from rankwell.cli.words import numbers, split_names
from rankwell.display.escaping import printable
from rankwell.display.output import in_form, width, write
from rankwell.errors import UsageError
from rankwell.matching.policy import Policy
from rankwell.records import record

PLAIN = 120  # the width of a report that goes to no terminal


@record(kw_only=True)
class Numbers:
    """The number that a method has."""

    k: Annotated[float | None, Option(help="the constant of ``rrf``, by default 60")] = None
    phi: Annotated[
        float | None, Option(help="how far down ``rbc`` looks, above 0 and below 1, by default 0.8")
    ] = None
    gamma: Annotated[
        float | None, Option(help="the power of the number of lists in ``comb_gmnz``, by default 1")
    ] = None
    sigma: Annotated[
        float | None, Option(help="what ``logn_isr`` adds to the number of lists, by default 0.01")
    ] = None


@record(kw_only=True)
class Learning:
    """What is learned from judgements."""

    GROUP: ClassVar = LEARNING

    qrels: Annotated[
        str | None,
        Option(help="judgements to learn from; each judged query is fused with what others taught"),
    ] = None
    metric: Annotated[
        str | None,
        Option(name=("--metric", "-m"), help="the metric to make as good as possible, such as ``ndcg@10``"),
    ] = None
    learn: Annotated[
        Literal["weights", "k", "phi", "gamma", "sigma"] | None,
        Option(help="what to learn, by default the number of a method that has one, else the weights"),
    ] = None
    folds: Annotated[
        int,
        Option(
            help="the parts of the judged queries; with 1, they are fused with what they taught themselves"
        ),
    ] = 5
    seed: Annotated[int, Option(help="the seed for dealing the queries to folds")] = 0


@record(kw_only=True)
class Written:
    """Where the fused run goes, and how the report is printed."""

    GROUP: ClassVar = OUTPUT

    output: Annotated[
        str | None,
        Option(
            name=("--output", "-o"),
            help="the file for the fused run: ``.run`` (TREC text), ``.csv``, ``.parquet`` …; without it only the report is "
            "printed",
        ),
    ] = None
    format: Annotated[Form, Option(help="the output format of the report")] = "text"


def fuse(
    run: Annotated[
        str,
        Option(help="a run: a file, ``-`` for standard input, or a quoted pattern; ``NAME=FILE`` names it"),
    ],
    other: Annotated[str, Option(help="another run")],
    /,
    *more: Annotated[str, Option(help="more runs")],
    method: Annotated[
        str,
        Option(
            help="``rrf``, ``isr``, ``log_isr``, ``logn_isr``, ``rbc``, ``borda``, ``condorcet`` go by ranks; ``weighted``, "
            "``comb_sum``, ``comb_mnz``, ``comb_anz``, ``comb_gmnz``, ``comb_min``, ``comb_max``, ``comb_med`` by scores"
        ),
    ] = "rrf",
    norm: Annotated[
        str | None,
        Option(
            help="what makes scores comparable: ``min-max`` (the default), ``max``, ``sum``, ``z``, ``rank``, ``borda``, ``none``"
        ),
    ] = None,
    weights: Annotated[str | None, Option(help="the weight of each run, in their order: ``0.7,0.3``")] = None,
    number: Numbers = Numbers(),
    top: Annotated[int | None, Option(help="keep this many items of each query; default: all")] = None,
    name: Annotated[str | None, Option(help="the name of the fused run; default: that of the method")] = None,
    learning: Learning = Learning(),
    reading: Reading = Reading(),
    written: Written = Written(),
    policy: PolicyRules = Policy(),
) -> None:
    """Make one run of several, by their scores or ranks, with weights that are given or learned from judgements.

    Example: ``rankwell fuse bm25.run dense.run --method rrf -o fused.run``
    """
    from rankwell.comparison.fusion import fuse as fused_of
    from rankwell.comparison.fusion.saving import refuse_suffix
    from rankwell.readers import open_named, read_qrels

    (names, paths), judged = split_names([run, other, *more]), learning.qrels
    if written.output is not None:
        refuse_suffix(written.output)
    refuse_files([*paths, *([judged] if judged else [])], [written.output])
    runs = open_named(dict(zip(_distinct(names), paths, strict=True)), reading.of_runs)
    fused = fused_of(
        runs, method, norm=norm, weights=numbers(weights, "--weights"), **vars(number), top=top, name=name,
        qrels=None if judged is None else read_qrels(judged, **reading.of_qrels), metric=learning.metric,
        learn=learning.learn, folds=learning.folds, seed=learning.seed, policy=policy,
    )  # fmt: skip
    if written.output is not None:
        fused.save(written.output)
        sys.stderr.write(f"rankwell: wrote {printable(written.output)} ({len(fused):,} rows)\n")
    write(in_form(fused.tables(), written.format, width() or PLAIN), None)


def _distinct(names: list[str]) -> list[str]:
    """The names of the runs, none of which may be there twice."""
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"{twice}: the run is given twice; give it a weight with --weights instead.")
    return names
