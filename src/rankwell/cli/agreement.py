"""The command ``agreement``."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import zip_longest
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

from rankwell.cli.option import STATISTICS, Option
from rankwell.cli.options import (
    Format,
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
from rankwell.cli.words import split, split_names
from rankwell.display.escaping import printable
from rankwell.display.output import write
from rankwell.errors import UsageError
from rankwell.matching.policy import Policy
from rankwell.records import record

if TYPE_CHECKING:
    from rankwell.comparison.agreement.found import Agreement
    from rankwell.display.table import Table
    from rankwell.tables.run_qrels import Qrels

FORMS = ("text", "markdown", "latex", "html", "json", "csv")


@record(kw_only=True)
class Agreeing:
    """How orders are compared."""

    GROUP: ClassVar = STATISTICS

    top: Annotated[
        int, Option(help="so many systems at the top of a leaderboard are also looked at apart")
    ] = 10
    p: Annotated[float, Option(help="the persistence of RBO: the first 1/(1 − p) ranks weigh most")] = 0.9
    rbo_ties: Annotated[
        Literal["a", "b", "w"],
        Option(
            help="what RBO makes of equal values: the mean over their orders, corrected for them, or one shared rank"
        ),
    ] = "a"
    level: Annotated[float, Option(help="the share of replicates that an interval holds")] = 0.95
    resamples: Annotated[int, Option(help="the number of bootstrap replicates of the queries")] = 2000
    seed: Annotated[int, Option(help="of everything drawn")] = 0


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
        statistics: Agreeing,
        given: Mapping[str, Any],
    ) -> Table:
        """Return the table that answers."""
        if len(self.asked) > 1:
            raise UsageError(f"{' and '.join(self.asked)} ask for different tables; give one of them.")
        if not runs or len(judged) != 1 + (self.drawn is not None):
            more = "one --against" if self.drawn else "no --against"
            raise UsageError(f"{self.asked[0]} needs runs, metrics and {more}.")
        if self.drawn is not None:
            from rankwell.comparison.agreement.powering import prediction_powered

            people, model = judged
            return prediction_powered(
                runs, people, model, metrics, drawn=self.drawn, level=statistics.level, **given
            ).to_table()
        if self.pool_depth is None:
            from rankwell.comparison.agreement.stable import stability as stability_of

            return stability_of(runs, judged[0], metrics, seed=statistics.seed, **given).to_table()
        from rankwell.comparison.agreement.pool_bias import pool_bias

        found = pool_bias(runs, judged[0], metrics, depth=self.pool_depth, **given)
        for warning in found.warnings:
            sys.stderr.write(f"rankwell: note: {printable(warning)}\n")
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
    threads: Threads = None,
    format: Format = None,  # noqa: A002 - the word of the option
    output: Output = None,
    statistics: Agreeing = Agreeing(),
    tables: Tables = Tables(),
    reading: Reading = Reading(),
    policy: PolicyRules = Policy(),
) -> None:
    """Say how far judgements agree, and the orders of runs under metrics and judgements.

    Example: ``rankwell agreement human.txt --against model.txt bm25.run dense.run -m ndcg@10``
    """
    from rankwell.comparison.agreement.agreeing import agreement as agreed
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
    given |= {} if threads is None else {"threads": threads}
    given |= {"read": {"encoding": reading.encoding}, "policy": policy}
    opened = {
        name: read_run(path, name=name, **reading.of_runs) for name, path in zip(titles, paths, strict=True)
    }
    qrels_of_all = _judgements(judged, assessor or [], reading)
    other = Other(drawn, pool_depth, stability)
    if other.asked:
        write_tables([other.table(opened, qrels_of_all, names, statistics, given)], form, output)
        return
    found = agreed(*qrels_of_all, runs=opened or None, metrics=names or None, **given, **asdict(statistics))
    for each in found.circular:
        sys.stderr.write(f"rankwell: note: {printable(str(each))}\n")
    _write(found, form, output)


def _judgements(paths: Sequence[str], assessors: Sequence[str], reading: Reading) -> list[Qrels]:
    """The judgements, with those who made them as far as they are said."""
    from rankwell.readers import read_qrels

    if len(assessors) > len(paths):
        raise UsageError(f"--assessor is given {len(assessors)} times, for {len(paths)} judgements.")
    return [read_qrels(path, assessor=who, **reading.of_qrels) for path, who in zip_longest(paths, assessors)]


def _write(found: Agreement, form: str, output: str | None) -> None:
    if form == "json":
        write(found.to_json(), output)
    elif form == "csv":  # one table
        write(found.to_frame().write_csv().rstrip("\n"), output)
    else:
        write_tables(found.tables(), form, output)
