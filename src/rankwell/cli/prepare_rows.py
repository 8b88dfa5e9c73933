"""The steps of ``rankwell prepare`` that choose rows: popularity, split, folds, core."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from rankwell.cli.prepare import Keep, Seed, ToFile, ToFolder, prepare
from rankwell.errors import UsageError


@prepare.command
def popularity(
    train: Annotated[str, Parameter(help="the training data, which say what is popular")],
    /,
    *tables: Annotated[
        str, Parameter(help="what is treated: training data, test data, lists", show_default=False)
    ],
    share_of_volume: Annotated[
        float | None, Parameter(help="popular: items until they have this share of all interactions")
    ] = None,
    top: Annotated[int | None, Parameter(help="popular: this many items")] = None,
    fraction: Annotated[float | None, Parameter(help="popular: this share of the items")] = None,
    reach: Annotated[
        float | None, Parameter(help="popular: items of more than this share of the users")
    ] = None,
    count: Annotated[float | None, Parameter(help="popular: items of more than this many users")] = None,
    quantile: Annotated[float | None, Parameter(help="popular: items above this quantile")] = None,
    iqr: Annotated[float | None, Parameter(help="popular: items above Q3 + this · (Q3 − Q1)")] = None,
    by: Annotated[Literal["users", "events", "weight"], Parameter(help="what popularity is")] = "users",
    weight: Annotated[str, Parameter(help="the column of weights, for ``--by weight``")] = "weight",
    ties: Annotated[Literal["in", "out"], Parameter(help="equally popular items at the cut")] = "in",
    items: Annotated[str | None, Parameter(help="the catalogue, with items that nobody used")] = None,
    within: Annotated[
        str | None, Parameter(help="a column of --items: each of its categories is cut by itself")
    ] = None,
    window: Annotated[
        str | None,
        Parameter(
            help="cut each stretch of so many days by itself, or each ``day``, ``week``, ``month``, ``quarter`` or ``year``"
        ),
    ] = None,
    action: Annotated[
        Literal["drop", "cap", "relabel", "mark"], Parameter(help="what is done with rows of popular items")
    ] = "drop",
    refill: Annotated[
        int | None,
        Parameter(help="cut lists (with a rank or a score) to this length after rows were dropped"),
    ] = None,
    cap: Annotated[float | None, Parameter(help="the popularity to which items are thinned out")] = None,
    label: Annotated[str | None, Parameter(help="the id for ``relabel``")] = None,
    seed: Seed = 0,
    to: ToFolder = ToFolder(),
) -> None:
    """Leave out, thin out, rename or mark what users find by themselves.

    Example: ``rankwell prepare popularity train.csv test.csv als.csv --top 100 -o longtail``
    """
    from rankwell.prepare import PopularityCut
    from rankwell.readers.logs import read_log

    names = [Path(each).name for each in tables]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(f"two tables are named {twice}; the folder can hold only one of them.")
    target = to.opened(train, items, *tables, tables=names)
    rules = {"share_of_volume": share_of_volume, "top": top, "fraction": fraction, "reach": reach}
    rules |= {"count": count, "quantile": quantile, "iqr": iqr}
    cut = PopularityCut(by=by, ties=ties, weight=weight, within=within, window=_days(window), **rules)  # type: ignore[arg-type]
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


@prepare.command
def split(
    log: Annotated[str, Parameter(help="the log: users, items, perhaps grades and times")],
    /,
    *,
    how: Annotated[
        Literal["time", "user_time", "last", "random", "cold_users", "cold_items"],
        Parameter(help="what decides"),
    ] = "time",
    test: Annotated[float, Parameter(help="the share of the test data")] = 0.2,
    at: Annotated[str | None, Parameter(help="the moment from which on rows are the test data")] = None,
    n: Annotated[int, Parameter(name="-n", help="rows of each user, for ``--how last``")] = 1,
    fold_in: Annotated[
        int | None,
        Parameter(help="for ``--how cold_users``: first rows of each held-out user, in a table of their own"),
    ] = None,
    min_per_user: Annotated[int | None, Parameter(help="least rows of a user")] = None,
    max_per_user: Annotated[int | None, Parameter(help="most rows of a user")] = None,
    min_per_item: Annotated[int | None, Parameter(help="least rows of an item")] = None,
    max_per_item: Annotated[int | None, Parameter(help="most rows of an item")] = None,
    unknown_users: Annotated[Keep, Parameter(help="test rows of users that the training data lack")] = "keep",
    unknown_items: Annotated[Keep, Parameter(help="test rows of items that the training data lack")] = "keep",
    repeated: Annotated[Keep, Parameter(help="test rows of pairs that the training data have")] = "keep",
    seed: Seed = 0,
    to: ToFolder = ToFolder(),
) -> None:
    """Divide a log into training and test data, and say what leaks.

    Example: ``rankwell prepare split ratings.dat --min-per-user 5 --min-per-item 5 -o split``
    """
    from rankwell.prepare import split as divide

    names = ["train", "test"] if fold_in is None else ["train", "fold_in", "test"]
    target = to.opened(log, tables=names)
    done = divide(
        log, how, test=test, at=at, n=n, fold_in=fold_in, seed=seed, min_per_user=min_per_user, max_per_user=max_per_user,
        min_per_item=min_per_item, max_per_item=max_per_item, unknown_users=unknown_users, unknown_items=unknown_items,
        repeated=repeated, columns=to.named,
    )  # fmt: skip
    every = {"train": done.train, "fold_in": done.fold_in, "test": done.test}
    target.tables({name: table for name, table in every.items() if table is not None})
    to.show(done.report)


@prepare.command
def folds(
    log: Annotated[str, Parameter(help="the log: users, items, perhaps grades and times")],
    /,
    *,
    k: Annotated[int, Parameter(name="-k", help="the number of parts")] = 5,
    of: Annotated[Literal["rows", "users", "items"], Parameter(help="what is dealt")] = "rows",
    seed: Seed = 0,
    to: ToFolder = ToFolder(),
) -> None:
    """Divide a log at random into parts, each of them once the test data.

    Example: ``rankwell prepare folds ratings.dat -k 5 -o folds``
    """
    from rankwell.prepare import folds as divide

    names = [f"{side}-{fold}" for fold in range(1, k + 1) for side in ("train", "test")]
    target = to.opened(log, tables=names)
    done = divide(log, k, of=of, seed=seed, columns=to.named)
    for fold, (train, test) in enumerate(done.parts, 1):
        target.tables({f"train-{fold}": train, f"test-{fold}": test})
    to.show(done.report)


@prepare.command
def core(
    log: Annotated[str, Parameter(help="the log: users and items")],
    /,
    *,
    min_per_user: Annotated[int | None, Parameter(help="least rows of a user")] = None,
    max_per_user: Annotated[int | None, Parameter(help="most rows of a user")] = None,
    min_per_item: Annotated[int | None, Parameter(help="least rows of an item")] = None,
    max_per_item: Annotated[int | None, Parameter(help="most rows of an item")] = None,
    repeat: Annotated[
        bool, Parameter(help="go on until all are within the limits", negative="--once")
    ] = True,
    to: ToFile = ToFile(),
) -> None:
    """Keep the rows of users and items with enough, and not too many, rows.

    Example: ``rankwell prepare core ratings.dat --min-per-user 5 --min-per-item 5 -o core.csv``
    """
    from rankwell.prepare import core as within

    target = to.opened(log)
    kept, report = within(
        log, min_per_user=min_per_user, max_per_user=max_per_user, min_per_item=min_per_item,
        max_per_item=max_per_item, repeat=repeat, columns=to.named,
    )  # fmt: skip
    target.table(kept)
    to.show(report)
