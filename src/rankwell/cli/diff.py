"""The command ``diff``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, get_args

from rankwell.cli.option import Option
from rankwell.cli.options import (
    Form,
    Format,
    ItemText,
    Output,
    PolicyRules,
    QueryTexts,
    Reading,
    Redacting,
    Tables,
    Threads,
    form_of,
    notes_printed,
    refuse_files,
)
from rankwell.cli.words import split_names
from rankwell.comparison.methods import Direction
from rankwell.display.output import width, write
from rankwell.errors import UsageError
from rankwell.matching.policy import Policy

if TYPE_CHECKING:
    from rankwell.comparison.diffs import Diff
    from rankwell.comparison.side_by_side import QueryDiff
    from rankwell.results import Results


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
    threads: Threads = None,
    format: Format = None,  # noqa: A002 - the word of the option
    output: Output = None,
    tables: Tables = Tables(),
    reading: Reading = Reading(),
    redacting: Redacting = Redacting(),
    policy: PolicyRules = Policy(),
) -> None:
    """Show the queries on which two runs differ most; with --query both lists of one, and what each rank contributed.

    Examples: ``rankwell diff qrels.txt bm25.run dense.run -m ndcg@10``; ``rankwell diff qrels.txt bm25.run dense.run --query 12``.
    Whether a mean difference is more than chance, ``compare`` says; why two tools differ on one run, ``rosetta`` does.
    """
    from rankwell.comparison.differing import diff as differing
    from rankwell.comparison.differing import refuse_same
    from rankwell.metrics import metric_of
    from rankwell.readers import read_qrels

    form, (names, (a, b)) = form_of(format, output, get_args(Form)), split_names([a, b])
    texts = [] if queries is None else [queries]
    refuse_files([*([] if qrels == "none" else [qrels]), a, b, *texts, *tables.given], [output])
    refuse_same(a, b)
    asked = None if metric is None else metric_of(metric)
    with notes_printed():
        first, second = _systems([a, b], reading)
        found = differing(
            first,
            second,
            None if qrels == "none" else read_qrels(qrels, **reading.of_qrels),
            asked,
            by=by,
            users=tables.users,
            queries=queries,
            items=tables.items,
            text=text,
            top=20 if top is None else top,
            direction=direction,
            names=names,
            train=tables.train,
            policy=policy,
            threads=threads,
            read={"encoding": reading.encoding},
            redact=redacting.wanted,
        )
    write(_written(found if query is None else found.query(query, top), form, output), output)


def _systems(paths: list[str], reading: Reading) -> list[Any]:
    """Runs whose rows are still to be read, or saved results."""
    from rankwell.readers import open_several
    from rankwell.results.loading import is_saved

    runs = iter(open_several([(path, None) for path in paths if not is_saved(path)], reading.of_runs))
    return [_loaded(path) if is_saved(path) else next(runs) for path in paths]


def _loaded(path: str) -> Results:
    """The saved results of one run."""
    from rankwell.results.loading import all_loaded

    loaded = all_loaded(path)
    if len(loaded) > 1:
        names = ", ".join(res.name for res in loaded[:6])
        raise UsageError(
            f"{path} holds results of {len(loaded)} runs ({names}); save each in a file of its own."
        )
    return loaded[0]


def _written(found: Diff | QueryDiff, form: str, output: str | None) -> str:
    if form == "text":
        return found.to_text(None if output else width())
    if form == "html":
        return found.to_html(full=True)
    made: str = getattr(found, f"to_{form}")()
    return made
