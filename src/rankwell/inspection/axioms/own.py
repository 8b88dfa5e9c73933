"""An axiom of rankwell's own that compares queries: the purpose of dividing by the ideal list."""

from __future__ import annotations

from rankwell.inspection.axioms.kinds import Axiom, Drawn
from rankwell.inspection.axioms.situations import Draw, Item, Situation

OWN = "rankwell; not from an article"


def perfect_list(draw: Draw) -> Situation:
    """All judged items of one query, best first, against a list of another query that begins with a miss."""
    (some,) = draw.parts(1, draw.judged, taken=1)
    best = sorted([*some, Item({0: 1 + draw.below(3)})], key=lambda item: -(item.grades[0] or 0))
    after, missed = draw.parts(2, draw.judged, taken=2)
    found = Item({0: 1 + draw.below(3)})
    return Situation(tuple(best), (Item({0: 0}), found, *after), unlisted=tuple(missed), apart=True)


AXIOMS: tuple[Axiom, ...] = (
    Drawn(
        name="Norm",
        title="normalisation",
        statement="The perfect list of one query has a higher value than an imperfect list of any other.",
        source=OWN,
        draw=perfect_list,
        least=2,
    ),
)
