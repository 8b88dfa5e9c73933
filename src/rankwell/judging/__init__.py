"""Judging with little work: what to judge next, samples and estimates from them, sheets, models as judges, and merged judgements.

``next`` chooses, ``simulate`` compares ways to choose; ``sample`` draws, for ``estimate``; ``merge`` joins what a ``sheet`` took.
"""

from __future__ import annotations

from rankwell.judging.chooser import Chooser, Pick
from rankwell.judging.choosing import next  # noqa: A004 - rw.judging.next
from rankwell.judging.chosen import Chosen
from rankwell.judging.estimating import Estimated, Sample, estimate, sample
from rankwell.judging.merging import Merged, merge
from rankwell.judging.prompting import Answers, Prompts, answers, prompts
from rankwell.judging.settling import Settling
from rankwell.judging.sheets import Sheet, sheet
from rankwell.judging.simulating import simulate
from rankwell.judging.simulation import Simulation

__all__ = [
    "Answers",
    "Chooser",
    "Chosen",
    "Estimated",
    "Merged",
    "Pick",
    "Prompts",
    "Sample",
    "Settling",
    "Sheet",
    "Simulation",
    "answers",
    "estimate",
    "merge",
    "next",
    "prompts",
    "sample",
    "sheet",
    "simulate",
]
