"""Judging with little work: what to judge next, random samples and estimates from them, sheets, models as judges, merged judgements.

``next`` chooses a batch, a ``Chooser`` one item after each answer, and ``simulate`` compares the methods of choosing; ``sample`` draws at
random, for ``estimate``; a ``sheet`` takes answers, and ``merge`` joins those of several judges; ``prompts`` asks a model, and ``answers`` reads what
it said. ``correct`` says what lists of a relevant item and a sample of the others tell of all candidates.
"""

from __future__ import annotations

from rankwell.faces import Commands, face

COMMANDS = Commands("Prepare and judge", 2.5, "judging", "Judge as little as a comparison needs")
# public names, and the modules that they are imported from on first use
HOMES = {
    "Answers": "rankwell.judging.model_answers",
    "Chooser": "rankwell.judging.choice",
    "Chosen": "rankwell.judging.choice",
    "Corrected": "rankwell.judging.correction",
    "Correction": "rankwell.judging.correction",
    "Estimated": "rankwell.judging.estimates",
    "Merged": "rankwell.judging.consensus",
    "Pick": "rankwell.judging.choice",
    "Prompts": "rankwell.judging.model_prompts",
    "Sample": "rankwell.judging.samples",
    "Settling": "rankwell.judging.choice",
    "Sheet": "rankwell.judging.sheets",
    "Simulation": "rankwell.judging.simulation",
    "answers": "rankwell.judging.model_answers",
    "correct": "rankwell.judging.correction",
    "estimate": "rankwell.judging.estimates",
    "merge": "rankwell.judging.consensus",
    "next": "rankwell.judging.choice",
    "prompts": "rankwell.judging.model_prompts",
    "sample": "rankwell.judging.samples",
    "sheet": "rankwell.judging.sheets",
    "simulate": "rankwell.judging.simulation",
}
__all__ = sorted(HOMES)  # noqa: PLE0605 - names of a table
__getattr__, __dir__ = face(__name__, HOMES)
