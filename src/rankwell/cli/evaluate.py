"""The commands ``evaluate`` and ``merge``."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, get_args

from rankwell.cli.arguments import OUTPUT, Option
from rankwell.cli.options import (
    BoundingOptions,
    Engines,
    FromExperiment,
    IntoLedger,
    Metrics,
    Output,
    PolicyRules,
    Reading,
    Tables,
    Threads,
    form_of,
    refuse_files,
    with_origin,
    write_tables,
)
from rankwell.cli.words import as_options, files, split, split_names
from rankwell.display.output import ProgressBar, print_note, width, write
from rankwell.display.text import printable
from rankwell.errors import UsageError
from rankwell.matching.policy import Policy
from rankwell.records import record

if TYPE_CHECKING:
    from rankwell.display.table import Table
    from rankwell.evaluation import Evaluator
    from rankwell.evaluation.inputs import Inputs
    from rankwell.evaluation.rel_sweep import Sweep, Threshold
    from rankwell.results import Results
    from rankwell.tables.run_qrels import Qrels, Run


REFERENCE_DEPTH = 100
TENTHS = [tenth / 10 for tenth in range(11)]
NO_SWEEP = ("csv", "parquet")
Form = Literal["text", "json", "csv", "parquet", "markdown", "latex", "html", "xlsx"]


@record(kw_only=True)
class Printed:
    """How results are printed."""

    GROUP: ClassVar = OUTPUT

    format: Annotated[
        Form | None,
        Option(
            help="the output format; default: that of the suffix of the output; parquet holds the values of each query and "
            "needs a file (-o), as xlsx does, for Excel; csv holds ids as they are, so import it into a spreadsheet as text: ``=`` begins "
            "a formula there"
        ),
    ] = None
    output: Output = None
    verbose: Annotated[
        bool,
        Option(name=("--verbose", "-v"), help="print the whole policy, and how each file was read"),
    ] = False

    @property
    def form(self) -> str:
        """The output format."""
        return form_of(self.format, self.output, get_args(Form))


def evaluate(
    qrels: Annotated[
        str,
        Option(help="the judgements: a file, ``-`` for standard input, or ``none`` if no metric needs them"),
    ],
    run: Annotated[
        str,
        Option(
            help="a run: a file (``NAME=FILE`` names its system), ``-``, or a quoted pattern of several files (``'part-*.parquet'``)"
        ),
    ],
    /,
    *runs: Annotated[
        str,
        Option(
            help="more runs, printed side by side; a system is called ``NAME`` by ``NAME=FILE``, else as the file without known suffixes"
        ),
    ],
    metric: Metrics = None,
    per_query: Annotated[bool, Option(help="one row per query")] = False,
    interval: Annotated[
        bool, Option(help="also the 95 % interval of each mean; ``rankwell compare`` tests differences")
    ] = False,
    by: Annotated[
        list[str] | None, Option(help="a column of --users: one row per segment; repeat it")
    ] = None,
    weights: Annotated[
        str | None, Option(help="a column of --users: the weight of each query in the means")
    ] = None,
    slices: Annotated[
        list[str] | None,
        Option(
            help="a name and a table of items, such as ``head=head.csv``: one row where only these items are relevant; "
            "repeat it",
        ),
    ] = None,
    baselines: Annotated[
        bool,
        Option(
            help="evaluate reference lists as well, made from --train: random, popular, recently popular; and the ideal ones",
        ),
    ] = False,
    rel_sweep: Annotated[
        str | None,
        Option(
            help="thresholds of relevance such as ``6,7,8,9,interactions``: one row per threshold, and whether the order "
            "of the runs changes"
        ),
    ] = None,
    show: Annotated[
        Literal["means", "contingency", "curve"],
        Option(
            help="``contingency``: in place of means, what is relevant and retrieved at the cut-offs of the metrics (TN and accuracy need "
            "--items); ``curve``: precision at eleven levels of recall"
        ),
    ] = "means",
    preset: Annotated[
        str | None,
        Option(
            help="use the definitions and rules of another tool, such as ``rectools``; see ``rankwell rosetta``"
        ),
    ] = None,
    threads: Threads = None,
    experiment: FromExperiment = None,
    ledger: IntoLedger = None,
    bounding: BoundingOptions = BoundingOptions(),
    tables: Tables = Tables(),
    engines: Engines = Engines(),
    reading: Reading = Reading(),
    printed: Printed = Printed(),
    policy: PolicyRules = Policy(),
) -> None:
    """Evaluate runs against judgements.

    Example: ``rankwell evaluate qrels.txt bm25.run dense.run -m ndcg@10 -m ap``
    """
    if not metric and show != "means":
        metric = ["set_p"]  # the whole list
    if not metric:
        raise UsageError(
            "say which metrics you want: -m ndcg@10 -m ap -m p@5 (`rankwell metrics` lists all)."
        )
    from rankwell.evaluation import Evaluator
    from rankwell.evaluation.inputs import read_inputs
    from rankwell.evaluation.request import Request
    from rankwell.metrics import metrics_of

    (titles, paths), parts = split_names([run, *runs]), files(slices, "--slices")
    names = [part for text in metric for part in split(text)]
    inputs_given = [qrels, *paths, *tables.given, *parts.values(), *bounding.files]
    refuse_files(inputs_given, [printed.output], [ledger])
    bounds = bounding.wanted(weights)
    if interval:
        _refuse_beside_intervals(printed.form, per_query=per_query, weights=weights)
    others = {
        "--interval": interval,
        "--bounds": bounding.bounds,
        "--by": by,
        "--weights": weights,
        "--slices": slices,
        "--preset": preset,
    }
    sweeping = others | {
        "--per-query": per_query,
        "--users": tables.users,
        f"--format {printed.form}": printed.form in NO_SWEEP,
        f"--show {show}": show != "means",
    }
    showing = others | {
        "--ledger": ledger,
        "--per-query": per_query and show == "curve",
        "--format parquet": printed.form == "parquet",
    }
    # reference lists are no systems that were tried, and the ideal ones would be the best
    _refuse_beside("--ledger", {"--baselines": baselines} if ledger else {})
    _refuse_beside("--rel-sweep", sweeping if rel_sweep is not None else {})
    _refuse_beside(f"--show {show}", showing if show != "means" else {})
    thresholds = None if rel_sweep is None else thresholds_in(names, rel_sweep)
    with ProgressBar() as progress:
        judged, train, references = _references(names, qrels, tables.train, reading, wanted=baselines)
        engine = engines.of(paths, judged, train, progress=progress)
        if engine.opens and thresholds is not None:
            raise UsageError(f"--rel-sweep cannot be combined with --engine {engine.name}.")
        request = Request(
            metrics=metrics_of(names),
            policy=policy,
            preset=preset,
            qrels=judged,
            train=train,
            items=tables.items,
            users=tables.users,
            by=by,
            weights=weights,
            slices=parts,
            engine=engine,
            threads=threads,
            of_runs=reading.of_runs,
            of_qrels=reading.of_qrels,
            ledger=ledger,
            **bounds,
        )
        inputs = read_inputs(request, [*paths, *references], titles)
        named = {each.name: each for each in inputs.runs}
        if thresholds is not None:
            from rankwell.evaluation.rel_sweep import sweep_of

            write_sweep(sweep_of(request, inputs, named, thresholds), printed)
            return
        if show != "means":
            evaluator = Evaluator.of(request, inputs)
            shown = (
                _contingency(evaluator, inputs, per_query=per_query)
                if show == "contingency"
                else _curve(evaluator, named)
            )
            write_tables(shown, printed.form, printed.output)
            return
        to_file, is_stream = None, engine.name == "stream"
        if is_stream and printed.form == "parquet" and printed.output is not None and len(named) == 1:
            to_file = _parquet_name(printed.output)
        needs_values = per_query or interval or bounding.bounds or printed.form == "parquet"
        evaluator = Evaluator.of(replace(request, per_query=to_file or needs_values), inputs)
        found = evaluator.results_of_all(named).values()
        results = with_origin([each.collected() for each in found] if needs_values else found, experiment)
    is_saved, is_read = bool(to_file), inputs.train is not None or "train" in inputs.opened
    unread = None if is_read or not isinstance(train, str) else train
    _write(
        results, inputs, names, printed,
        per_query=per_query, intervals=interval, is_saved=is_saved, unread=unread,
    )  # fmt: skip


def _refuse_beside(option: str, others: Mapping[str, Any]) -> None:
    """Refuse options beside one that prints something else."""
    if given := next((other for other, value in others.items() if value), None):
        raise UsageError(f"{option} cannot be combined with {given}.")


def _contingency(evaluator: Evaluator, inputs: Inputs, *, per_query: bool) -> list[Table]:
    """A table per run and cut-off of the metrics."""
    cuts = dict.fromkeys(metric.k for metric in inputs.metrics)
    size = None if inputs.items is None else len(inputs.items)
    return [
        replace(
            evaluator.contingency(run, k, collection=size).to_table(per_query=per_query),
            caption=f"{run.name}, {'whole lists' if k is None else f'the first {k:,}'}",
        )
        for run in inputs.runs
        for k in cuts
    ]


def _curve(evaluator: Evaluator, runs: Mapping[str, Run]) -> list[Table]:
    """A table with a row per level of recall, and a column per run."""
    from rankwell.display.table import Column, Table

    found = {name: evaluator.curve(run, levels=TENTHS) for name, run in runs.items()}
    columns = [
        Column("recall", "value", digits=1),
        *(Column(name, "value", better="higher") for name in found),
    ]
    rows = zip(TENTHS, *(curve.precision for curve in found.values()), strict=True)
    n = ", ".join(f"{curve.n:,} queries of {name}" for name, curve in found.items())
    return [Table(columns, list(rows), caption="interpolated precision", notes=[f"means over {n}"])]


def _refuse_beside_intervals(form: str, *, per_query: bool, weights: str | None) -> None:
    if weights is not None:
        raise UsageError(
            "--interval cannot be combined with --weights; `rankwell compare` takes --weights and has intervals."
        )
    if form == "parquet" or (per_query and form not in ("json", "xlsx")):
        other = "--format parquet" if form == "parquet" else "--per-query, except in JSON and xlsx"
        raise UsageError(f"--interval cannot be combined with {other}.")


def _references(
    names: Sequence[str], qrels: str, train: str | None, reading: Reading, *, wanted: bool
) -> tuple[Any, Any, list[Run]]:
    """Return the judgements, the training data, and the reference lists made from them if they are wanted."""
    judged = None if qrels == "none" else qrels
    if not wanted:
        return judged, train, []
    if train is None or judged is None:
        raise UsageError(
            "--baselines makes lists from the training data for the users of the judgements: give --train and QRELS."
        )
    from rankwell.metrics import metrics_of
    from rankwell.prepare import baselines
    from rankwell.readers import read_qrels, read_run
    from rankwell.readers.logs import read_log

    depth = max((metric.k for metric in metrics_of(names) if metric.k is not None), default=REFERENCE_DEPTH)
    log, judgements = read_log(train, perhaps=("time",)), read_qrels(judged, **reading.of_qrels)
    lists, _ = baselines(log, judgements, k=depth)
    runs = [read_run(frame, name=f"({kind})") for kind, frame in lists.items()]
    return judgements, log.frame, runs


def _write(
    results: Sequence[Results],
    inputs: Inputs,
    names: Sequence[str],
    printed: Printed,
    *,
    per_query: bool,
    intervals: bool,
    is_saved: bool,
    unread: str | None,
) -> None:
    """Print the results, unless they have been saved already; warnings, and what each file was read as, go to stderr."""
    from rankwell.metrics.bundles import profile
    from rankwell.results import summary
    from rankwell.results.warnings import first_of, warnings_of

    if printed.verbose:
        sources = [_read_as(each) for each in (inputs.qrels, *inputs.runs) if each is not None]
        if unread:
            sources.append(f"{unread}: not read, as no metric needs the training data")
        sys.stderr.write("".join(f"rankwell: {printable(source)}\n" for source in sources if source))
    for warning in first_of(warnings_of(results)):
        print_note(as_options(warning))
    if is_saved:
        return
    if printed.form == "parquet":
        _save_parquet(results, printed.output)
        return
    if printed.form == "xlsx":
        from rankwell.display.workbook import save_workbook

        assert printed.output is not None  # form_of asked for it
        has_words = any(profile(name) for name in names)
        sheets = summary.sheets_of(
            results, per_query=per_query, full_policy=printed.verbose, words=has_words, intervals=intervals
        )
        save_workbook(sheets, printed.output)
        return
    text = summary.write_results(
        results,
        printed.form,
        per_query=per_query,
        full_policy=printed.verbose,
        words=any(profile(name) for name in names),
        intervals=intervals,
        states=per_query and printed.output is not None,
        width=None if printed.output else width(),
        colour=not printed.output and sys.stdout.isatty(),
    )
    write(text, printed.output)


def _read_as(table: Run | Qrels) -> str:
    """How a table was read, and which of its columns were not."""
    names = ", ".join(column.name for column in table.unread)
    return f"{table.source}; columns not read: {names}" if names and table.source else table.source


def _save_parquet(results: Sequence[Results], output: str | None) -> None:
    if output is None or len(results) != 1:
        raise UsageError(
            "--format parquet writes the values of each query of one run to a file: give one run and -o FILE.parquet."
        )
    results[0].save(_parquet_name(output))


def _parquet_name(output: str) -> str:
    return output if output.endswith(".parquet") else f"{output}.parquet"


def thresholds_in(names: Sequence[str], words: str) -> tuple[Threshold, ...]:
    """Return the thresholds that a word of the command line names."""
    from rankwell.evaluation.rel_sweep import thresholds_of
    from rankwell.metrics import metrics_of

    return thresholds_of(metrics_of(names), split(words))


def write_sweep(sweep: Sweep, printed: Printed) -> None:
    """Print one table per metric: a row per threshold."""
    if printed.form == "json":
        import json

        write(json.dumps(sweep.to_dict(), ensure_ascii=False, indent=2, allow_nan=False), printed.output)
    else:
        write_tables([sweep.to_table(metric) for metric in sweep.metrics], printed.form, printed.output)


MergeForm = Literal["text", "json", "csv", "parquet", "markdown", "latex", "html"]


def merge(
    result: Annotated[
        str,
        Option(
            help="saved results: a file, a folder with all its .parquet and .json files, a quoted pattern, or a window of the days of a "
            "folder: ``days/2026-11-01..2026-11-07``"
        ),
    ],
    /,
    *results: Annotated[str, Option(help="more of them")],
    since: Annotated[
        str | None,
        Option(help="the first day, such as 2026-11-01; the day of a file is the one date in its name"),
    ] = None,
    until: Annotated[str | None, Option(help="the last day, which is in the window, too")] = None,
    name: Annotated[
        str | None,
        Option(help="add all results as those of one system of this name, however the runs are called"),
    ] = None,
    format: Annotated[  # noqa: A002 - the word of the option
        MergeForm | None,
        Option(
            group=OUTPUT,
            help="the output format; default: that of the suffix of the output; parquet, of one system, and json can be merged again",
        ),
    ] = None,
    output: Output = None,
) -> None:
    """Add saved results of disjoint sets of queries, such as days.

    What is printed is the result of evaluating them together.

    Example: ``rankwell merge days/ --since 2026-11-01 --until 2026-11-07 -o week.parquet``
    """
    from rankwell.results import summary
    from rankwell.results.saving.days import files_of
    from rankwell.results.saving.load import merge_saved

    words = [result, *results]
    form = form_of(format, output, get_args(MergeForm))
    files = [str(file.path) for word in words for file in files_of(word, since, until)]
    refuse_files(files, [output])
    found = merge_saved(words, since, until, name)
    _refuse_others(found, form, output)
    if form == "parquet":
        assert output is not None
        found[0].save(output if output.endswith(".parquet") else f"{output}.parquet")
        form, output = "text", None
    systems = f"{len(found)} systems" if len(found) > 1 else printable(found[0].name)
    print_note(f"added {len(files)} files: {systems}.")
    write(
        summary.write_results(
            found,
            form,
            per_query=form == "json",
            states=output is not None,
            width=None if output else width(),
            colour=not output and sys.stdout.isatty(),
        ),
        output,
    )


def _refuse_others(found: Sequence[Results], form: str, output: str | None) -> None:
    """Refuse systems that do not fit into one table, or one file."""
    if any(res.metrics != found[0].metrics for res in found):
        names = " and ".join(res.name for res in found[:2])
        raise UsageError(
            f"systems have different metrics ({names} …), so they fit in no table; merge each by itself."
        )
    if form == "parquet" and (len(found) > 1 or output is None):
        names = ", ".join(res.name for res in found[:6])
        raise UsageError(
            f"a Parquet file holds one system, and needs -o FILE.parquet; there are {len(found)} ({names}). Write .json, name the files "
            f"of one, or say --name if all are of one."
        )
