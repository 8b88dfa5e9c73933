"""demo: bundled real data, evaluated; tables that teach something."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path

from rankwell.display import Cell, Column, Table
from rankwell.evaluation import Evaluator, evaluate
from rankwell.policy import Policy
from rankwell.results import Results

RECOMMENDERS = ("popular", "itemknn", "als", "random")
THRESHOLDS = (7, 8, 9)


def demo(width: int | None = None) -> str:
    """Return the tables of ``rankwell demo`` as text for a terminal of this width.

    Examples
    --------
    >>> "MovieTweetings" in demo()
    True
    """
    with as_file(files("rankwell") / "data") as folder:
        parts = [*_search(folder / "trec_eval"), *_recommenders(folder / "movietweetings")]
    shown = [part.to_text(width) if isinstance(part, Table) else part for part in parts]
    return "\n\n".join(shown)


def _search(folder: Path) -> Sequence[str | Table]:
    """One search run: one name, several numbers; and what equal scores do."""
    run, qrels = folder / "results.test", folder / "qrels.test"
    denominators = ["ap", "ap(denom=R)@10", "ap(denom=min_rk)@10", "ap(denom=hits)@10", "ap(denom=k)@10"]
    res = evaluate(
        run, qrels, [*denominators, "ndcg@10", "ndcg(gain=exp2)@10", "p@10", "rr", "bpref", "judged@10"]
    )
    meanings = ("÷ R, the whole list", "÷ R (trec_eval)", "÷ min(R, 10)", "÷ hits found", "÷ 10")
    aps = Table(
        [Column("“average precision”", "text"), Column("as text", "text"), Column("mean", "value")],
        [(say, name, res[name]) for say, name in zip(meanings, denominators, strict=True)],
        caption="NIST's sample run, 3 topics: one name, five numbers",
    )
    low, high = (min(res[name] for name in denominators[1:]), max(res[name] for name in denominators[1:]))
    lesson = (
        f"“MAP@10” of this run is anything from {low:.4f} to {high:.4f}, depending on the tool. "
        f"So rankwell writes the divisor into the name."
    )
    others = [str(metric) for metric in res.metrics if str(metric) not in denominators]
    more = Table(
        [Column("metric", "text"), Column("mean", "value"), Column("queries", "count")],
        [(name, res[name], res.n[name]) for name in others],
        caption="The same run, other metrics",
    )
    ties = (
        evaluate(run, qrels, ["ap"], policy=Policy(ties="worst")),
        evaluate(run, qrels, ["ap"], policy=Policy(ties="best")),
    )
    tied = res.counts.get("queries in which ties could change a value", 0)
    about = (
        f"Equal scores could change a value in {tied} of {res.n['ap']} queries: AP lies between {ties[0]['ap']:.6f} and "
        f"{ties[1]['ap']:.6f}. The order is item id descending (trec_eval's) unless you say otherwise."
    )
    return aps, lesson, more, about


def _recommenders(folder: Path) -> Sequence[str | Table]:
    """Four recommenders: what counts as relevant decides who wins."""
    policies = {f"rating ≥ {rel}": Policy(rel=rel) for rel in THRESHOLDS}
    policies["every rating counts"] = Policy(grades="interactions")
    found: dict[str, dict[str, Results]] = {}
    for label, policy in policies.items():
        metrics = ["ndcg@10", "hit@10", "coverage@10"]
        evaluator = Evaluator(folder / "test.parquet", metrics, items=folder / "items.parquet", policy=policy)
        found[label] = evaluator.evaluate_all({name: folder / f"{name}.parquet" for name in RECOMMENDERS})
    first, *_, last = policies
    columns = [
        Column("recommender", "text"),
        *(Column(label, "value", better="higher") for label in policies),
    ]
    columns.append(Column("coverage@10", "value", better="higher"))
    rows: list[tuple[Cell, ...]] = [
        (name, *(found[label][name]["ndcg@10"] for label in policies), found[last][name]["coverage@10"])
        for name in RECOMMENDERS
    ]
    users = found[last][RECOMMENDERS[0]].n["ndcg@10"]
    table = Table(
        columns,
        rows,
        caption=f"MovieTweetings, {users} users, nDCG@10 of four recommenders under four meanings of “relevant”",
        mark_best=True,
    )
    winners = {
        label: max(RECOMMENDERS, key=lambda name: found[label][name]["ndcg@10"]) for label in (first, last)
    }
    if winners[first] == winners[last]:
        verdict = f"{winners[first]} leads under every meaning."
    else:
        verdict = f"{winners[first]} leads at {first}, {winners[last]} when {last}: say which one you mean."
    widest = max(RECOMMENDERS, key=lambda name: found[last][name]["coverage@10"])
    narrow = min(RECOMMENDERS, key=lambda name: found[last][name]["coverage@10"])
    lesson = (
        f"{verdict} Small gaps on few users prove nothing yet. Accuracy is half the story: {narrow} shows "
        f"{found[last][narrow]['coverage@10']:.1%} of the catalogue, {widest} {found[last][widest]['coverage@10']:.1%}."
    )
    after = (
        "Next:\n"
        "  rankwell metrics                  all metrics\n"
        "  rankwell explain ndcg             formula, switches, edge cases, source\n"
        "  rankwell evaluate QRELS RUN -m ndcg@10 -m ap"
    )
    return table, lesson, after
