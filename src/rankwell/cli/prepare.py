"""The commands ``prepare …``, the options that they share, and where their tables go."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from rankwell import __version__
from rankwell.cli.arguments import DATA, KEPT, OUTPUT, POPULAR, READING, Option
from rankwell.cli.commands import FOUND
from rankwell.cli.options import refuse_files
from rankwell.cli.words import pairs
from rankwell.display.output import print_note, width, write
from rankwell.errors import InputError, UsageError, brief
from rankwell.records import record

if TYPE_CHECKING:
    import polars as pl

    from rankwell.prepare import Report


Seed = Annotated[int, Option(help="the seed of the random numbers")]
Keep = Literal["keep", "drop"]
PLAIN = 120  # the width of a report that goes to no terminal


@record(kw_only=True)
class Printed:
    """How the tables are read, and the report printed."""

    columns: Annotated[
        list[str] | None,
        Option(
            group=READING,
            help="columns and their meaning, if the names do not tell: ``userNo=query,film=item``",
        ),
    ] = None
    format: Annotated[
        Literal["text", "json", "markdown", "html"],
        Option(group=OUTPUT, help="the output format of what is printed"),
    ] = "text"

    @property
    def named(self) -> dict[str, str]:
        """The columns and their meaning."""
        return pairs(self.columns, "--columns")

    def show(self, *reports: Report) -> None:
        """Print reports."""
        if self.format == "json":
            record = {"rankwell": __version__, "reports": [each.to_dict() for each in reports]}
            write(json.dumps(record, ensure_ascii=False, indent=2, allow_nan=False), None)
            return
        if self.format == "html":
            from rankwell.prepare.report import page_of_reports

            write(page_of_reports(reports), None)
            return
        texts = {
            "text": lambda each: each.to_text(width() or PLAIN),
            "markdown": lambda each: each.to_markdown(),
        }
        write("\n\n".join(texts[self.format](each) for each in reports), None)


@record(kw_only=True)
class ToFile(Printed):
    """A report, and one table."""

    output: Annotated[
        str | None,
        Option(
            name=("--output", "-o"),
            group=OUTPUT,
            help="the file for the table, such as ``new.csv`` or ``new.parquet``; without it only the report is printed",
        ),
    ] = None

    def opened(self, *inputs: str | None) -> OutputTarget:
        """Return where the table goes; a path that cannot be written is refused."""
        return OutputTarget(inputs, self.output)


@record(kw_only=True)
class ToFolder(Printed):
    """A report, and several tables."""

    output: Annotated[
        str | None,
        Option(
            name=("--output", "-o"),
            group=OUTPUT,
            help="the folder for the tables; without it only the report is printed",
        ),
    ] = None

    def opened(self, *inputs: str | None, tables: Sequence[str]) -> OutputTarget:
        """Return where tables of these names go; a path that cannot be written is refused."""
        return OutputTarget(inputs, self.output, tables)


class OutputTarget:
    """The file or the folder for the tables of one command; a path that cannot be written is refused before the work."""

    def __init__(
        self,
        inputs: Sequence[str | None],
        path: str | None,
        tables: Sequence[str] = (),
    ) -> None:
        from rankwell.display.output import refuse_format

        given = [each for each in inputs if each is not None]
        refuse_files(given, [])
        self._inputs, self._path = given, path
        self._suffix = _suffix_of(given)
        if path is None:
            return
        if not tables:
            self._check(path)
            return
        for name in tables:
            refuse_format(self._in_folder(name))  # before a folder is made for them
        for folder in sorted({Path(self._in_folder(name)).parent for name in tables}):
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InputError(f"{folder}: cannot be made a folder ({error.strerror}).") from error
        for name in tables:
            self._check(self._in_folder(name))

    def _check(self, path: str) -> None:
        from rankwell.display.output import refuse_format

        refuse_format(path)
        refuse_files(self._inputs, [path])

    def _in_folder(self, name: str) -> str:
        return str(Path(self._path or "", name if Path(name).suffix else f"{name}{self._suffix}"))

    def table(self, table: pl.DataFrame) -> None:
        """Write the one table of a command."""
        if self._path is not None:
            self._save(table, self._path)

    def tables(self, tables: Mapping[str, pl.DataFrame]) -> None:
        """Write several tables into the folder."""
        if self._path is not None:
            for name, table in tables.items():
                self._save(table, self._in_folder(name))

    @staticmethod
    def _save(table: pl.DataFrame, path: str) -> None:
        from rankwell.display.output import save

        save(table, path)
        print_note(f"wrote {path} ({len(table):,} rows)")


def _suffix_of(inputs: Sequence[str]) -> str:
    from rankwell.display.output import WRITERS

    ends = [Path(each).suffix.lower() for each in inputs]
    return next((end for end in ends if end in WRITERS), ".csv")


@record(kw_only=True)
class PopularRule:
    """Which items are popular."""

    GROUP: ClassVar = POPULAR

    share_of_volume: Annotated[
        float | None,
        Option(help="the most popular items that together have at least this share of all interactions"),
    ] = None
    top: Annotated[int | None, Option(help="this many items, the most popular ones")] = None
    fraction: Annotated[float | None, Option(help="this share of the items, the most popular ones")] = None


@record(kw_only=True)
class RowLimits:
    """How many rows users and items must have."""

    GROUP: ClassVar = KEPT

    min_per_user: Annotated[int | None, Option(help="keep users of at least this many rows")] = None
    min_per_item: Annotated[int | None, Option(help="keep items of at least this many rows")] = None


def popularity(
    train: Annotated[str, Option(help="the training data, in which popularity is counted")],
    /,
    *tables: Annotated[str, Option(help="the tables to change: training data, test data, lists")],
    rule: PopularRule = PopularRule(),
    by: Annotated[Literal["users", "events"], Option(help="what is counted as popularity")] = "users",
    ties: Annotated[
        Literal["in", "out"],
        Option(help="whether equally popular items at the cut are in or out of the popular ones"),
    ] = "in",
    items: Annotated[
        str | None, Option(group=DATA, help="the catalogue, so that unused items count too")
    ] = None,
    refill: Annotated[
        int | None,
        Option(help="cut lists (with a rank or a score) to this length after rows are dropped"),
    ] = None,
    to: ToFolder = ToFolder(),
) -> None:
    """Drop the rows of popular items.

    Example: ``rankwell prepare popularity train.csv test.csv als.csv --top 100 -o longtail``
    """
    from rankwell.prepare import PopularityCut
    from rankwell.readers.logs import read_log

    names = [Path(each).name for each in tables]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(f"two tables are named {twice}; the folder can hold only one of them.")
    target = to.opened(train, items, *tables, tables=names)
    cut = PopularityCut(by=by, ties=ties, **asdict(rule))
    words = ("rank", "score", "time")
    learned = read_log(train, columns=to.named, perhaps=words) if train in tables else train
    cut.fit(learned, items, columns=to.named)
    done = {}
    for name, path in zip(names, tables, strict=True):
        log = read_log(learned if path == train else path, columns=to.named, perhaps=words)
        done[name] = cut.apply(log, refill=refill if log.is_lists else None)
    target.tables({name: each.table for name, each in done.items()})
    to.show(cut.summary(), *(each.report for each in done.values()))


def split(
    log: Annotated[str, Option(help="the log: users, items, perhaps grades and times")],
    /,
    *,
    how: Annotated[
        Literal["time", "user_time", "last", "random", "cold_users", "cold_items"],
        Option(help="what decides which rows are the test data"),
    ] = "time",
    test: Annotated[float, Option(help="the share of the test data")] = 0.2,
    at: Annotated[str | None, Option(help="the time from which rows are the test data")] = None,
    n: Annotated[int, Option(name=("-n",), help="test rows of each user, for ``--how last``")] = 1,
    fold_in: Annotated[
        int | None,
        Option(
            help="for ``--how cold_users``: keep this many first rows of each held-out user in a third table"
        ),
    ] = None,
    limits: RowLimits = RowLimits(),
    unknown_users: Annotated[Keep, Option(help="test rows of users without training rows")] = "keep",
    unknown_items: Annotated[Keep, Option(help="test rows of items without training rows")] = "keep",
    repeated: Annotated[Keep, Option(help="test rows of pairs that are in the training data too")] = "keep",
    seed: Seed = 0,
    to: ToFolder = ToFolder(),
) -> None:
    """Split a log into training and test data, and report what leaks.

    Example: ``rankwell prepare split ratings.dat --min-per-user 5 --min-per-item 5 -o split``
    """
    from rankwell.prepare import split as divide

    names = ["train", "test"] if fold_in is None else ["train", "fold_in", "test"]
    target = to.opened(log, tables=names)
    done = divide(
        log, how, test=test, at=at, n=n, fold_in=fold_in, seed=seed, **asdict(limits), unknown_users=unknown_users,
        unknown_items=unknown_items, repeated=repeated, columns=to.named,
    )  # fmt: skip
    every = {"train": done.train, "fold_in": done.fold_in, "test": done.test}
    target.tables({name: table for name, table in every.items() if table is not None})
    to.show(done.report)


def folds(
    log: Annotated[str, Option(help="the log: users, items, perhaps grades and times")],
    /,
    *,
    k: Annotated[int, Option(name=("-k",), help="the number of parts")] = 5,
    of: Annotated[Literal["rows", "users", "items"], Option(help="what is dealt to the parts")] = "rows",
    seed: Seed = 0,
    to: ToFolder = ToFolder(),
) -> None:
    """Split a log at random into parts, each of which is the test data once.

    Example: ``rankwell prepare folds ratings.dat -k 5 -o folds``
    """
    from rankwell.prepare import folds as divide

    names = [f"{side}-{fold}" for fold in range(1, k + 1) for side in ("train", "test")]
    target = to.opened(log, tables=names)
    done = divide(log, k, of=of, seed=seed, columns=to.named)
    for fold, (train, test) in enumerate(done.parts, 1):
        target.tables({f"train-{fold}": train, f"test-{fold}": test})
    to.show(done.report)


def backtest(
    log: Annotated[str, Option(help="the log: users, items, times, perhaps grades")],
    /,
    *,
    every: Annotated[str, Option(help="from one origin to the next, whole days: ``7d``, ``2w``")] = "7d",
    horizon: Annotated[str, Option(help="the length of each test: ``7d``, ``12h``")] = "7d",
    gap: Annotated[str | None, Option(help="between training data and test: ``2d``; default: none")] = None,
    window: Annotated[
        str | None, Option(help="the length of the training data: ``56d``; default: all before the origin")
    ] = None,
    to: ToFolder = ToFolder(),
) -> None:
    """Split a log at one day after another, each time into what was known by then and what came next.

    Example: ``rankwell prepare backtest ratings.dat --every 7d --horizon 7d -o weeks``
    """
    from rankwell.prepare import backtest as divide

    done = divide(log, every, horizon, gap, window, columns=to.named)
    names = [f"{pair.origin}/{side}" for pair in done for side in ("train", "test")]
    if to.output:  # pairs of an earlier call with other origins would be evaluated among these
        own, held = {str(pair.origin) for pair in done}, Path(to.output).glob("????-??-??/train.*")
        if others := sorted({file.parent.name for file in held} - own):
            raise UsageError(
                f"{to.output}: holds pairs of another backtest, such as {others[0]}. Remove them, or choose another folder."
            )
    target = to.opened(log, tables=names)
    for pair in done:
        target.tables({f"{pair.origin}/train": pair.train, f"{pair.origin}/test": pair.test})
    to.show(done.report)


def core(
    log: Annotated[str, Option(help="the log: users and items")],
    /,
    *,
    limits: RowLimits = RowLimits(),
    to: ToFile = ToFile(),
) -> None:
    """Keep the users and items whose number of rows is within limits.

    Example: ``rankwell prepare core ratings.dat --min-per-user 5 --min-per-item 5 -o core.csv``
    """
    from rankwell.prepare import core as within

    target = to.opened(log)
    kept, report = within(log, **asdict(limits), columns=to.named)
    target.table(kept)
    to.show(report)


def check(
    train: Annotated[str, Option(help="the training data")],
    test: Annotated[str, Option(help="the test data")],
    lists: Annotated[str | None, Option(help="the lists of a system")] = None,
    /,
    *,
    items: Annotated[str | None, Option(group=DATA, help="the catalogue")] = None,
    k: Annotated[
        int | None, Option(name=("-k",), help="the cut-off of the metrics that will be computed")
    ] = None,
    repeated: Annotated[bool, Option(help="repeated recommendations are intended")] = False,
    to: ToFile = ToFile(),
) -> int:
    """Check training data, test data and lists before they are scored; exit 1 if there is an error.

    Example: ``rankwell prepare check train.csv test.csv als.csv --items items.csv -k 10``
    """
    from rankwell.prepare import check as look

    target = to.opened(train, test, lists, items)
    found, report = look(train, test, lists, items=items, k=k, repeated=repeated, columns=to.named)
    target.table(found)
    to.show(report)
    return FOUND if report.errors else 0


def tiers(
    interactions: Annotated[str, Option(help="the log: users, items, grades")],
    tiers: Annotated[str, Option(help="a table of users and their tiers, or a column of the log")],
    /,
    *,
    factor: Annotated[list[str], Option(help="a tier and its factor: ``VIP=3``; repeat it")],
    default: Annotated[
        float | None, Option(help="the factor of users without a tier; default: an error")
    ] = None,
    tier: Annotated[str, Option(help="the column of tiers")] = "tier",
    how: Annotated[
        Literal["multiply", "confidence", "replicate", "sample"],
        Option(help="what the factor is used for"),
    ] = "multiply",
    threshold: Annotated[float | None, Option(help="drop lower values first; the others count 1")] = None,
    seed: Seed = 0,
    to: ToFile = ToFile(),
) -> None:
    """Weight, repeat or sample interactions by the tier of their user.

    Example: ``rankwell prepare tiers train.csv users.csv --factor VIP=3 --factor gold=2 --factor silver=1 -o new.csv``
    """
    from rankwell.prepare import scale_by_tier

    target = to.opened(interactions, tiers)
    factors = {}
    for name, text in pairs(factor, "--factor").items():
        try:
            factors[name] = float(text)
        except ValueError:
            raise UsageError(f"--factor {name}={text}: {brief(text)} is not a number.") from None
    scaled, report = scale_by_tier(
        interactions, tiers, factors, default="error" if default is None else default, how=how,
        threshold=threshold, tier=tier, seed=seed,
        columns=to.named,
    )  # fmt: skip
    target.table(scaled)
    to.show(report)


def impute(
    qrels: Annotated[str, Option(help="the ratings")],
    lists: Annotated[str | None, Option(help="the lists whose unrated items get a grade")] = None,
    /,
    *,
    how: Annotated[
        Literal["constant", "user_mean", "item_mean", "predictions"], Option(help="the grade to give")
    ] = "user_mean",
    train: Annotated[
        str | None,
        Option(
            group=DATA,
            help="the ratings that the means are taken from, for ``--how user_mean`` and ``item_mean``",
        ),
    ] = None,
    grade: Annotated[float | None, Option(help="the grade, for ``--how constant``")] = None,
    predictions: Annotated[
        str | None, Option(help="a table of query, item and grade, for ``--how predictions``")
    ] = None,
    k: Annotated[int | None, Option(name=("-k",), help="only the first k items of each list")] = None,
    to: ToFile = ToFile(),
) -> None:
    """Give the unrated items of lists a grade, and mark these rows.

    Example: ``rankwell prepare impute test.csv als.csv --how item_mean --train train.csv -k 10 -o imputed.csv``
    """
    from rankwell.prepare import impute as fill

    target = to.opened(qrels, lists, train, predictions)
    table, report = fill(
        qrels, lists, how, train=train, grade=grade, predictions=predictions, k=k, columns=to.named
    )
    target.table(table)
    to.show(report)


def baselines(
    train: Annotated[str, Option(help="the training data")],
    test: Annotated[str | None, Option(help="the test data: the users, and the ideal lists")] = None,
    /,
    *,
    k: Annotated[int, Option(name=("-k",), help="the length of the lists")] = 20,
    kind: Annotated[
        list[str] | None,
        Option(
            help="only this list: ``random``, ``popular``, ``recent``, ``segment`` or ``ideal``; repeat it",
        ),
    ] = None,
    users: Annotated[str | None, Option(group=DATA, help="a table of users, for ``segment``")] = None,
    by: Annotated[str | None, Option(help="the column of --users that holds the segments")] = None,
    seed: Seed = 0,
    to: ToFolder = ToFolder(),
) -> None:
    """Make reference lists, the floor and the ceiling of every comparison: random, popular, recently popular, ideal.

    Example: ``rankwell prepare baselines train.csv test.csv -o baselines``
    """
    from rankwell.prepare import baselines as make
    from rankwell.prepare.references import KINDS

    target = to.opened(train, test, users, tables=kind or [*KINDS])
    done = make(
        train,
        test,
        k=k,
        kinds=kind,
        users=users,
        by=by,
        seed=seed,
        columns=to.named,
    )
    target.tables(done.lists)
    to.show(done.report)


def chunks(
    gold: Annotated[str, Option(help="the judgements of spans: query, document, start, end, perhaps grade")],
    chunks: Annotated[str, Option(help="the chunks: item, document, start, end")],
    /,
    *,
    at_least: Annotated[
        float, Option(help="the share that a chunk must cover of a span, above 0 to 1")
    ] = 0.5,
    of: Annotated[
        Literal["gold", "chunk", "either", "any"],
        Option(help="what the share is of: the span, the chunk, one of both; ``any``: a character will do"),
    ] = "gold",
    to: ToFile = ToFile(),
) -> None:
    """Judge chunks by the gold spans that they cover, for metrics of judged items.

    Example: ``rankwell prepare chunks gold.csv chunks.parquet -o qrels.csv``
    """
    from rankwell.prepare import judge_chunks
    from rankwell.readers.frames.in_memory import frame_of_qrels

    target = to.opened(gold, chunks)
    qrels, report = judge_chunks(gold, chunks, at_least, of, columns=to.named)
    target.table(frame_of_qrels(qrels))
    to.show(report)
