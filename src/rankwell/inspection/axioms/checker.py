"""check_axioms: which axioms a metric satisfies, with a small pair of lists for each one that it does not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rankwell.display.table import Column, Table
from rankwell.errors import UsageError, brief, nearest, one_of
from rankwell.inspection.axioms.amigo import AXIOMS as AMIGO_AXIOMS
from rankwell.inspection.axioms.kinds import Axiom, AxiomRule, DrawnAxiom, Verdicts, notes_of
from rankwell.inspection.axioms.parapar import AXIOMS as PARAPAR_AXIOMS
from rankwell.inspection.axioms.situations import Draw, Item, Situation
from rankwell.metrics import Wanted, metrics_of
from rankwell.tables.arguments import checked

OWN = "rankwell; not from an article"


def perfect_list(draw: Draw) -> Situation:
    """All judged items of one query, best first, against a list of another query that begins with a miss."""
    (some,) = draw.parts(1, draw.judged, taken=1)
    best = sorted([*some, Item({0: 1 + draw.below(3)})], key=lambda item: -(item.grades[0] or 0))
    after, missed = draw.parts(2, draw.judged, taken=2)
    relevant = Item({0: 1 + draw.below(3)})
    return Situation(tuple(best), (Item({0: 0}), relevant, *after), unlisted=tuple(missed), apart=True)


# the axioms of the articles compare lists of one query; this one compares queries: it is what dividing by the ideal list is for
OWN_AXIOMS: tuple[Axiom, ...] = (
    DrawnAxiom(
        name="Norm",
        title="normalisation",
        statement="The perfect list of one query has a higher value than an imperfect list of any other.",
        source=OWN,
        draw=perfect_list,
        least=2,
    ),
)


AXIOMS: dict[str, Axiom] = {axiom.name: axiom for axiom in (*AMIGO_AXIOMS, *PARAPAR_AXIOMS, *OWN_AXIOMS)}


@checked
def check_axioms(
    metric: Wanted | Iterable[Wanted],
    axioms: str | Iterable[str] | None = None,
    *,
    trials: int = 500,
    seed: int = 0,
) -> Verdicts:
    """Return which axioms a metric satisfies, with a small pair of lists for each one that it does not.

    Parameters
    ----------
    metric
        Text such as ``"ndcg@10"``, a metric, its class, or one of your own; or several of them.
    axioms
        Names such as ``"Pri"``; default: all. ``rankwell axioms`` lists them with their statements.
    trials
        How many random pairs of lists to draw for each axiom.
    seed
        The random seed; the same seed draws the same pairs for every metric.

    Returns
    -------
    Verdicts
        For each metric and axiom: holds (in every trial the list that should win has the higher value), weak (in some both
        values are equal), violated (in some it has the lower value) or not applicable, with the counts. An axiom about some
        length gives the length found. Every verdict but holds has a counterexample, reduced as far as possible. ``table()``,
        ``counts()`` and ``counterexamples()`` are tables, ``to_json()`` is all of it.

    Notes
    -----
    "Holds" means that no trial contradicted the axiom: a test, not a proof. Lists have up to 12 items within the cut-off,
    grades 0 to 3, and up to 4 topics with integer weights. Both lists are evaluated against the same judgements (except for
    Norm), which have the topics and their weights; items= has the topics too, and train= and users= give a profile equal to
    the weights. Axioms of a single topic also apply to metrics that know no topics, which see the highest grade over topics.
    For a metric where lower is better the signs are reversed. A metric that reads the whole catalogue
    (``candidates=catalogue``) sees the items of all pairs.

    If a metric adds up terms, lists whose values differ by less than 1e-13 are compared term by term without rounding;
    otherwise such a difference is a tie.

    Raises
    ------
    UsageError
        For an unknown metric or axiom, or fewer than one trial.

    Examples
    --------
    >>> verdicts = check_axioms("rr", ["Pri", "CloseTh", "Conf"], trials=100)
    >>> [(v.axiom, v.verdict, v.strict, v.ties, v.violations) for v in verdicts][1:]
    [('CloseTh', 'violated', 0, 0, 3), ('Conf', 'weak', 0, 100, 0)]
    >>> verdicts["CloseTh"].counterexample.values
    (0.3333333333333333, 1.0)
    """
    if trials < 1:
        raise UsageError(f"trials={brief(trials)}: must be a whole number of at least 1.")
    evaluated, rules = metrics_of(metric), _axioms_named(axioms)
    verdicts = tuple(axiom.judge(one, trials, seed) for one in evaluated for axiom in rules)
    return Verdicts(tuple(map(str, evaluated)), tuple(map(_rule, rules)), verdicts, trials, seed)


def list_axioms(axioms: str | Iterable[str] | None = None) -> Table:
    """Return the table of all axioms, or of some: name, title, statement, source."""
    rules = tuple(map(_rule, _axioms_named(axioms)))
    sources = list(dict.fromkeys(rule.source for rule in rules))
    rows = [(rule.name, rule.title, f"[{sources.index(rule.source) + 1}]", rule.statement) for rule in rules]
    columns = [Column("axiom"), Column("title"), Column("from"), Column("statement")]
    notes = [f"[{at}] {source}" for at, source in enumerate(sources, 1)]
    return Table(columns, rows, notes=[*notes, *notes_of(rules)])


def _axioms_named(names: Any) -> list[Axiom]:
    """The axioms with the given names, in upper or lower case."""
    if names is None:
        return list(AXIOMS.values())
    # found in any case, as Pri and pri are typed alike; an axiom named twice is checked once
    by_name = {name.lower(): axiom for name, axiom in AXIOMS.items()}
    chosen: dict[str, Axiom] = {}
    for name in [names] if isinstance(names, str) else names:
        if not isinstance(name, str) or name.lower() not in by_name:
            near = nearest(name, by_name) if isinstance(name, str) else ""
            raise UsageError(f"There is no axiom {brief(name)}; use one of {one_of(AXIOMS)}.{near}")
        chosen[name.lower()] = by_name[name.lower()]
    if not chosen:
        raise UsageError(f"give at least one axiom: {one_of(AXIOMS)}.")
    return list(chosen.values())


def _rule(axiom: Axiom) -> AxiomRule:
    return AxiomRule(axiom.name, axiom.title, axiom.statement, axiom.source, axiom.second_hand)
