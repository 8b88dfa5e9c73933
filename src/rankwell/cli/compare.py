"""The command ``compare``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from rankwell.cli.arguments import QrelsOrNone
from rankwell.cli.bounding import Bounding
from rankwell.cli.costs_files import Load, answers_in, costs_of
from rankwell.cli.option import STATISTICS, Option
from rankwell.cli.options import (
    Engines,
    Format,
    FromExperiment,
    Metrics,
    Output,
    PolicyRules,
    Reading,
    Tables,
    Threads,
    form_of,
    refuse_files,
    write_tables,
)
from rankwell.cli.words import named_as, named_groups, named_numbers, split, split_names
from rankwell.comparison.methods import FLIPS, RESAMPLES, Correction, FamilyOf, Test
from rankwell.display.output import Progress, write
from rankwell.errors import InputError, RankwellError, UsageError, nearest, one_of
from rankwell.matching.policy import Policy
from rankwell.records import record

if TYPE_CHECKING:
    from rankwell.comparison.comparison import Comparison
    from rankwell.comparison.deciding import Judging
    from rankwell.evaluation.engine import Engine
    from rankwell.evaluation.plan import BoundsWanted
    from rankwell.results import Results

FORMS = ("text", "markdown", "latex", "html", "json", "csv")

Weights = Annotated[str | None, Option(help="a column of --users: the weight of each query in the means")]
Clusters = Annotated[
    str | None,
    Option(help="a column of --users: what queries belong to (a person, a session) and vary with as a whole"),
]


@record(kw_only=True)
class Testing:
    """How differences are tested."""

    GROUP: ClassVar = STATISTICS

    test: Annotated[
        Test, Option(help="the test of one difference; sign flips are shown beside whatever decides")
    ] = "t"
    correction: Annotated[
        Correction,
        Option(help="for the number of comparisons: ``auto`` is holm beside a baseline, maxt for all pairs"),
    ] = "auto"
    family: Annotated[
        FamilyOf, Option(help="what is corrected together: one metric's comparisons, or all")
    ] = "metric"
    alpha: Annotated[float, Option(help="the chance of a false difference; intervals hold 1 − alpha")] = 0.05
    power: Annotated[float, Option(help="for the smallest difference that could be seen")] = 0.8
    flips: Annotated[int, Option(help="the number of random patterns of signs")] = FLIPS
    resamples: Annotated[int, Option(help="the number of bootstrap replicates")] = RESAMPLES
    seed: Annotated[int, Option(help="of everything drawn")] = 0

    @property
    def given(self) -> dict[str, Any]:
        """The arguments of ``compare``."""
        return dict(vars(self))


def compare(
    qrels: QrelsOrNone,
    run: Annotated[
        str,
        Option(
            help="a run, results that ``evaluate -o`` saved as .json or .parquet, a folder of daily ones, or costs that ``bench -o`` "
            "saved, which stand for all their systems"
        ),
    ],
    /,
    *runs: Annotated[str, Option(help="more of them, two systems in all; ``NAME=FILE`` names one")],
    metric: Metrics = None,
    baseline: Annotated[
        str | None, Option(help="the run that all others are compared with; default: all pairs")
    ] = None,
    primary: Annotated[
        str | None, Option(help="the metric that decides; the others are called exploratory")
    ] = None,
    margin: Annotated[
        list[str] | None,
        Option(
            help="the difference that matters, ``0.01`` or ``ndcg@10=0.01``: are two runs equivalent within it, and how many "
            "queries would show it; repeat it"
        ),
    ] = None,
    rope: Annotated[
        list[str] | None,
        Option(
            help="the difference that counts as none, ``0.01`` or ``ndcg@10=0.01``: the chances that the true one is below, "
            "within and above it, shown by --pairs; repeat it"
        ),
    ] = None,
    seeds: Annotated[
        list[str] | None,
        Option(help="the runs of one method trained several times, such as ``A=A-1,A-2,A-3``; repeat it"),
    ] = None,
    folds: Annotated[
        list[str] | None,
        Option(help="the runs of the folds of a cross-validation, such as ``A=f1,f2,f3``, pooled; repeat it"),
    ] = None,
    by: Annotated[
        list[str] | None, Option(help="a column of --users: one row per segment; repeat it")
    ] = None,
    weights: Weights = None,
    clusters: Clusters = None,
    load: Load = None,
    pairs: Annotated[bool, Option(help="also one row per pair, with tests and effect sizes")] = False,
    compact: Annotated[
        bool, Option(help="one column per metric, with stars or letters behind the means, without intervals")
    ] = False,
    threads: Threads = None,
    experiment: FromExperiment = None,
    format: Format = None,  # noqa: A002 - the word of the option
    output: Output = None,
    statistics: Testing = Testing(),
    bounding: Bounding = Bounding(),
    tables: Tables = Tables(),
    engines: Engines = Engines(),
    reading: Reading = Reading(),
    policy: PolicyRules = Policy(),
) -> None:
    """Compare runs: means with intervals, and tests of their differences, corrected for their number.

    Example: ``rankwell compare qrels.txt bm25.run dense.run -m ndcg@10 --baseline bm25.run``
    """
    from rankwell.comparison.comparing import compare as compared
    from rankwell.comparison.deciding import with_bounds

    words = [run, *runs]
    paths = split_names(words)[1]
    form = form_of(format, output, FORMS)
    refuse_files([*([] if qrels == "none" else [qrels]), *paths, *tables.given, *bounding.files], [output])
    bounds = bounding.wanted(reading.of_runs, weights=weights)
    named = systems_of(words)
    names = None if metric is None else [part for text in metric for part in split(text)]
    unsaved = [each for each in named.values() if is_run(each)]
    if names is None and unsaved:
        raise without_metrics(unsaved[0])
    groups = {"seeds": named_groups(seeds, "--seeds", words), "folds": named_groups(folds, "--folds", words)}
    results, users, judging = evaluated(
        named,
        qrels,
        names,
        tables,
        reading,
        policy,
        by=by,
        threads=threads,
        bounds=bounds,
        engines=engines,
    )
    found = compared(
        results,
        metrics=names,
        baseline=None
        if baseline is None
        else baseline
        if baseline in groups["seeds"] | groups["folds"]
        else name_of(baseline, dict(zip(*split_names(words), strict=True)), list(named)),
        primary=primary,
        margins=named_numbers(margin, "--margin"),
        rope=named_numbers(rope, "--rope"),
        seeds=groups["seeds"],
        folds=groups["folds"],
        by=by,
        weights=weights,
        clusters=clusters,
        users=users,
        costs=costs_of(words, load),
        threads=threads,
        experiment=experiment or "",
        **statistics.given,
    )
    if bounding.bounds and judging is not None:
        found = with_bounds(found, judging)
    _write(found, form, output, pairs=pairs, compact=compact)


def without_metrics(path: Any) -> RankwellError:
    """Return the error where no metrics are named and this file, which saved results would name them, holds none; or a run from costs."""
    ask = "say which metrics you want: -m ndcg@10 -m ap (`rankwell metrics` lists all)"
    if not isinstance(path, str):
        return UsageError(f"{ask}; costs hold what systems answered, and no values.")
    if not Path(path).exists():
        return InputError(f"{path}: cannot be read (No such file or directory).")
    return UsageError(f"{ask}; {path} holds no saved results, which would name them.")


def systems_of(words: Sequence[str]) -> dict[str, Any]:
    """Return runs by name: saved results and costs are loaded, of which a file may hold several; anything else stays a path."""
    from rankwell.results.loading import all_loaded, is_saved

    named: dict[str, Any] = {}
    more: dict[str, Any] | None
    for name, path in zip(*split_names(words), strict=True):
        more = answers_in(name, path)
        if more is None:
            found = all_loaded(path) if is_saved(path) else []
            more = {name: found[0] if found else path} if len(found) < 2 else {res.name: res for res in found}
        for own, each in more.items():
            if own in named:
                raise UsageError(f"{path}: two systems are called {own}; rename one.")
            named[own] = each
    return named


def is_run(system: Any) -> bool:
    """Whether a system is a run that is still to be evaluated, and not saved results."""
    from rankwell.results import Results

    return not isinstance(system, Results)


def evaluated(
    named: Mapping[str, Any],
    qrels: str,
    metrics: Sequence[str] | None,
    tables: Tables,
    reading: Reading,
    policy: Policy,
    *,
    by: Sequence[str] | None,
    threads: int | None,
    bounds: BoundsWanted | None = None,
    engines: Engines | None = None,
) -> tuple[dict[str, Results], Any, Judging | None]:
    """Return the results of all systems, the table of users, and what evaluated the runs; saved results are taken as they are."""
    from rankwell.comparison.deciding import Judging
    from rankwell.evaluation import Evaluator
    from rankwell.evaluation.engines.memory import Memory
    from rankwell.evaluation.inputs import read_inputs
    from rankwell.evaluation.plan import NO_BOUNDS

    new = [name for name, each in named.items() if is_run(each)]
    if not new:
        if bounds is not None and bounds.bounds:
            raise UsageError("--bounds needs the runs themselves, not saved results.")
        return dict(named), tables.users, None
    judged = None if qrels == "none" else qrels
    with Progress() as progress:
        engine: Engine = Memory(progress=progress)
        if engines is not None:
            engine = engines.of([named[name] for name in new], judged, tables.train, progress=progress)
        inputs = read_inputs(
            metrics,
            policy,
            runs=[named[name] for name in new],
            names=new,
            qrels=judged,
            train=tables.train,
            items=tables.items,
            users=tables.users,
            run_options=reading.of_runs,
            qrels_options=reading.of_qrels,
            engine=engine,
        )
        evaluator = Evaluator.of(inputs, by=by, engine=engine, threads=threads, bounds=bounds or NO_BOUNDS)
        runs = dict(zip(new, inputs.runs, strict=True))
        found = evaluator.warned_results(runs, stacklevel=4)
    results = {name: found.get(name, each) for name, each in named.items()}
    return results, inputs.users, Judging(evaluator, runs)


def name_of(baseline: str, paths: Mapping[str, str], names: Sequence[str]) -> str:
    """Return the name of the baseline, which is given by its name or its path."""
    found = baseline if baseline in names else named_as(baseline, list(paths), list(paths.values()))
    if found is None:
        near = nearest(baseline, [*names, *paths.values()])
        raise UsageError(f"--baseline {baseline}: must be one of the runs, {one_of(names)}.{near}")
    return found


def _write(found: Comparison, form: str, output: str | None, *, pairs: bool, compact: bool) -> None:
    if form == "json":
        write(found.to_json(), output)
        return
    own = [found.to_pair_table()] if pairs else []
    if not pairs or form != "csv":  # a CSV file holds one table
        own.insert(0, found.to_table(details=not compact))
    if found.bounding is not None and form != "csv":
        own.append(found.to_bounds_table())
    write_tables(own if form == "csv" else [*own, *found.to_cost_tables()], form, output)
