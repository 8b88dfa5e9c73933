"""Judging with little work: what to judge next, random samples and estimates from them, sheets, models as judges, merged judgements.

``next`` chooses a batch, a ``Chooser`` one item after each answer, and ``simulate`` compares the methods of choosing; ``sample`` draws at
random, for ``estimate``; a ``sheet`` takes answers, and ``merge`` joins those of several judges; ``prompts`` asks a model, and ``answers`` reads what
it said. ``correct`` says what lists of a relevant item and a sample of the others tell of all candidates.
"""

from __future__ import annotations

from rankwell.faces import face

# public names, and the modules that they are imported from on first use
HOMES = {
    "Answers": "rankwell.judging.prompting",
    "Chooser": "rankwell.judging.chooser",
    "Chosen": "rankwell.judging.chosen",
    "Corrected": "rankwell.judging.candidates",
    "Correction": "rankwell.judging.candidates",
    "Estimated": "rankwell.judging.estimating",
    "Merged": "rankwell.judging.merging",
    "Pick": "rankwell.judging.chooser",
    "Prompts": "rankwell.judging.prompting",
    "Sample": "rankwell.judging.estimating",
    "Settling": "rankwell.judging.settling",
    "Sheet": "rankwell.judging.sheets",
    "Simulation": "rankwell.judging.simulation",
    "answers": "rankwell.judging.prompting",
    "correct": "rankwell.judging.candidates",
    "estimate": "rankwell.judging.estimating",
    "merge": "rankwell.judging.merging",
    "next": "rankwell.judging.choosing",
    "prompts": "rankwell.judging.prompting",
    "sample": "rankwell.judging.estimating",
    "sheet": "rankwell.judging.sheets",
    "simulate": "rankwell.judging.simulating",
}

__all__ = sorted(HOMES)  # noqa: PLE0605 - names of a table
__getattr__, __dir__ = face(__name__, HOMES)
