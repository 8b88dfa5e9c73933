"""A slow second implementation of rankwell's first metrics and of its policies: the oracle of the tests.

Plain loops over dicts and lists, written from the definitions alone: no NumPy and nothing of rankwell. Runs
and qrels are lists of rows, so that copies, contradictions and the given order can be expressed. Where the
definitions leave a case open, the choice made here:

- a list is ordered, cut by `depth`, rid of copies, condensed, and only then ranks, k and n are taken;
  so copies below `depth` are not seen at all;
- a rank that a list leaves out is a hole: a place that holds no row. Formulas of ranks pass over it, what counts rows
  does not count it; without copies (`duplicates=drop`) and without unjudged items (condense) holes are closed;
- with drop_own_query, the rows whose item is the query go before all else, and where ranks count, the others of such a
  list are ranked 1 to n;
- copies are looked for in every list of the run, also in those of queries without judgements;
- a later copy under duplicates=first is an unjudged row: no gain, not counted by judged@k, removed by
  condense;
- `grades=auto` counts the rows as given, before `duplicate_grades`;
- a negative grade under negative=unjudged is never relevant, not even with rel below 0;
- a gain table is read at the grade itself, also with ratings; in ERR with ratings and gain_from=threshold the
  highest grade (or max_grade=) becomes a level as the others do; with gain_from=raw `rel` must be known all the same;
- ERR refuses a max_grade= below a grade that occurs;
- nDCG against the retrieved list is 0 when the list has no gain but the judgements have;
- a later copy under duplicates=each is an item of its own; the ideal list of min_kn holds it too, if it is within k;
- nDCG's ideal, judged or retrieved, leaves out items whose gain in a table is negative;
- INST, INSQ and RBP with ratings and gain_from=threshold take the highest grade as a level, as ERR does;
- auc compares the scores of the list, so that equal ones count one half; best and worst leave none equal;
- a negative grade under negative=unjudged is in the pool for infAP alone;
- with group, what is left of a list after `depth` and copies is folded: holes close, no rows are tied any more;
- coverage looks at the items down to its k only, also for `outside`; its lists are those of the run.
"""

from __future__ import annotations

import ast
import itertools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from .reference_binary import BINARY
from .reference_experimental import EXPERIMENTAL
from .reference_graded import GRADED
from .reference_metrics import FIRST, Undefined, View
from .reference_policy import (
    HOLE,
    Id,
    Judgement,
    Order,
    ReferenceRefusal,
    Scale,
    complete,
    first_rank,
    folded,
    folded_grades,
    group_of,
    in_order,
    judged_items,
    scale_of,
    seen_part,
    without_own,
)

__all__ = ["Outcome", "ReferenceRefusal", "evaluate", "evaluate_many", "parse_metric", "rows_of"]

RunRows = Mapping[Any, Sequence[tuple[Any, float | None]]]
PER_QUERY = {**FIRST, **EXPERIMENTAL, **BINARY, **GRADED}
NEEDS_RELEVANCE = set(PER_QUERY) - {"judged", "unj", "num_ret"}


COUNT_COPIES = {
    "p",
    "r",
    "f",
    "hit",
    "rr",
    "ap",
    "gmap",
    "cg",
    "dcg",
    "idcg",
    "ndcg",
    "set_p",
    "set_r",
    "set_f",
    "set_ap",
}


@dataclass(frozen=True)
class Outcome:
    """values: one per evaluated query, None where undefined; empty for coverage.
    mean: over the queries with a value, exact and rounded once; None when there are none.
    counts: queries (with a value) · undefined_judgements · undefined_list · missing (judged, not in the run)
    ·
    not_judged (in the run, without judgements) · outside (distinct shown items outside the catalogue)."""

    mean: float | None
    values: dict[Id, float | None] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)


def evaluate(
    run: RunRows,
    qrels: Sequence[Judgement] | None,
    metric: str,
    params: Mapping[str, Any] | None = None,
    policy: Mapping[str, Any] | None = None,
    catalogue: Iterable[Id] | None = None,
    *,
    order: Order = "score",
) -> Outcome:
    """One metric, given by name with `params` (k among them), or as a whole text such as "ap(denom=R)@10"."""
    name, own = parse_metric(metric)
    return evaluate_many(run, qrels, [(name, {**own, **(params or {})})], policy, catalogue, order=order)[0]


