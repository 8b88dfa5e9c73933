# Made by tools/make_names.py; do not edit.
# ruff: noqa: A004, I001, RUF022, RUF100
from rankwell.judging.prompting import Answers as Answers
from rankwell.judging.chooser import Chooser as Chooser
from rankwell.judging.chosen import Chosen as Chosen
from rankwell.judging.candidates import Corrected as Corrected
from rankwell.judging.candidates import Correction as Correction
from rankwell.judging.estimating import Estimated as Estimated
from rankwell.judging.merging import Merged as Merged
from rankwell.judging.chooser import Pick as Pick
from rankwell.judging.prompting import Prompts as Prompts
from rankwell.judging.estimating import Sample as Sample
from rankwell.judging.settling import Settling as Settling
from rankwell.judging.sheets import Sheet as Sheet
from rankwell.judging.simulation import Simulation as Simulation
from rankwell.judging.prompting import answers as answers
from rankwell.judging.candidates import correct as correct
from rankwell.judging.estimating import estimate as estimate
from rankwell.judging.merging import merge as merge
from rankwell.judging.choosing import next as next
from rankwell.judging.prompting import prompts as prompts
from rankwell.judging.estimating import sample as sample
from rankwell.judging.sheets import sheet as sheet
from rankwell.judging.simulating import simulate as simulate

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
