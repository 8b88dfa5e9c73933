"""Facts: what holds for all parts of a streamed evaluation, told by the surveys of its tables before the first part."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankwell.evaluation.inputs import Inputs
from rankwell.evaluation.streaming.survey import Surveys
from rankwell.matching.context import Context
from rankwell.matching.pool import Together, scale_of_levels, without_topics
from rankwell.matching.scale import Scale
from rankwell.matching.train import Everyone, History
from rankwell.records import record
from rankwell.tables.ids import Ids, Known
from rankwell.tables.ranked import NO_ROWS
from rankwell.tables.states import Amounts

NO_IDS = Ids.of_integers(NO_ROWS)


@record(slots=True)
class Ends:
    """The highest grade, and the lowest and the highest of those that are judgements; None if there is none."""

    top: float | None = None
    lowest: float | None = None
    highest: float | None = None

    @classmethod
    def of(cls, grades: np.ndarray, scale: Scale) -> Ends:
        """Return the ends of some grades."""
        if not len(grades):
            return cls()
        judged = grades[scale.judged(grades)]
        ends = (float(judged.min()), float(judged.max())) if len(judged) else (None, None)
        return cls(float(grades.max()), *ends)

    def __add__(self, other: Ends) -> Ends:
        """Return the ends of the grades of both."""
        tops, lows, highs = (
            [each for each in pair if each is not None]
            for pair in ((self.top, other.top), (self.lowest, other.lowest), (self.highest, other.highest))
        )
        return Ends(max(tops, default=None), min(lows, default=None), max(highs, default=None))


@record(eq=False)
class Facts:
    """The scale and the ends of the grades, the items judged for anybody, and what training users share."""

    scale: Scale
    ends: Ends = Ends()
    judged: Ids = NO_IDS
    topics: Known | None = None
    grades: Amounts | None = None
    everyone: Everyone | None = None

    @classmethod
    def of(cls, inputs: Inputs, surveys: Surveys) -> Facts:
        """Return what the survey of the judgements tells; UsageError or NeededError as ``rankwell.matching.pool_of`` does."""
        survey = surveys.get("qrels")
        if survey is None:
            return cls(Scale())
        scale = scale_of_levels(survey.levels, inputs.asked, inputs.opened["qrels"])
        asker = inputs.asked.by_need.get("topics")
        if (
            asker is not None
            and (survey.topics is None or len(survey.topics) < 2)
            and "subgroup" not in survey.empty
        ):
            raise without_topics(inputs.opened["qrels"].name, asker, has_column="topic" in survey.empty)
        grades = np.ones(1) if scale.kind == "interactions" or survey.levels is None else survey.levels[0]
        judged = NO_IDS if survey.items is None else survey.items
        topics = (
            None
            if asker is None or survey.topics is None
            else Known(survey.topics[survey.topics.text_order()])
        )
        return cls(scale, Ends.of(grades, scale), judged, topics)

    def together(self) -> Together:
        """Return what all judgements tell together."""
        lowest, highest = (np.nan if end is None else end for end in (self.ends.lowest, self.ends.highest))
        return Together(self.judged, lowest, highest, self.topics, self.grades)

    def context(self, context: Context, *, needs_lowest: bool) -> Context:
        """Return the context of all parts; the training data of each are put in later."""
        everyone = self.everyone
        train = None
        if everyone is not None:
            nobody = Known(NO_IDS), np.zeros(1, np.int64), NO_ROWS, np.empty(0)
            train = History(*nobody, everyone.catalogue, known=everyone)
        lowest = self.ends.lowest if needs_lowest else None
        return replace(context, scale=self.scale, grade_max=self.ends.top, grade_min=lowest, train=train)
