"""The commands ``prepare …`` about judgements and lists: check, tiers, impute, baselines."""

from __future__ import annotations

from typing import Annotated, Literal

from rankwell.cli.commands import FOUND
from rankwell.cli.option import DATA, Option
from rankwell.cli.prepare_options import Seed, ToFile, ToFolder
from rankwell.cli.words import pairs
from rankwell.errors import UsageError, brief


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
    seed: Seed = 0,
    to: ToFile = ToFile(),
) -> int:
    """Check training data, test data and lists before they are scored; exit 1 if there is an error.

    Example: ``rankwell prepare check train.csv test.csv als.csv --items items.csv -k 10``
    """
    from rankwell.prepare import check as look

    target = to.opened(train, test, lists, items)
    found, report = look(train, test, lists, items=items, k=k, repeated=repeated, seed=seed, columns=to.named)
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
    column: Annotated[str | None, Option(help="the column of values; default: the grades")] = None,
    into: Annotated[str, Option(help="the column to write")] = "weight",
    how: Annotated[
        Literal["multiply", "confidence", "replicate", "sample"],
        Option(help="what the factor is used for"),
    ] = "multiply",
    threshold: Annotated[float | None, Option(help="drop lower values first; the others count 1")] = None,
    normalise: Annotated[bool, Option(help="divide the weights by their mean")] = False,
    bounds: Annotated[tuple[float, float] | None, Option(help="the lowest and the highest weight")] = None,
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
        interactions, tiers, factors, default="error" if default is None else default, into=into, column=column, how=how,
        normalise="mean_one" if normalise else None, bounds=bounds, threshold=threshold, tier=tier, seed=seed,
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
    recent: Annotated[
        float, Option(help="the share of the training rows, the newest, that ``recent`` counts")
    ] = 0.1,
    seen: Annotated[bool, Option(help="lists may hold items of the user's training data")] = False,
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
        recent=recent,
        seen=seen,
        seed=seed,
        columns=to.named,
    )
    target.tables(done.lists)
    to.show(done.report)
