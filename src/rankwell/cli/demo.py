"""The command ``demo``: bundled real data, evaluated."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rankwell.cli.arguments import OUTPUT, Option
from rankwell.display.output import width, write
from rankwell.display.table import Column, Table
from rankwell.errors import InputError
from rankwell.matching.policy import Policy

if TYPE_CHECKING:
    import polars as pl

    from rankwell.results import Results

RECOMMENDERS = ("popular", "itemknn", "als", "random")
THRESHOLDS = (7, 8, 9)
MEANINGS = {
    "ap": "÷ R, over the whole list",
    "ap(denom=R)@10": "÷ R, as trec_eval",
    "ap(denom=min_rk)@10": "÷ the smaller of R and 10",
    "ap(denom=hits)@10": "÷ the relevant items found",
    "ap(denom=k)@10": "÷ 10",
}
LINE = 100
NEXT = """\
Next:
  rankwell metrics                                  all metrics
  rankwell explain ndcg                             formula, switches, edge cases, source
  rankwell evaluate QRELS RUN -m ndcg@10 -m ap      your own files
  rankwell report QRELS RUN… -m ndcg@10 -m ap       one HTML page of them, to send to others
  rankwell demo -o FOLDER                           two such pages of these data, and the data"""


def demo(
    *,
    output: Annotated[
        str | None,
        Option(
            name=("--output", "-o"),
            group=OUTPUT,
            help="a folder, made if need be: also write two reports into it, of the search engine and of the recommenders, and copy the data",
        ),
    ] = None,
) -> None:
    """Evaluate bundled real data and print tables worth reading.

    Example: ``rankwell demo``
    """
    if output is not None:
        from rankwell.reporting.chart.charts import require_extra

        require_extra()
    write(demo_text(width()), None)
    if output is not None:
        made = ", ".join(map(str, write_reports(Path(output))))
        write(
            f"\nTwo reports, to be opened in a browser: {made}. Their data: {copy_data(Path(output))}", None
        )


def write_reports(folder: Path) -> list[Path]:
    """Write a report of the search engine and one of the recommenders into a folder, and return their files.

    InputError if they cannot be written.
    """
    from importlib.resources import as_file, files

    from rankwell.reporting.report import report

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made ({error.strerror}).") from error
    search, films = folder / "search.html", folder / "recommenders.html"
    with as_file(files("rankwell") / "data") as data:
        trec = data / "trec_eval"
        metrics = ["ap", "ndcg@10", "p@10", "rr", "bpref"]
        report({"NIST's sample run": trec / "results.test"}, trec / "qrels.test", metrics, path=search)
        movies = data / "movietweetings"
        report(
            {name: movies / f"{name}.parquet" for name in RECOMMENDERS},
            movies / "test.parquet",
            ["ndcg@10", "hit@10", "coverage@10", "msi@10"],
            path=films,
            train=movies / "train.parquet",
            items=movies / "items.parquet",
            users=_activity(movies / "train.parquet"),
            by="activity",
            baseline=RECOMMENDERS[0],
            rel=THRESHOLDS[0],
            title="Four recommenders of films",
        )
    return [search, films]


def copy_data(folder: Path) -> Path:
    """Copy the bundled data, with their terms, into ``data`` in a folder, and return that; what is there already is replaced."""
    import shutil
    from importlib.resources import as_file, files

    with as_file(files("rankwell") / "data") as data:
        return Path(
            shutil.copytree(
                data, folder / "data", ignore=shutil.ignore_patterns("*.schema.json"), dirs_exist_ok=True
            )
        )


def _activity(train: Path) -> pl.DataFrame:
    """How much the users have rated: one of three groups of equal size."""
    import polars as pl

    labels = ["few ratings", "some ratings", "many ratings"]
    rated = pl.read_parquet(train).group_by("user_id").len().sort("len", "user_id")
    return rated.select(
        "user_id",
        activity=pl.Series([labels[3 * row // len(rated)] for row in range(len(rated))]),
    )


def demo_text(columns: int | None = None) -> str:
    """Return what ``rankwell demo`` prints on a terminal of so many columns.

    Examples
    --------
    >>> "MovieTweetings" in demo_text()
    True
    """
    from importlib.resources import as_file, files

    with as_file(files("rankwell") / "data") as folder:
        parts = [*_search(folder / "trec_eval"), *_recommenders(folder / "movietweetings")]
    shown = [
        part.to_text(columns) if isinstance(part, Table) else textwrap.fill(part, min(columns or LINE, LINE))
        for part in parts
    ]
    return "\n\n".join([*shown, NEXT])


def _search(folder: Path) -> list[str | Table]:
    """One search run: one name, several numbers; and what equal scores do."""
    from rankwell.evaluation import evaluate

    run, qrels = folder / "results.test", folder / "qrels.test"
    others = ["ndcg@10", "ndcg(gain=exp2)@10", "p@10", "r@100", "rr", "bpref", "judged@10"]
    res = evaluate(run, qrels, [*MEANINGS, *others])
    aps = Table(
        [Column("“average precision”", "text"), Column("as text", "text"), Column("mean", "value")],
        [(meaning, name, res[name]) for name, meaning in MEANINGS.items()],
        caption=f"A search engine: NIST's sample run, {res.n['ap']} topics. One name, {len(MEANINGS)} meanings",
    )
    cut = [res[name] for name in MEANINGS if name != "ap"]
    lesson = (
        f"R is the number of relevant items of a topic. “MAP@10” of this run is anything from {min(cut):.4f} to "
        f"{max(cut):.4f}, depending on the tool. So rankwell writes the divisor into the name."
    )
    more = Table(
        [Column("metric", "text"), Column("mean", "value"), Column("n", "count")],
        [(name, res[name], res.n[name]) for name in others],
        caption="The same run, other metrics",
    )
    worst, best = (evaluate(run, qrels, ["ap"], policy=Policy(ties=end))["ap"] for end in ("worst", "best"))
    tied = res.counts.get("queries in which ties could change a value", 0)
    ties = (
        f"Equal scores could change a value in {tied} of {res.n['ap']} topics: AP over the whole list lies between "
        f"{worst:.6f} and {best:.6f}, whichever item comes first. The order is trec_eval's, item id descending, "
        f"unless you say otherwise."
    )
    return [aps, lesson, more, ties]


def _recommenders(folder: Path) -> list[str | Table]:
    """Four recommenders: what counts as relevant decides who wins, and accuracy is not all."""
    from rankwell.evaluation import Evaluator

    policies = {f"rating ≥ {rel}": Policy(rel=rel) for rel in THRESHOLDS}
    policies["every rating"] = Policy(grades="interactions")
    first, *_, strictest, last = policies
    found: dict[str, dict[str, Results]] = {}
    for label, policy in policies.items():
        metrics = ["ndcg@10", "hit@10", "coverage@10"]
        evaluator = Evaluator(folder / "test.parquet", metrics, items=folder / "items.parquet", policy=policy)
        found[label] = evaluator.evaluate_all({name: folder / f"{name}.parquet" for name in RECOMMENDERS})
    n = {label: results[RECOMMENDERS[0]].n["ndcg@10"] for label, results in found.items()}
    accuracy = Table(
        [Column("nDCG@10", "text"), *(Column(label, "value", better="higher") for label in policies)],
        [(name, *(found[label][name]["ndcg@10"] for label in policies)) for name in RECOMMENDERS],
        caption=f"Four recommenders, {n[last]} MovieTweetings users: what makes a film relevant?",
        mark_best=True,
    )
    lesson = (
        f"{_verdict(found, first, last)} Users without a relevant film are left out and counted: {n[strictest]} of "
        f"{n[last]} remain at {strictest}. Small gaps between few users prove nothing yet."
    )
    reach = Table(
        [
            Column("recommender", "text"),
            *(Column(f"hit@10, {label}", "value", better="higher") for label in (first, last)),
            Column("coverage@10", "value", better="higher"),
        ],
        [
            (
                name,
                *(found[label][name]["hit@10"] for label in (first, last)),
                found[last][name]["coverage@10"],
            )
            for name in RECOMMENDERS
        ],
        caption="The same lists: users who find something, and the share of the catalogue that is shown to anybody",
        mark_best=True,
    )

    leader = _best(found[first], "hit@10")
    widest = _best(found[last], "coverage@10")
    closing = (
        f"Accuracy is half the story: {leader}, first by hit@10 at {first}, shows "
        f"{found[first][leader]['coverage@10']:.1%} of the films to anybody; {widest} shows "
        f"{found[last][widest]['coverage@10']:.1%}."
    )
    return [accuracy, lesson, reach, closing]


def _best(results: Mapping[str, Results], metric: str) -> str:
    return max(results, key=lambda name: results[name][metric])


def _verdict(found: Mapping[str, Mapping[str, Results]], first: str, last: str) -> str:
    """Who leads, said of the numbers as they are."""
    strict, loose = (_best(found[label], "ndcg@10") for label in (first, last))
    if strict == loose:
        return f"{strict} leads at {first} and when {last} counts."
    return f"{strict} leads at {first}, {loose} when {last} counts: say which one you mean."
