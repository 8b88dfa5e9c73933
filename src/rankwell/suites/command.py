"""The command ``suite``: which results are ranked, how, and where the board is written."""

from __future__ import annotations

from typing import Annotated, get_args

from rankwell.cli.arguments import OUTPUT, READING, STATISTICS, Option
from rankwell.cli.options import Form, Format, Output, form_of, refuse_files, write_found
from rankwell.cli.report import Lang
from rankwell.display.output import write
from rankwell.errors import UsageError
from rankwell.suites import Draw, Missing, RankBy


def suite(
    source: Annotated[
        str,
        Option(
            help="a folder of results of MTEB, of runs and judgements (``TASK/qrels/test.tsv``, ``TASK/runs/``), of saved results "
            "(``TASK/SYSTEM.parquet``), or a table with the columns task, system and value"
        ),
    ],
    /,
    *,
    metric: Annotated[
        str | None,
        Option(
            name=("--metric", "-m"), help="the metric, such as ``ndcg@10``, or a name of MTEB: ``v_measure``"
        ),
    ] = None,
    rank_by: Annotated[
        RankBy, Option(help="what ranks: the mean over tasks, the Borda count, or the mean rank")
    ] = "mean",
    draw: Annotated[
        Draw | None,
        Option(
            group=STATISTICS,
            help="what would be drawn anew: queries of these tasks, or tasks; default: queries, if each system has values per query",
        ),
    ] = None,
    missing: Annotated[
        Missing, Option(help="refuse systems that lack a task, or use the tasks that all share")
    ] = "refuse",
    level: Annotated[float, Option(group=STATISTICS, help="the level of the intervals")] = 0.95,
    split: Annotated[
        str | None, Option(group=READING, help="the split, where there are several: ``test``")
    ] = None,
    languages: Annotated[
        list[str] | None,
        Option(
            group=READING,
            help="only subsets of MTEB's tasks in this language: ``eng``, ``kor-Hang``; repeat it",
        ),
    ] = None,
    system: Annotated[
        str | None, Option(group=OUTPUT, help="the model of a card (``-o card.md``); default: all")
    ] = None,
    lang: Lang = "en",
    format: Format = None,  # noqa: A002 - the word of the option
    output: Output = None,
) -> None:
    """Rank systems over many tasks, and say which ranks are real: rank intervals, and who is tied with the best.

    ``-o`` writes a page (.html), a model card (.md), a table (.csv, .tex), or all that is known (.json).

    Example: ``rankwell suite results/ -m ndcg@10 --rank-by borda -o board.html``
    """
    from rankwell.suites.folders import read_suite

    form = form_of(format, output, get_args(Form))
    refuse_files([source], [output])
    if system is not None and form != "markdown":
        raise UsageError("--system is for a model card; write one, such as -o card.md.")
    board = read_suite(source, metric, split=split, languages=languages).board(rank_by, draw, level, missing)
    if form == "html":
        from rankwell.reporting.report import report

        write(report(board, lang=lang).to_html(), output)
    elif form == "markdown":
        write(board.to_card(system), output)
    else:
        write_found(board, form, output)
