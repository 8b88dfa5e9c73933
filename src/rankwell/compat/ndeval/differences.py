"""Where the output differs on purpose from that of ndeval, and why."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from rankwell.compat.ndeval.options import Options
from rankwell.compat.ndeval.reading import Judgements

# what, what the program does, what is printed here
ALL = (
    ("nNRBP of a topic without a relevant document", "divides 0 by 0 and prints -nan, for amean too", "0, as its other values"),
    ("nNRBP with -alpha 0 -beta 1", "divides 0 by 0 and prints -nan", "0, as NRBP"),
    ("amean when no topic of the run is judged", "divides 0 by 0 and prints -nan", "nan"),
    ("a line of the judgements twice", "counts a relevant document twice in MAP-IA", "counts it once"),
    ("two lines that contradict each other", "counts the subtopic, whichever line it takes", "the last line counts"),
    ("gains equal on paper, with -alpha such as .9", "rounding errors choose in the ideal list", "the last id is chosen (no note tells)"),
    ("a value halfway between two printed ones*", "rounding errors choose", "rounded as if computed exactly"),
    ("a difference from a baseline, 0 on paper*", "may print -0.000000", "prints 0.000000"),
    ("ERR-IA, alpha-DCG at rank 1 (not printed)", "leaves out the division by the ideal ideal", "divides"),
    ("a topic of the run without a number", "takes the next word of the line, if a number", "refuses the line"),
    ("-traditional and a score that is no number", "takes the digits it begins with, or any number", "refuses the line"),
    ("an option's value that is no number", "takes the digits it begins with, or ignores it", "refuses it"),
    ("numbers of subtopics about a million", "may crash", "takes them"),
    ("a NUL byte", "loses the rest of the line, or crashes", "refuses the file"),
    ("compressed files, byte-order marks, standard input (-)", "does not read them", "reads them"),
    ("-help", "prints its manual", "prints one of its own words"),
)  # fmt: skip


def table() -> str:
    """Return all differences as a table."""
    from rankwell.display.table import Column, Table

    columns = [Column("where"), Column("ndeval"), Column("rankwell ndeval")]
    note = "* but in NRBP, MAP-IA, P-IA and strec, where the last bit is the program's"
    return Table(columns, ALL, notes=[note]).to_text(None, False) + "\n"


def notes(options: Options, judgements: Judgements, topics: Iterable[int], count: int) -> list[str]:
    """Return what is printed as defined for these topics, which are judged; means are over ``count`` topics."""
    told = []
    if not all(judgements.subtopics[topic] for topic in topics):
        told.append("nNRBP of topics without a relevant document")
    if options.alpha == 0 and options.beta == 1:
        told.append("nNRBP with -alpha 0 -beta 1")
    if judgements.is_repeated:
        told.append("judgements of one document and subtopic twice")
    if not count:
        told.append("amean when no topic of the run is judged")
    return told


def of_rounding(columns: np.ndarray, values: np.ndarray, is_noise: np.ndarray) -> list[str]:
    """Return in which columns rounding errors of the program may be seen: halfway between two values, or in the sign of 0."""
    is_half = np.abs(np.abs(values) * 1e6 % 1 - 0.5) < 1e-8
    kinds = (
        (is_half, "values halfway between two that are printed"),
        (is_noise, "differences that are 0 on paper"),
    )
    return [f"{what} ({', '.join(columns[mask.any(axis=0)])})" for mask, what in kinds if mask.any()]