def evaluate_many(
    run: RunRows,
    qrels: Sequence[Judgement] | None,
    metrics: Sequence[str | tuple[str, Mapping[str, Any]]],
    policy: Mapping[str, Any] | None = None,
    catalogue: Iterable[Id] | None = None,
    *,
    order: Order = "score",
) -> list[Outcome]:
    """Several metrics of one run; refused as a whole when one of them is refused."""
    rules = complete(policy)
    wanted = [parse_metric(metric) if isinstance(metric, str) else metric for metric in metrics]
    rows = list(qrels or [])
    rel_given = rules["rel"] is not None or any(params.get("rel") is not None for _, params in wanted)
    scale = scale_of(rows, rules, rel_given)
    judged = judged_items(rows, rules, scale)
    base = first_rank(run) if order == "rank" else 1
    if rules["drop_own_query"]:
        run = {query: without_own(query, listed, order, rules, base) for query, listed in run.items()}
    if rules["group"]:
        judged = folded_grades(judged, rules)
        if rules["judged"] == "items":
            rows = [(query, group_of(item, rules), grade, topic) for query, item, grade, topic in rows]
    lists = {}
    for query, listed in run.items():
        known = judged.get(query, {})
        if rules["group"]:  # of tied items the best are those of the best groups
            known = {item: known[own] for item, _ in listed if (own := group_of(item, rules)) in known}
        lists[query] = seen_part(in_order(listed, order, rules, known, base), rules, query)
        if rules["group"]:
            lists[query] = folded(lists[query], rules)
    items = None if catalogue is None else set(catalogue)
    outcomes = []
    for name, params in wanted:
        if rules["duplicates"] == "each" and name not in COUNT_COPIES:
            raise ReferenceRefusal("duplicates", f"{name} of items that count more than once")
        if name == "coverage":
            outcomes.append(_coverage(lists, None if qrels is None else judged, params, rules, items))
        elif qrels is None:
            raise ReferenceRefusal("qrels", f"{name} needs judgements")
        else:
            outcomes.append(_per_query(name, params, lists, judged, scale, rules, pooled_items(rows), items))
    return outcomes


def _per_query(
    name: str,
    params: Mapping[str, Any],
    lists: Mapping[Id, list[tuple[Id, bool, int]]],
    judged: Mapping[Id, Mapping[Id, float]],
    scale: Scale,
    rules: Mapping[str, Any],
    pooled: Mapping[Id, set[Id]],
    catalogue: set[Id] | None,
) -> Outcome:
    rel = params["rel"] if params.get("rel") is not None else rules["rel"]
    if name in NEEDS_RELEVANCE and scale == "unclear":
        raise ReferenceRefusal("grades", "the grades look like ratings and no rel is given")
    if name in NEEDS_RELEVANCE and scale == "ratings" and rel is None:
        raise ReferenceRefusal("rel", f"{name} of ratings needs rel")
    highest = max((grade for known in judged.values() for grade in known.values()), default=0.0)
    values: dict[Id, float | None] = {}
    counts = {"queries": 0, "undefined_judgements": 0, "undefined_list": 0, "missing": 0}
    counts["not_judged"] = sum(1 for query in lists if query not in judged)
    others = {query: {} for query in lists if query not in judged} if rules["population"] == "listed" else {}
    for query, known in {**judged, **others}.items():
        if query not in lists:
            counts["missing"] += 1
            if rules["missing"] == "skip":
                continue
        rows = [
            (
                known.get(item) if first else None,
                first and item in pooled.get(query, ()),
                group,
                item == HOLE,
                item,
            )
            for item, first, group in lists.get(query, [])
        ]
        if rules["unjudged"] == "condense":
            rows = [row for row in rows if row[0] is not None]
        size = params.get("collection") or (None if catalogue is None else len(catalogue))
        possible = []
        for order in _orders(rows) if rules["ties"] == "expected" else [rows]:
            listed, in_pool, groups, holes, names = ([row[at] for row in order] for at in range(5))
            again = [name in names[:place] for place, name in enumerate(names)]
            view = View(
                listed, list(known.values()), scale, rel, highest, in_pool, groups, size, holes, again
            )
            possible.append(PER_QUERY[name](view, params))
        value = possible[0]
        if len(possible) > 1 and not isinstance(value, Undefined):
            value = math.fsum(map(float, possible)) / len(possible)  # type: ignore[arg-type]
        if value is Undefined.BY_LIST:
            counts["undefined_list"] += 1
            values[query] = None
        elif value is Undefined.BY_JUDGEMENTS:
            counts["undefined_judgements"] += 1
            if rules["undefined"] == "error":
                raise ReferenceRefusal("undefined", f"{name} of {query!r}")
            values[query] = {"skip": None, "zero": 0.0, "one": 1.0}[rules["undefined"]]
        else:
            assert isinstance(value, float)
            values[query] = value
    # a query without judgements is left out unless it has a value
    values = {query: value for query, value in values.items() if value is not None or query in judged}
    numbers = [value for value in values.values() if value is not None]
    counts["queries"] = len(numbers)
    mean = _summary(name, params, numbers)
    return Outcome(mean, values, counts)


