"""The commands ``prepare …`` that choose rows: popularity, split, folds, core."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from rankwell.cli.option import DATA, KEPT, POPULAR, Option
from rankwell.cli.prepare_options import Keep, Seed, ToFile, ToFolder
from rankwell.errors import UsageError
from rankwell.records import record


@record(kw_only=True)
class Rule:
    """Which items are popular."""

    GROUP: ClassVar = POPULAR

    share_of_volume: Annotated[
        float | None,
        Option(help="the most popular items that together have at least this share of all interactions"),
    ] = None
    top: Annotated[int | None, Option(help="this many items, the most popular ones")] = None
    fraction: Annotated[float | None, Option(help="this share of the items, the most popular ones")] = None
    reach: Annotated[float | None, Option(help="items of more than this share of the users")] = None
    count: Annotated[float | None, Option(help="items of more than this many users")] = None
    quantile: Annotated[float | None, Option(help="items strictly above this quantile of popularity")] = None
    iqr: Annotated[float | None, Option(help="items strictly above Q3 + this · (Q3 − Q1)")] = None


@record(kw_only=True)
class Limits:
    """How many rows users and items must have."""

    GROUP: ClassVar = KEPT

    min_per_user: Annotated[int | None, Option(help="keep users of at least this many rows")] = None
    max_per_user: Annotated[int | None, Option(help="keep users of at most this many rows")] = None
    min_per_item: Annotated[int | None, Option(help="keep items of at least this many rows")] = None
    max_per_item: Annotated[int | None, Option(help="keep items of at most this many rows")] = None


def popularity(
    train: Annotated[str, Option(help="the training data, in which popularity is counted")],
    /,
    *tables: Annotated[str, Option(help="the tables to change: training data, test data, lists")],
    rule: Rule = Rule(),
    by: Annotated[
        Literal["users", "events", "weight"], Option(help="what is counted as popularity")
    ] = "users",
    weight: Annotated[str, Option(help="the column of weights, for ``--by weight``")] = "weight",
    ties: Annotated[
        Literal["in", "out"],
        Option(help="whether equally popular items at the cut are in or out of the popular ones"),
    ] = "in",
    items: Annotated[
        str | None, Option(group=DATA, help="the catalogue, so that unused items count too")
    ] = None,
    within: Annotated[
        str | None, Option(help="a column of --items: find the popular items of each category")
    ] = None,
    window: Annotated[
        str | None,
        Option(
            help="find the popular items of each period: a number of days, ``day``, ``week``, ``month``, ``quarter`` or "
            "``year``"
        ),
    ] = None,
    action: Annotated[
        Literal["drop", "cap", "relabel", "mark"], Option(help="what to do with the rows of popular items")
    ] = "drop",
    refill: Annotated[
        int | None,
        Option(help="cut lists (with a rank or a score) to this length after rows are dropped"),
    ] = None,
    cap: Annotated[float | None, Option(help="the popularity to cut items down to, for ``cap``")] = None,
    label: Annotated[str | None, Option(help="the id to use, for ``relabel``")] = None,
    seed: Seed = 0,
    to: ToFolder = ToFolder(),
) -> None:
    """Drop, cap, relabel or mark the rows of popular items.

    Example: ``rankwell prepare popularity train.csv test.csv als.csv --top 100 -o longtail``
    """
    from rankwell.prepare import PopularityCut
    from rankwell.readers.logs import read_log

    names = [Path(each).name for each in tables]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(f"two tables are named {twice}; the folder can hold only one of them.")
    target = to.opened(train, items, *tables, tables=names)
    cut = PopularityCut(by=by, ties=ties, weight=weight, within=within, window=_days(window), **asdict(rule))
    words = ("rank", "score", "time")
    learned = read_log(train, columns=to.named, perhaps=words) if train in tables else train
    cut.fit(learned, items, columns=to.named)
    done = {}
    for name, path in zip(names, tables, strict=True):
        log = read_log(learned if path == train else path, columns=to.named, perhaps=words)
        length = refill if log.is_lists or action != "drop" else None
        done[name] = cut.apply(log, action, refill=length, cap=cap, label=label, seed=seed)
    target.tables({name: each.table for name, each in done.items()})
    to.show(cut.summary(), *(each.report for each in done.values()))


def _days(window: str | None) -> float | str | None:
    """A number of days, or the name of a period."""
    try:
        return None if window is None else float(window)
    except ValueError:
        return window


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
    limits: Limits = Limits(),
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


def core(
    log: Annotated[str, Option(help="the log: users and items")],
    /,
    *,
    limits: Limits = Limits(),
    repeat: Annotated[
        bool, Option(help="repeat until all users and items are within the limits", negative="--once")
    ] = True,
    to: ToFile = ToFile(),
) -> None:
    """Keep the users and items whose number of rows is within limits.

    Example: ``rankwell prepare core ratings.dat --min-per-user 5 --min-per-item 5 -o core.csv``
    """
    from rankwell.prepare import core as within

    target = to.opened(log)
    kept, report = within(log, **asdict(limits), repeat=repeat, columns=to.named)
    target.table(kept)
    to.show(report)
