"""The commands ``compare``, ``diff``, ``trend``, ``ledger``, ``fuse`` and ``agreement``, and files of costs that stand for their systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import zip_longest
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple, get_args

from rankwell.cli.arguments import COSTS, DATA, LEARNING, OUTPUT, STATISTICS, Option, QrelsOrNone
from rankwell.cli.options import (
    BoundingOptions,
    DatedResults,
    Engines,
    Form,
    Format,
    FromExperiment,
    IntoLedger,
    ItemText,
    Metrics,
    Output,
    PolicyPairs,
    PolicyRules,
    QueryTexts,
    Reading,
    ReadingPairs,
    Redacting,
    Tables,
    Threads,
    form_of,
    notes_printed,
    refuse_among_days,
    refuse_files,
    write_found,
    write_tables,
)
from rankwell.cli.words import (
    loaded,
    named_as,
    named_groups,
    named_numbers,
    numbers,
    refuse_twice,
    split,
    split_names,
)
from rankwell.comparison.compare.methods import FLIPS, RESAMPLES, Correction, Direction, FamilyOf, Test
from rankwell.display.output import ProgressBar, in_form, print_note, width, write
from rankwell.display.saved_files import kind_of, load_kind
from rankwell.errors import DataError, InputError, RankwellError, UsageError, nearest, one_of
from rankwell.matching.policy import Policy
from rankwell.records import record

if TYPE_CHECKING:
    from rankwell.comparison.agreement.agreement import Agreement
    from rankwell.comparison.compare.comparison import Comparison
    from rankwell.comparison.compare.costs import Measured
    from rankwell.comparison.compare.decisions import EvaluatedRuns
    from rankwell.comparison.diff import Diff
    from rankwell.comparison.query_diff import QueryDiff
    from rankwell.display.table import Table
    from rankwell.evaluation.engine import Engine
    from rankwell.results import Results
    from rankwell.tables.run_qrels import Qrels, Run


FORMS = get_args(Form)
CompareForm = Literal[Form, "xlsx"]
PLAIN = 120  # the width of a report that goes to no terminal

Weights = Annotated[str | None, Option(help="a column of --users: the weight of each query in the means")]
Clusters = Annotated[
    str | None,
    Option(help="a column of --users: what queries belong to (a person, a session) and vary with as a whole"),
]
Load = Annotated[
    str | None,
    Option(group=DATA, help="under which load the costs are, where a RUN is a file of ``rankwell bench -o``"),
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
            help="a run, or results that ``evaluate -o`` saved (a file, a folder of days); costs that ``bench -o`` saved stand for all "
            "their systems"
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
            help="the difference that matters, ``0.01`` or ``ndcg@10=0.01``; are two runs equivalent within it, and how many "
            "queries would show it? Repeat it"
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
    ledger: IntoLedger = None,
    format: Annotated[  # noqa: A002 - the word of the option
        CompareForm | None,
        Option(
            group=OUTPUT,
            help="the output format; default: that of the suffix of the output; xlsx, for Excel, needs a file (-o)",
        ),
    ] = None,
    output: Output = None,
    statistics: Testing = Testing(),
    bounding: BoundingOptions = BoundingOptions(),
    tables: Tables = Tables(),
    engines: Engines = Engines(),
    reading: Reading = Reading(),
    policy: PolicyRules = Policy(),
) -> None:
    """Compare runs by means with intervals, and corrected tests of their differences.

    Example: ``rankwell compare qrels.txt bm25.run dense.run -m ndcg@10 --baseline bm25.run``
    """
    from rankwell.comparison.compare.compare import compare as compared
    from rankwell.comparison.compare.compare import with_bounds

    words = [run, *runs]
    paths = split_names(words)[1]
    form = form_of(format, output, get_args(CompareForm))
    given = [*([] if qrels == "none" else [qrels]), *paths, *tables.given, *bounding.files]
    refuse_files(given, [output], [ledger])
    bounds = bounding.wanted(weights)
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
        ledger=ledger,
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
    _write_comparison(found, form, output, pairs=pairs, compact=compact)


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
    from rankwell.results.saving.load import is_saved, load_all

    named: dict[str, Any] = {}
    more: dict[str, Any] | None
    for name, path in zip(*split_names(words), strict=True):
        more = answers_in(name, path)
        if more is None:
            found = load_all(path) if is_saved(path) else []
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
    threads: int | None = None,
    bounds: Mapping[str, Any] | None = None,
    engines: Engines | None = None,
    ledger: str | None = None,
) -> tuple[dict[str, Results], Any, EvaluatedRuns | None]:
    """Return the results of all systems, the table of users, and what evaluated the runs; saved results are taken as they are."""
    from rankwell.comparison.compare.decisions import EvaluatedRuns
    from rankwell.evaluation import Evaluator
    from rankwell.evaluation.engines.memory import Memory
    from rankwell.evaluation.inputs import read_inputs
    from rankwell.evaluation.request import Request
    from rankwell.metrics import metrics_of

    new = [name for name, each in named.items() if is_run(each)]
    if not new:
        if bounds is not None and bounds["bounds"]:
            raise UsageError("--bounds needs the runs themselves, not saved results.")
        if ledger:
            raise UsageError("--ledger is for runs; saved results were evaluated before.")
        return dict(named), tables.users, None
    judged = None if qrels == "none" else qrels
    with ProgressBar() as progress:
        engine: Engine = Memory(progress=progress)
        if engines is not None:
            engine = engines.of([named[name] for name in new], judged, tables.train, progress=progress)
        request = Request(
            metrics=metrics_of(metrics),
            policy=policy,
            qrels=judged,
            train=tables.train,
            items=tables.items,
            users=tables.users,
            by=by,
            engine=engine,
            threads=threads,
            of_runs=reading.of_runs,
            of_qrels=reading.of_qrels,
            ledger=ledger,
            **bounds or {},
        )
        inputs = read_inputs(request, [named[name] for name in new], new)
        evaluator = Evaluator.of(request, inputs)
        runs = dict(zip(new, inputs.runs, strict=True))
        found = evaluator.warned_results(runs, stacklevel=4)
    results = {name: found.get(name, each) for name, each in named.items()}
    return results, inputs.users, EvaluatedRuns(evaluator, runs)


def name_of(baseline: str, paths: Mapping[str, str], names: Sequence[str]) -> str:
    """Return the name of the baseline, which is given by its name or its path."""
    found = baseline if baseline in names else named_as(baseline, list(paths), list(paths.values()))
    if found is None:
        near = nearest(baseline, [*names, *paths.values()])
        raise UsageError(f"--baseline {baseline}: must be one of the runs, {one_of(names)}.{near}")
    return found


def _write_comparison(
    found: Comparison, form: str, output: str | None, *, pairs: bool, compact: bool
) -> None:
    if form == "json":
        write(found.to_json(), output)
        return
    if form == "latex":  # a column per metric, for a paper
        write("\n\n".join([found.to_latex(), *([found.to_pair_table().to_latex()] if pairs else [])]), output)
        return
    own = [found.to_pair_table()] if pairs else []
    if not pairs or form != "csv":  # a CSV file holds one table
        own.insert(0, found.to_table(details=not compact))
    if pairs and form == "xlsx":  # whose sheets are called after their captions
        own[-1] = replace(own[-1], caption="pairs")
    if found.bounding is not None and form != "csv":
        own.append(found.to_bounds_table())
    write_tables(own if form == "csv" else [*own, *found.to_cost_tables()], form, output)


def costs_in(path: str) -> Measured | None:
    """Return the costs that a file holds, which a command loads once; None if it holds something else."""
    kept = {} if (of_command := loaded.get()) is None else of_command
    if path not in kept:
        kept[path] = load_kind(path, COSTS) if kind_of(path) == COSTS else None
    found: Measured | None = kept[path]
    return found


def answers_in(name: str, path: str) -> dict[str, Run] | None:
    """Return the answers of the systems of a file of costs, of which one alone is called as it was given; None for other files."""
    found = costs_in(path)
    if found is None:
        return None
    named = _renamed(name, path, found)
    return {system: named.runs[system] for system in named.systems if system in named.runs}


def costs_of(words: Sequence[str], load: str | None) -> Measured | None:
    """Return the costs of all systems of the files of costs among the words, under one load; None if there is no such file.

    UsageError if there are several loads and none is named, there is no such load, or it is named without costs.
    """
    named = zip(*split_names(words), strict=True)
    found = [_renamed(name, path, own) for name, path in named if (own := costs_in(path)) is not None]
    if not found:
        if load is not None:
            raise UsageError("--load is for costs, and no RUN is a file that rankwell bench -o wrote.")
        return None
    costs: Measured = reduce(add, found)
    if load is None and len(costs.loads) > 1:
        raise UsageError(f"there are several loads; --load says which: {one_of(costs.loads)}.")
    return costs if load is None else costs.under(load)


def joined_costs(words: Sequence[str]) -> Measured:
    """Return the costs of all systems of files of costs, under all loads; RankwellError if one cannot be read, or is no such file."""
    named = zip(*split_names(words), strict=True)
    return reduce(
        add, [_renamed(name, path, costs_in(path) or load_kind(path, COSTS)) for name, path in named]
    )


def _renamed(name: str, path: str, found: Measured) -> Measured:
    """The costs of one system under the name that it was given, if it was given any."""
    is_named = split_names([path])[0] != [name]
    return found.renamed({found.systems[0]: name}) if is_named and len(found.systems) == 1 else found


def diff(
    qrels: Annotated[
        str, Option(left_out=True, help="the judgements; left out if A and B are files of saved results")
    ],
    a: Annotated[
        str,
        Option(
            help="the old run, or results that ``evaluate -o`` saved as .json or .parquet; ``NAME=FILE`` names it"
        ),
    ],
    b: Annotated[str, Option(help="the new one; differences are B less A")],
    /,
    *,
    metric: Annotated[
        str | None,
        Option(
            name=("--metric", "-m"),
            help="one metric with a value per query; default ``ndcg@10``, or that of saved results",
        ),
    ] = None,
    query: Annotated[
        str | None,
        Option(
            name=("--query", "-q"),
            help="show both lists of this query side by side, with what each rank adds",
        ),
    ] = None,
    top: Annotated[
        int | None,
        Option(
            help="how many queries are shown, by default 20; with --query how many ranks, by default those of the metric"
        ),
    ] = None,
    direction: Annotated[Direction, Option(help="only queries on which B is better or worse")] = "both",
    by: Annotated[
        list[str] | None, Option(help="a column of --users: wins and losses per segment; repeat it")
    ] = None,
    queries: QueryTexts = None,
    text: ItemText = None,
    format: Format = None,  # noqa: A002 - the word of the option
    output: Output = None,
    tables: Tables = Tables(),
    reading: Reading = Reading(),
    redacting: Redacting = Redacting(),
    policy: PolicyRules = Policy(),
) -> None:
    """Show the queries on which two runs differ most; with --query both lists of one, and what each rank contributed.

    Whether a mean difference is more than chance, ``compare`` says; why two tools differ on one run, ``rosetta`` does.

    Example: ``rankwell diff qrels.txt bm25.run dense.run -m ndcg@10``
    """
    from rankwell.comparison.diff import diff as differing
    from rankwell.comparison.diff import refuse_same
    from rankwell.evaluation.inputs import with_needs
    from rankwell.metrics import metric_of
    from rankwell.readers import read_qrels

    form, (names, (a, b)) = form_of(format, output, get_args(Form)), split_names([a, b])
    texts = [] if queries is None else [queries]
    refuse_files([*([] if qrels == "none" else [qrels]), a, b, *texts, *tables.given], [output])
    refuse_same(a, b)
    refuse_twice(names)
    asked = None if metric is None else metric_of(metric)
    with notes_printed():
        first, second = _open_both([a, b], with_needs(reading.of_runs, asked, "run", policy.sizes))
        found = differing(
            dict(zip(names, (first, second), strict=True)),
            None if qrels == "none" else read_qrels(qrels, **with_needs(reading.of_qrels, asked)),
            asked,
            by=by,
            users=tables.users,
            queries=queries,
            items=tables.items,
            text=text,
            top=20 if top is None else top,
            direction=direction,
            train=tables.train,
            policy=policy,
            read=reading.of_tables,
            redact=redacting.wanted,
        )
    write(_text_of_diff(found if query is None else found.query(query, top), form, output), output)


def _open_both(paths: list[str], of_runs: Mapping[str, Any]) -> list[Any]:
    """Runs whose rows are still to be read, or saved results."""
    from rankwell.readers import open_several
    from rankwell.results.saving.load import is_saved

    runs = iter(open_several([(path, None) for path in paths if not is_saved(path)], of_runs))
    return [_load_one(path) if is_saved(path) else next(runs) for path in paths]


def _load_one(path: str) -> Results:
    """The saved results of one run."""
    from rankwell.results.saving.load import load_all

    loaded = load_all(path)
    if len(loaded) > 1:
        names = ", ".join(res.name for res in loaded[:6])
        raise UsageError(
            f"{path} holds results of {len(loaded)} runs ({names}); save each in a file of its own."
        )
    return loaded[0]


def _text_of_diff(found: Diff | QueryDiff, form: str, output: str | None) -> str:
    if form == "text":
        return found.to_text(None if output else width())
    if form == "html":
        return found.to_html(full=True)
    made: str = getattr(found, f"to_{form}")()
    return made


def trend(
    results: DatedResults,
    /,
    *more: Annotated[str, Option(help="more of them")],
    metric: Metrics = None,
    format: Format = None,  # noqa: A002 - the word of the option
    output: Output = None,
) -> None:
    """Show the means of saved results by date, and how each changed since the date before, with intervals.

    Example: ``rankwell trend days/ -m ndcg@10``
    """
    from rankwell.comparison.trend import trend as trend_of

    words, form = [results, *more], form_of(format, output, FORMS)
    refuse_among_days(words, output)
    found = trend_of(words, None if metric is None else [part for text in metric for part in split(text)])
    write_found(found, form, output)


def ledger(
    file: Annotated[str, Option(help="a file that ``--ledger`` wrote")],
    /,
    *,
    sd: Annotated[
        float | None,
        Option(
            help="the standard deviation of the differences per query of two systems, such as .15; default: an upper bound from the ledger"
        ),
    ] = None,
    format: Format = None,  # noqa: A002 - the word of the option
    output: Output = None,
) -> None:
    """Count how often judgements were used, and how much the best of so many systems gains by luck alone.

    Example: ``rankwell ledger ledger.jsonl --sd .15``
    """
    from rankwell.results.ledger import read_ledger

    form = form_of(format, output, FORMS)
    refuse_files([file], [output])
    write_found(read_ledger(file, sd=sd), form, output)


@record(kw_only=True)
class Learning:
    """What is learned from judgements."""

    GROUP: ClassVar = LEARNING

    qrels: Annotated[
        str | None,
        Option(
            help="judgements to learn from; each judged query is fused with weights learned from the other queries"
        ),
    ] = None
    metric: Annotated[
        str | None,
        Option(name=("--metric", "-m"), help="the metric to make as good as possible, such as ``ndcg@10``"),
    ] = None
    folds: Annotated[
        int,
        Option(
            help="the parts of the judged queries; with 1, they are fused with what they taught themselves"
        ),
    ] = 5


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
    format: Annotated[Form, Option(help="the output format of what is printed")] = "text"


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
    k: Annotated[float | None, Option(help="the constant of ``rrf``, by default 60")] = None,
    top: Annotated[int | None, Option(help="keep this many items of each query; default: all")] = None,
    name: Annotated[str | None, Option(help="the name of the fused run; default: that of the method")] = None,
    learning: Learning = Learning(),
    reading: ReadingPairs = Reading(),
    written: Written = Written(),
    policy: PolicyPairs = Policy(),
) -> None:
    """Make one run of several, by scores or ranks; weights are given, or learned from judgements.

    Example: ``rankwell fuse bm25.run dense.run --method rrf -o fused.run``
    """
    from rankwell.comparison.fusion.fuse import fuse as fused_of
    from rankwell.comparison.fusion.fuse import refuse_suffix
    from rankwell.readers import open_named, read_qrels
    from rankwell.tables.run_qrels import SWAPPED

    (names, paths), judged = split_names([run, other, *more]), learning.qrels
    if written.output is not None:
        refuse_suffix(written.output)
    refuse_files([*paths, *([judged] if judged else [])], [written.output])
    runs = open_named(dict(zip(_distinct(names), paths, strict=True)), reading.of_runs)
    try:
        fused = fused_of(
            runs, method, norm=norm, weights=numbers(weights, "--weights"), k=k, top=top, name=name,
            qrels=None if judged is None else read_qrels(judged, **reading.of_qrels), metric=learning.metric,
            folds=learning.folds, policy=policy,
        )  # fmt: skip
    except DataError as error:
        # other commands begin with judgements
        raise DataError(str(error).replace(SWAPPED, "Judgements to learn from are --qrels FILE.")) from None
    if written.output is not None:
        fused.save(written.output)
        print_note(f"wrote {written.output} ({len(fused):,} rows)")
    write(in_form(fused.tables(), written.format, width() or PLAIN), None)


def _distinct(names: list[str]) -> list[str]:
    """The names of the runs, none of which may be there twice."""
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"{twice}: the run is given twice; give it a weight with --weights instead.")
    return names


class Other(NamedTuple):
    """Other questions about runs and judgements, of which one can be asked."""

    drawn: str | None
    pool_depth: int | None
    stability: bool

    @property
    def asked(self) -> list[str]:
        """The options that ask."""
        return [
            f"--{word.replace('_', '-')}"
            for word, value in self._asdict().items()
            if value not in (None, False)
        ]

    def table(
        self,
        runs: Mapping[str, Any],
        judged: Sequence[Qrels],
        metrics: Sequence[str],
        given: Mapping[str, Any],
    ) -> Table:
        """Return the table that answers."""
        if len(self.asked) > 1:
            raise UsageError(f"{' and '.join(self.asked)} ask for different tables; give one of them.")
        if not runs or len(judged) != 1 + (self.drawn is not None):
            more = "one --against" if self.drawn else "no --against"
            raise UsageError(f"{self.asked[0]} needs runs, metrics and {more}.")
        if self.drawn is not None:
            from rankwell.comparison.agreement.ppi import prediction_powered

            people, model = judged
            return prediction_powered(
                runs, people, metrics, model=model, drawn=self.drawn, **given
            ).to_table()
        if self.pool_depth is None:
            from rankwell.comparison.agreement.stability import stability as stability_of

            return stability_of(runs, judged[0], metrics, **given).to_table()
        from rankwell.comparison.agreement.pool_bias import pool_bias

        found = pool_bias(runs, judged[0], metrics, depth=self.pool_depth, **given)
        for warning in found.warnings:
            print_note(warning)
        return found.to_table()


def agreement(
    qrels: Annotated[str, Option(help="the judgements")],
    /,
    *runs: Annotated[
        str, Option(help="the runs whose order is compared; at least two, with -m; ``NAME=FILE`` names one")
    ],
    against: Annotated[
        list[str] | None,
        Option(help="judgements of the same by somebody else, a person or a model; repeat it"),
    ] = None,
    assessor: Annotated[
        list[str] | None,
        Option(
            help="who made the judgements, ``human`` or ``model:gpt-4o,prompt=3fa9,date=2025-03-01``; repeat it, in the order "
            "of QRELS and --against"
        ),
    ] = None,
    drawn: Annotated[
        Literal["random", "items"] | None,
        Option(
            help="people judged QRELS, a simple random sample of the queries that a model judged in --against, or of its items, "
            "with a column ``propensity``: print prediction-powered means of the runs"
        ),
    ] = None,
    pool_depth: Annotated[
        int | None,
        Option(
            help="print how far each run is judged, and what it loses without the judgements that it alone brought into the pool of "
            "the runs' first so many items"
        ),
    ] = None,
    stability: Annotated[
        bool,
        Option(
            help="print for each metric how many pairs of runs differ significantly, and how often disjoint halves of the queries "
            "order two runs differently"
        ),
    ] = False,
    metric: Metrics = None,
    format: Format = None,  # noqa: A002 - the word of the option
    output: Output = None,
    top: Annotated[
        int,
        Option(group=STATISTICS, help="so many systems at the top of a leaderboard are also looked at apart"),
    ] = 10,
    tables: Tables = Tables(),
    reading: ReadingPairs = Reading(),
    policy: PolicyPairs = Policy(),
) -> None:
    """Say how far judgements agree, and the orders of runs that follow.

    Example: ``rankwell agreement human.txt --against model.txt bm25.run dense.run -m ndcg@10``
    """
    from rankwell.comparison.agreement.agreement import agreement as agreed
    from rankwell.readers import read_run

    judged = [qrels, *(against or [])]
    titles, paths = split_names(runs)
    form = form_of(format, output, FORMS)
    refuse_files([*judged, *paths, *tables.given], [output])
    names = [part for text in metric or () for part in split(text)]
    if runs and not names:
        raise UsageError("say by which metrics the runs are ordered: -m ndcg@10 -m ap.")
    if len(set(titles)) < len(titles):
        raise UsageError("a run is given twice.")
    given: dict[str, Any] = {word: value for word, value in vars(tables).items() if value is not None}
    given |= {"read": reading.of_tables, "policy": policy}
    opened = {
        name: read_run(path, name=name, **reading.of_runs) for name, path in zip(titles, paths, strict=True)
    }
    qrels_of_all = _judgements(judged, assessor or [], reading)
    other = Other(drawn, pool_depth, stability)
    if other.asked:
        write_tables([other.table(opened, qrels_of_all, names, given)], form, output)
        return
    found = agreed(*qrels_of_all, runs=opened or None, metrics=names or None, top=top, **given)
    for each in found.circular:
        print_note(str(each))
    _write_agreement(found, form, output)


def _judgements(paths: Sequence[str], assessors: Sequence[str], reading: Reading) -> list[Qrels]:
    """The judgements, with those who made them as far as they are said."""
    from rankwell.readers import read_qrels

    if len(assessors) > len(paths):
        raise UsageError(f"--assessor is given {len(assessors)} times, for {len(paths)} judgements.")
    return [read_qrels(path, assessor=who, **reading.of_qrels) for path, who in zip_longest(paths, assessors)]


def _write_agreement(found: Agreement, form: str, output: str | None) -> None:
    if form == "json":
        write(found.to_json(), output)
    elif form == "csv":  # one table
        write(found.to_frame().write_csv().rstrip("\n"), output)
    else:
        write_tables(found.tables(), form, output)
