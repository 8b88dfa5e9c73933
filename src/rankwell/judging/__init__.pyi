# Made by tools/make_names.py; do not edit.
# ruff: noqa: A004, I001, RUF022, RUF100
from rankwell.judging.model_answers import Answers as Answers
from rankwell.judging.choice import Chooser as Chooser
from rankwell.judging.choice import Chosen as Chosen
from rankwell.judging.correction import Corrected as Corrected
from rankwell.judging.correction import Correction as Correction
from rankwell.judging.estimates import Estimated as Estimated
from rankwell.judging.consensus import Merged as Merged
from rankwell.judging.choice import Pick as Pick
from rankwell.judging.model_prompts import Prompts as Prompts
from rankwell.judging.samples import Sample as Sample
from rankwell.judging.choice import Settling as Settling
from rankwell.judging.sheets import Sheet as Sheet
from rankwell.judging.simulation import Simulation as Simulation
from rankwell.judging.model_answers import answers as answers
from rankwell.judging.correction import correct as correct
from rankwell.judging.estimates import estimate as estimate
from rankwell.judging.consensus import merge as merge
from rankwell.judging.choice import next as next
from rankwell.judging.model_prompts import prompts as prompts
from rankwell.judging.samples import sample as sample
from rankwell.judging.sheets import sheet as sheet
from rankwell.judging.simulation import simulate as simulate

__all__ = [
    "Answers",
    "Chooser",
    "Chosen",
    "Corrected",
    "Correction",
    "Estimated",
    "Merged",
    "Pick",
    "Prompts",
    "Sample",
    "Settling",
    "Sheet",
    "Simulation",
    "answers",
    "correct",
    "estimate",
    "merge",
    "next",
    "prompts",
    "sample",
    "sheet",
    "simulate",
]