def _orders(rows: list[Any]) -> list[list[Any]]:
    """All orders of a list in which only rows of one group change places."""
    groups: dict[int, list[Any]] = {}
    for row in rows:
        groups.setdefault(row[2], []).append(row)
    orders = [
        [row for group in chosen for row in group]
        for chosen in itertools.product(*(itertools.permutations(group) for group in groups.values()))
    ]
    assert len(orders) < 10_000
    return orders


def _summary(name: str, params: Mapping[str, Any], numbers: list[float]) -> float | None:
    """The mean of the values; a sum for counts, a geometric mean for GMAP."""
    if name.startswith("num_"):
        return float(sum(map(Fraction, numbers)))
    if not numbers:
        return None
    if name in ("gmap", "gm_bpref"):
        if params.get("epsilon") is not None:
            raised = [math.log(value + params["epsilon"]) for value in numbers]
            return max(math.exp(math.fsum(raised) / len(raised)) - params["epsilon"], 0.0)
        floor = params.get("floor", 1e-5)
        return math.exp(math.fsum(math.log(max(value, floor)) for value in numbers) / len(numbers))
    return float(sum(map(Fraction, numbers)) / len(numbers))


def _coverage(
    lists: Mapping[Id, list[tuple[Id, bool, int]]],
    judged: Mapping[Id, Mapping[Id, float]] | None,
    params: Mapping[str, Any],
    rules: Mapping[str, Any],
    catalogue: set[Id] | None,
) -> Outcome:
    if not catalogue:
        raise ReferenceRefusal("catalogue", "coverage needs the items of the catalogue")
    if rules["population"] == "judged" and judged is None:
        raise ReferenceRefusal("qrels", "population=judged needs judgements")
    shown: set[Id] = set()
    n_lists = 0
    for query, listed in lists.items():
        if rules["population"] == "judged" and query not in (judged or {}):
            continue
        n_lists += 1
        for rank, (item, _, _) in enumerate(listed, start=1):
            if item != HOLE and (params.get("k") is None or rank <= params["k"]):
                shown.add(item)
    outside = shown - catalogue
    if outside and rules["outside"] == "error":
        raise ReferenceRefusal("outside", f"{min(map(str, outside))} is not in the catalogue")
    value = len(shown & catalogue) / len(catalogue)
    return Outcome(value, {}, {"queries": n_lists, "outside": len(outside)})


def pooled_items(rows: Sequence[Judgement]) -> dict[Id, set[Id]]:
    """The items of each query's pool, whatever their grade."""
    pools: dict[Id, set[Id]] = {}
    for query, item, _, _ in rows:
        pools.setdefault(query, set()).add(item)
    return pools


def rows_of(qrels: Mapping[Any, Mapping[Any, float | None]]) -> list[Judgement]:
    """Rows from {query: {item: grade}}."""
    return [(query, item, grade, None) for query, known in qrels.items() for item, grade in known.items()]


def parse_metric(text: str) -> tuple[str, dict[str, Any]]:
    """ "ap(denom=R)@10" -> ("ap", {"denom": "R", "k": 10}). No aliases, no defaults, no checks."""
    match = re.fullmatch(r"\s*([a-zA-Z_]\w*)\s*(?:\((.*)\))?\s*(?:@(\d+))?\s*", text, re.DOTALL)
    if match is None:
        raise ValueError(f"not a metric: {text!r}")
    name, inside, k = match.groups()
    params: dict[str, Any] = {}
    for part in re.split(r",(?![^\[{]*[\]}])", inside or ""):
        if part.strip():
            key, _, value = part.partition("=")
            params[key.strip()] = _value(value.strip())
    if k is not None:
        params["k"] = int(k)
    return name.lower(), params


def _value(text: str) -> Any:
    words = {"none": None, "true": True, "false": False}
    if text.lower() in words:
        return words[text.lower()]
    try:
        return ast.literal_eval(text.replace("others:own", "'others':'own'"))
    except (ValueError, SyntaxError):
        return text
