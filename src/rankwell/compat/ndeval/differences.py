"""Intended differences from the output of ndeval, and their reasons."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from rankwell.compat.ndeval.options import Options
from rankwell.compat.ndeval.reading import Judgements

# where, what the program does, what is printed here
ALL = (
    ("nNRBP of a topic without a relevant document", "divides 0 by 0 and prints -nan, for amean too", "0, as its other values"),
    ("nNRBP with -alpha 0 -beta 1", "divides 0 by 0 and prints -nan", "0, as NRBP"),
    ("amean when no topic of the run is judged", "divides 0 by 0 and prints -nan", "nan"),
    ("a repeated line of the judgements", "counts a relevant document twice in MAP-IA", "counts it once"),
    ("two lines that contradict each other", "counts the subtopic, whichever line it uses", "the last line counts"),
    ("gains equal in theory, with -alpha such as .9", "rounding errors decide in the ideal list", "the last id is chosen (without a note)"),
    ("a value halfway between two printed ones*", "rounding errors decide", "rounded as if computed exactly"),
    ("a difference from a baseline, 0 in theory*", "may print -0.000000", "prints 0.000000"),
    ("ERR-IA, alpha-DCG at rank 1 (not printed)", "leaves out the division by the ideal ideal", "divides"),
    ("a topic of the run without a number", "reads the next word of the line, if a number", "refuses the line"),
    ("-traditional and a score that is not a number", "reads its leading digits, or any number", "refuses the line"),
    ("an option's value that is not a number", "reads its leading digits, or ignores it", "refuses it"),
    ("subtopic numbers of about a million", "may crash", "reads them"),
    ("a NUL byte", "loses the rest of the line, or crashes", "refuses the file"),
    ("compressed files, byte-order marks, standard input (-)", "does not read them", "reads them"),
    ("-help", "prints its manual", "prints a manual in other words"),
)  # fmt: skip


def table() -> str:
    """Return all differences as a table."""
    from rankwell.display.table import Column, Table

    columns = [Column("where"), Column("ndeval"), Column("rankwell ndeval")]
    note = "* except in NRBP, MAP-IA, P-IA and strec, whose last bit is the program's"
    return Table(columns, ALL, notes=[note]).to_text(None, False) + "\n"


def notes(options: Options, judgements: Judgements, topics: Iterable[int], count: int) -> list[str]:
    """Return what is printed as defined for these judged topics; means are over ``count`` topics."""
    found = []
    if not all(judgements.subtopics[topic] for topic in topics):
        found.append("nNRBP of topics without a relevant document")
    if options.alpha == 0 and options.beta == 1:
        found.append("nNRBP with -alpha 0 -beta 1")
    if judgements.is_repeated:
        found.append("judgements of one document and subtopic twice")
    if not count:
        found.append("amean when no topic of the run is judged")
    return found


def of_rounding(columns: np.ndarray, values: np.ndarray, is_noise: np.ndarray) -> list[str]:
    """Return the columns in which the program's rounding errors may show: halfway between two values, or in the sign of 0."""
    is_half = np.abs(np.abs(values) * 1e6 % 1 - 0.5) < 1e-8
    kinds = (
        (is_half, "values halfway between two printed ones"),
        (is_noise, "differences that are 0 in theory"),
    )
    return [f"{what} ({', '.join(columns[mask.any(axis=0)])})" for mask, what in kinds if mask.any()]
