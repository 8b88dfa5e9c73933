"""The command ``report``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

from rankwell.cli.arguments import QrelsOrNone
from rankwell.cli.bounding import Bounding
from rankwell.cli.compare import Clusters, Testing, Weights, without_metrics
from rankwell.cli.costs_files import Load, answers_in, costs_of
from rankwell.cli.option import DATA, OUTPUT, STATISTICS, Option
from rankwell.cli.options import (
    FromExperiment,
    ItemText,
    Metrics,
    PolicyRules,
    QueryTexts,
    Reading,
    Redacting,
    Tables,
    Threads,
    notes_printed,
    refuse_files,
)
from rankwell.cli.words import named_as, named_groups, named_numbers, split, split_names
from rankwell.display.escaping import printable
from rankwell.errors import UsageError, brief
from rankwell.matching.policy import Policy

MEGABYTE = 1_000_000


def report(
    qrels: QrelsOrNone,
    run: Annotated[
        str,
        Option(
            help="a run, results that ``evaluate -o`` saved as .json or .parquet, a comparison, or costs that ``bench -o`` saved, which "
            "stand for all their systems"
        ),
    ],
    /,
    *runs: Annotated[
        str, Option(help="more runs or results, to be compared; ``NAME=FILE`` names the system of a file")
    ],
    metric: Metrics = None,
    baseline: Annotated[
        str | None,
        Option(group=STATISTICS, help="the run that all others are compared with; default: all pairs"),
    ] = None,
    primary: Annotated[
        str | None,
        Option(
            group=STATISTICS, help="the metric that decides, and that the answer is about; default: the first"
        ),
    ] = None,
    margin: Annotated[
        list[str] | None,
        Option(
            group=STATISTICS,
            help="the difference that matters, ``0.01`` or ``ndcg@10=0.01``: are two runs equivalent within it; repeat it",
        ),
    ] = None,
    rope: Annotated[
        list[str] | None,
        Option(
            group=STATISTICS,
            help="the difference that counts as none, ``0.01`` or ``ndcg@10=0.01``: the chances that the true one is below, within and above it; repeat it",
        ),
    ] = None,
    seeds: Annotated[
        list[str] | None,
        Option(
            group=STATISTICS,
            help="the runs of one method trained several times, such as ``A=A-1,A-2,A-3``; repeat it",
        ),
    ] = None,
    folds: Annotated[
        list[str] | None,
        Option(
            group=STATISTICS,
            help="the runs of the folds of a cross-validation, such as ``A=f1,f2,f3``, pooled; repeat it",
        ),
    ] = None,
    by: Annotated[
        list[str] | None, Option(help="a column of --users: the segments that are looked at; repeat it")
    ] = None,
    weights: Weights = None,
    clusters: Clusters = None,
    load: Load = None,
    queries: QueryTexts = None,
    text: ItemText = None,
    image: Annotated[
        str | None,
        Option(
            group=DATA,
            help="the column of --items with a picture of each item: files in its folder, or data URIs; by default image, picture, poster …",
        ),
    ] = None,
    threads: Threads = None,
    experiment: FromExperiment = None,
    output: Annotated[
        str,
        Option(name=("--output", "-o"), group=OUTPUT, help="the page, or with the suffix .json its data"),
    ] = "report.html",
    title: Annotated[str | None, Option(group=OUTPUT, help="the title of the page")] = None,
    lang: Annotated[str, Option(group=OUTPUT, help="the language of the page: en or ko")] = "en",
    command: Annotated[
        str | None,
        Option(group=OUTPUT, help="the command that the page names as its origin; default: this one"),
    ] = None,
    statistics: Testing = Testing(),
    tables: Tables = Tables(),
    reading: Reading = Reading(),
    redacting: Redacting = Redacting(),
    bounding: Bounding = Bounding(),
    policy: PolicyRules = Policy(),
) -> None:
    """Write one HTML page of an evaluation: the answer in a sentence, leaderboard, pictures, queries, definitions.

    Example: ``rankwell report qrels.txt bm25.run dense.run -m ndcg@10 -m ap --baseline bm25.run -o report.html``
    """
    from rankwell.readers import read_qrels
    from rankwell.reporting.report import report as reported
    from rankwell.reporting.report import require_suffix

    words = [run, *runs]
    names, paths = split_names(words)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(f"two runs are called {brief(twice)}; give each a name of its own: name=file.")
    require_suffix(Path(output))
    texts = [] if queries is None else [queries]
    refuse_files([*([] if qrels == "none" else [qrels]), *paths, *texts, *tables.given], [output])
    unsaved = [path for path in paths if not _is_read(path)]
    if metric is None and unsaved:
        raise without_metrics(unsaved[0])
    groups = {
        "seeds": named_groups(seeds, "--seeds", words) or None,
        "folds": named_groups(folds, "--folds", words) or None,
    }
    systems = _systems(names, paths, reading)
    options: dict[str, Any] = dict(statistics.given) if len(systems) > 1 else {}
    with notes_printed():
        reported(
            systems,
            output,
            qrels=None if qrels == "none" else read_qrels(qrels, **reading.of_qrels),
            metrics=None if metric is None else [part for each in metric for part in split(each)],
            baseline=_name_of(baseline, [*systems], names, paths),
            primary=primary,
            margins=named_numbers(margin, "--margin"),
            rope=named_numbers(rope, "--rope"),
            by=by,
            train=tables.train,
            items=tables.items,
            users=tables.users,
            queries=queries,
            text=text,
            image=image,
            redact=redacting.wanted,
            title=title,
            lang=lang,
            command=command or "",
            policy=policy,
            weights=weights,
            clusters=clusters,
            costs=costs_of(words, load),
            threads=threads,
            experiment=experiment,
            read={"encoding": reading.encoding},
            **bounding.given(weights),
            **groups,
            **options,
        )
    size = Path(output).stat().st_size / MEGABYTE
    sys.stderr.write(f"rankwell: note: wrote {printable(output)} ({size:.1f} MB).\n")


def _systems(names: list[str], paths: list[str], reading: Reading) -> dict[str, Any]:
    """The paths of saved results or of a comparison, runs whose rows are still to be read, and the answers in files of costs."""
    from rankwell.readers import open_named

    given = [(name, path, answers_in(name, path)) for name, path in zip(names, paths, strict=True)]
    new = {name: path for name, path, answers in given if answers is None and not _is_read(path)}
    runs = open_named(new, reading.of_runs)
    found: dict[str, Any] = {}
    for name, path, answers in given:
        own: dict[str, Any] = {name: runs.get(name, path)} if answers is None else answers
        for system, each in own.items():
            if system in found:
                raise UsageError(f"{path}: two systems are called {brief(system)}; rename one.")
            found[system] = each
    return found


def _is_read(path: str) -> bool:
    """Whether a file holds results, or a comparison of some."""
    from rankwell.display.saved_files import kind_of
    from rankwell.results.loading import is_saved

    return is_saved(path) or kind_of(path) == "comparison"


def _name_of(baseline: str | None, systems: list[str], names: list[str], paths: list[str]) -> str | None:
    """The name of the baseline, which may be given by its path."""
    if baseline is None or baseline in systems:
        return baseline
    return named_as(baseline, names, paths) or baseline
