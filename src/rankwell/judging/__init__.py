"""Judging with little work: what to judge next, random samples and estimates from them, sheets, models as judges, merged judgements.

``next`` chooses a batch, a ``Chooser`` one item after each answer, and ``simulate`` compares the methods of choosing; ``sample`` draws at
random, for ``estimate``; a ``sheet`` takes answers, and ``merge`` joins those of several judges; ``prompts`` asks a model, and ``answers`` reads what
it said. ``correct`` says what lists of a relevant item and a sample of the others tell of all candidates.
"""

from __future__ import annotations

from rankwell.judging.candidates import Corrected, Correction, correct
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
    "Answers", "Chooser", "Chosen", "Corrected", "Correction", "Estimated", "Merged", "Pick", "Prompts", "Sample", "Settling", "Sheet",
    "Simulation", "answers", "correct", "estimate", "merge", "next", "prompts", "sample", "sheet", "simulate",
]  # fmt: skip
