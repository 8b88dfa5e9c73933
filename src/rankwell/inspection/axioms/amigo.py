"""The ten constraints on metrics of relevance and diversity of Amigó, Spina and Carrillo-de-Albornoz (2018)."""

from __future__ import annotations

from functools import partial

from rankwell.inspection.axioms.kinds import (
    Axiom,
    DrawnAxiom,
    LengthAxiom,
    at_some_length,
    from_some_length_on,
    no_worse_at_some_length,
)
from rankwell.inspection.axioms.situations import (
    BINARY,
    GRADED,
    Draw,
    Item,
    Situation,
    copies,
    mirrored,
    pair,
)

AMIGO = (
    "E. Amigó, D. Spina and J. Carrillo-de-Albornoz, An axiomatic analysis of diversity evaluation metrics, SIGIR 2018; "
    "stated from memory"
)
# lists of 2n items are scored for each n: all short ones, then fewer and fewer, as a threshold is a matter of size
LONG = (*range(1, 11), 12, 15, 20, 30, 50, 75, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000)
FIRST, SECOND = 0, 1  # topics


def priority(draw: Draw, levels: tuple[int, ...]) -> Situation:
    """Swap two items of which the worse is ranked higher."""
    low, high = (Item({FIRST: grade}) for grade in draw.two(levels))
    before, between, after = draw.parts(3, lambda: draw.judged(levels), taken=2)
    return pair([before, [high], between, [low], after], [before, [low], between, [high], after])


def deepness(draw: Draw, levels: tuple[int, ...]) -> Situation:
    """Swap one of two equal pairs of neighbours, the higher or the lower one."""
    lower, higher = draw.two(levels)
    low, high, low_too, high_too = (Item({FIRST: grade}) for grade in (lower, higher, lower, higher))
    before, between, after = draw.parts(3, lambda: draw.judged(levels), taken=4)
    return pair(
        [before, [high, low], between, [low_too, high_too], after],
        [before, [low, high], between, [high_too, low_too], after],
    )


def top_against_depth(grade: int, n: int) -> Situation:
    """One relevant item on top, against n relevant items after n nonrelevant ones; both lists have 2n items."""
    relevant, others = copies(grade)[: n + 1], copies(0)[: 2 * n - 1]
    return pair([relevant[:1], others], [others[:n], relevant[1:]])


def depth_against_top(grade: int, n: int) -> Situation:
    """The same two lists, the other way round."""
    both = top_against_depth(grade, n)
    return Situation(both.worse, both.better)


def confidence(draw: Draw) -> Situation:
    """A list, and the same list with one more item that is not relevant to any topic."""
    topics = range(draw.one((1, 2, 3, 4)))
    before, after = draw.parts(2, lambda: draw.item(topics), taken=2)
    found = Item({FIRST: 1 + draw.below(3)})
    more = Item(draw.one(({}, {FIRST: 0})))
    short = [before, [found], after]
    return pair(short, [*short, [more]], draw.weights(len(topics)))


def one_more_topic(draw: Draw) -> Situation:
    """Give one item a topic that no other item of the list has."""
    topics = range(draw.one((1, 2, 3)))
    before, after = draw.parts(2, lambda: draw.item(topics), taken=1)
    grades = {topic: grade for topic in topics if (grade := draw.below(len(GRADED)))}
    more = Item(grades | {len(topics): 1 + draw.below(3)})
    return pair([before, [more], after], [before, [Item(grades)], after], draw.weights(len(topics) + 1))


def redundancy(draw: Draw) -> Situation:
    """After items of one topic, add an item of another topic or one more of the same."""
    grade = 1 + draw.below(3)
    before, after = draw.parts(2, draw.judged, taken=2)
    covered = [before, [Item({FIRST: 1 + draw.below(3)})], after]
    new, same = Item({SECOND: grade}), Item({FIRST: grade})
    return mirrored(pair([*covered, [new]], [*covered, [same]], (1, 1)))


def monotonic_redundancy(draw: Draw) -> Situation:
    """After items that have one topic at least as much as another, add an item of the other or one more of the same."""

    def item() -> Item:
        grade = 1 + draw.below(3)
        less = draw.below(grade + 1)
        return Item({FIRST: grade, SECOND: less} if less else {FIRST: grade})

    grade = 1 + draw.below(3)
    before, after = draw.parts(2, item, taken=2)
    covered = [before, [Item({FIRST: 1 + draw.below(3)})], after]
    new, same = Item({SECOND: grade}), Item({FIRST: grade})
    return mirrored(pair([*covered, [new]], [*covered, [same]], (1, 1)))


