"""The eight axioms for recommendation of Parapar and Radlinski (2021): four as paraphrased by an article, four transposed."""

from __future__ import annotations

from rankwell.inspection.axioms.amigo import (
    FIRST,
    LONG,
    SECOND,
    depth_against_top,
    heavier_topic,
    top_against_depth,
)
from rankwell.inspection.axioms.kinds import (
    Axiom,
    DrawnAxiom,
    LengthAxiom,
    at_some_length,
    from_some_length_on,
)
from rankwell.inspection.axioms.situations import GRADED, Draw, Item, Situation, copies, mirrored, pair
from rankwell.matching.policy import Policy

PARAPAR = "J. Parapar and F. Radlinski, Towards unified metrics for accuracy and diversity for recommender systems, RecSys 2021"
PARAPHRASED = f"{PARAPAR}, as paraphrased by an article"
TRANSPOSED = f"{PARAPAR}; transposed from the axioms for search, as the text of the article was not available"
LIKED = 2  # the lowest grade of a liked item, in axioms about dislike
COPIES = 25  # items of a topic after which it counts as saturated


def _about(topics: list[int], grade: int | None) -> Item:
    return Item(dict.fromkeys(topics, grade))


def _some_topics(draw: Draw, count: int) -> list[int]:
    first = draw.below(count)
    return [first, *(topic for topic in range(count) if topic != first and draw.below(2))]


def preferred_first(draw: Draw) -> Situation:
    """Swap two items of the same topics of which the less preferred is ranked higher."""
    count = draw.one((1, 2, 3, 4))
    topics = _some_topics(draw, count)
    low, high = (_about(topics, grade) for grade in draw.two(GRADED))
    before, between, after = draw.parts(3, lambda: draw.item(range(count)), taken=2)
    weights = draw.weights(count)
    return pair([before, [high], between, [low], after], [before, [low], between, [high], after], weights)


def preferred_near_the_top(draw: Draw) -> Situation:
    """Within a topic: swap the higher or the lower of two equal pairs; or move a liked item up past others."""
    count = draw.one((1, 2, 3, 4))
    topics = _some_topics(draw, count)
    lower, higher = draw.two(GRADED)
    low, high, low_too, high_too = (_about(topics, grade) for grade in (lower, higher, lower, higher))
    if draw.below(2):
        before, after = draw.parts(2, lambda: draw.item(range(count)), taken=3)
        passed = [_about(topics, 0) for _ in range(1 + draw.below(2))]
        better, worse = [before, [high], passed, after], [before, passed, [high], after]
    else:
        before, between, after = draw.parts(3, lambda: draw.item(range(count)), taken=4)
        better = [before, [high, low], between, [low_too, high_too], after]
        worse = [before, [low, high], between, [high_too, low_too], after]
    return pair(better, worse, draw.weights(count))


def uncovered_topic(draw: Draw) -> Situation:
    """After many strong items of a topic, add a preferred item of it or a less preferred item of an uncovered topic."""
    lower, higher = draw.two(GRADED[1:])
    strong = copies(GRADED[-1])[: COPIES if draw.cut is None else min(COPIES, draw.cut - 1)]
    better, worse = [strong, [Item({SECOND: lower})]], [strong, [Item({FIRST: higher})]]
    return mirrored(pair(better, worse, draw.weights(2)))


def unrated_instead(draw: Draw) -> Situation:
    """Replace a disliked item by an unrated one of the same topics."""
    count = draw.one((1, 2, 3, 4))
    topics = _some_topics(draw, count)
    disliked, unrated = _about(topics, draw.below(LIKED)), _about(topics, None)
    before, after = draw.parts(2, lambda: draw.item(range(count)), taken=1)
    both = pair([before, [unrated], after], [before, [disliked], after], draw.weights(count))
    return Situation(both.better, both.worse, both.weights, (Item({FIRST: GRADED[-1]}),))


def in_a_profile(situation: Situation) -> Situation:
    """Return the same lists for a user who likes another topic as well."""
    return mirrored(Situation(situation.better, situation.worse, (2, 1)))


def one_more_liked_topic(draw: Draw) -> Situation:
    """Give one item, rated the same for all its topics, a topic that no other item of the list has."""
    count = draw.one((1, 2, 3))
    topics, grade = _some_topics(draw, count), 1 + draw.below(3)
    before, after = draw.parts(2, lambda: draw.item(range(count)), taken=1)
    less, more = _about(topics, grade), _about([*topics, count], grade)
    return pair([before, [more], after], [before, [less], after], draw.weights(count + 1))


AXIOMS: tuple[Axiom, ...] = (
    DrawnAxiom(
        name="P1",
        title="priority inside an aspect",
        statement="Of two items of the same topics the preferred one belongs first: swapping them accordingly raises the value.",
        source=PARAPHRASED,
        draw=preferred_first,
        least=2,
    ),
    DrawnAxiom(
        name="P2",
        title="deepness inside an aspect",
        statement="The same correct swap of items of the same topics is worth more nearer the top, and a liked item that moves "
        "up past disliked ones raises the value.",
        source=PARAPHRASED,
        draw=preferred_near_the_top,
        least=4,
    ),
    DrawnAxiom(
        name="P3",
        title="non-priority on a saturated aspect",
        statement=f"After {COPIES} strong items of a topic, a less preferred item of an uncovered topic of the profile is worth "
        "more than a more preferred one of the same topic.",
        source=PARAPHRASED,
        draw=uncovered_topic,
        least=2,
    ),
    DrawnAxiom(
        name="P4",
        title="missing over non-relevant",
        statement=f"Replacing a disliked item (grade below {LIKED}) by an unrated one of the same topics raises the value.",
        source=PARAPHRASED,
        draw=unrated_instead,
        least=1,
        policy=Policy(grades="ratings", rel=LIKED, missing="skip"),
    ),
    LengthAxiom(
        name="P5",
        title="top-heaviness threshold",
        statement="Within a topic, from some n on, one liked item on top beats n liked items after n disliked ones.",
        source=TRANSPOSED,
        second_hand=True,
        build=lambda grade, n: in_a_profile(top_against_depth(grade, n)),
        lengths=LONG,
        decide=from_some_length_on,
    ),
    LengthAxiom(
        name="P6",
        title="minimal exploration",
        statement="Within a topic, for some n ≥ 2, n liked items after n disliked ones beat one liked item on top.",
        source=TRANSPOSED,
        second_hand=True,
        build=lambda grade, n: in_a_profile(depth_against_top(grade, n)),
        lengths=tuple(range(2, 61)),
        decide=at_some_length,
        ranks=lambda n: 2 * n,
    ),
    DrawnAxiom(
        name="P7",
        title="aspect relevance",
        statement="After a list that covers two topics equally, an item of the topic that the user likes more is worth more.",
        source=TRANSPOSED,
        second_hand=True,
        draw=heavier_topic,
        least=1,
    ),
    DrawnAxiom(
        name="P8",
        title="aspect diversity",
        statement="If an item has one more topic of the profile, which no other item has, the value rises.",
        source=TRANSPOSED,
        second_hand=True,
        draw=one_more_liked_topic,
        least=1,
    ),
)