def one_more_of_a_topic(grade: int, n: int) -> Situation:
    """Some relevant items of a topic, and the same with one more."""
    return pair([copies(grade)[:n]], [copies(grade)[: n + 1]])


def heavier_topic(draw: Draw) -> Situation:
    """After a list that covers two topics equally, add an item of the heavier or of the lighter one."""
    others = range(2, draw.one((2, 3, 4)))

    def item() -> Item:
        grade = draw.below(len(GRADED))
        both = {FIRST: grade, SECOND: grade} if grade else {}
        return Item({**both, **(draw.item(others).grades if others else {})})

    light, heavy = draw.two((1, 2, 3, 4, 5))
    grade = 1 + draw.below(3)
    (covered,) = draw.parts(1, item, taken=1)
    rest = draw.weights(len(others))
    better, worse = [covered, [Item({SECOND: grade})]], [covered, [Item({FIRST: grade})]]
    return mirrored(pair(better, worse, (light, heavy, *rest)))


AXIOMS: tuple[Axiom, ...] = (
    DrawnAxiom(
        name="Pri",
        title="priority (binary)",
        statement="If a relevant item is ranked below a nonrelevant one, swapping the two raises the value.",
        source=AMIGO,
        draw=partial(priority, levels=BINARY),
        levels=BINARY,
        least=2,
    ),
    DrawnAxiom(
        name="PriGraded",
        title="priority (graded)",
        statement="If an item is ranked below one of a lower grade, swapping the two raises the value.",
        source=AMIGO,
        draw=partial(priority, levels=GRADED),
        least=2,
    ),
    DrawnAxiom(
        name="Deep",
        title="deepness (binary)",
        statement="The same correct swap of two neighbours, one relevant and one not, is worth more nearer the top.",
        source=AMIGO,
        draw=partial(deepness, levels=BINARY),
        levels=BINARY,
        least=4,
    ),
    DrawnAxiom(
        name="DeepGraded",
        title="deepness (graded)",
        statement="The same correct swap of two neighbours of different grades is worth more nearer the top.",
        source=AMIGO,
        draw=partial(deepness, levels=GRADED),
        least=4,
    ),
    LengthAxiom(
        name="DeepTh",
        title="deepness threshold",
        statement="From some n on, one relevant item on top beats n relevant items after n nonrelevant ones.",
        source=AMIGO,
        build=top_against_depth,
        lengths=LONG,
        decide=from_some_length_on,
    ),
    LengthAxiom(
        name="CloseTh",
        title="closeness threshold",
        statement="For some n ≥ 2, n relevant items after n nonrelevant ones beat one relevant item on top.",
        source=AMIGO,
        build=depth_against_top,
        lengths=tuple(range(2, 61)),
        decide=at_some_length,
        ranks=lambda n: 2 * n,
    ),
    DrawnAxiom(
        name="Conf",
        title="confidence",
        statement="One more item that is not relevant to any topic lowers the value.",
        source=AMIGO,
        draw=confidence,
        least=2,
    ),
    DrawnAxiom(
        name="QAspDiv",
        title="query aspect diversity",
        statement="If an item becomes relevant to one more topic, which no other item has, the value rises.",
        source=AMIGO,
        draw=one_more_topic,
        least=1,
    ),
    DrawnAxiom(
        name="Red",
        title="redundancy",
        statement="After items of one topic, an item of a new topic is worth more than one more of the same, if the topics are "
        "equally important and the items equally relevant.",
        source=AMIGO,
        draw=redundancy,
        least=2,
    ),
    DrawnAxiom(
        name="MRed",
        title="monotonic redundancy",
        statement="After items that cover one topic at least as much as another, and some of them more, an item of the other "
        "is worth more than one more of the first.",
        source=AMIGO,
        draw=monotonic_redundancy,
        least=2,
    ),
    LengthAxiom(
        name="Sat",
        title="aspect relevance saturation",
        statement="After some number of relevant items of a topic, one more does not raise the value.",
        source=AMIGO,
        build=one_more_of_a_topic,
        lengths=tuple(range(1, 61)),
        decide=no_worse_at_some_length,
        ranks=lambda n: n + 1,
        any_grade=True,
    ),
    DrawnAxiom(
        name="AspRel",
        title="aspect relevance",
        statement="After a list that covers two topics equally, an item of the topic that weighs more is worth more.",
        source=AMIGO,
        draw=heavier_topic,
        least=1,
    ),
)
