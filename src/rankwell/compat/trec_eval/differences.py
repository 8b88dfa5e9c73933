"""Intended differences from the numbers of trec_eval, and their reasons."""

from __future__ import annotations

from rankwell.compat.trec_eval.evaluated import Evaluated
from rankwell.compat.trec_eval.options import Options

# where, the versions, what the program does, what is printed here
ALL = (
    ("gains such as 1=0.2,2=0.9", "9, 10", "sorts gains by the integer part of their difference, so the ideal list is wrong",
     "the ideal list sorted by gain"),
    ("rbp of grades above 1", "10", "reads an uninitialised minimum and maximum, so the value depends on the other measures",
     "grades as shares of the topic's highest"),
    ("rbp with gains such as 1=3,2=9", "10", "scales them by the same minimum and maximum",
     "scaled by the lowest and highest gain of the topic's grades, unless all are within 0 to 1"),
    ("rbp_resid", "10", "prints 0 if nothing is unjudged, otherwise includes the tail of the list", "always includes the tail"),
    ("bpref with -l above the grades", "9, 10", "reads beyond an array", "documents judged below the level are nonrelevant"),
    ("-l below 0", "9, 10", "counts unjudged documents as relevant", "counts judged documents only"),
    ("prefs_avgjg_Rnonrel of a topic with a group without a relevant document (_ret: none retrieved)", "9, 10",
     "divides 0 by 0 and prints 0 for the topic", "0 for that group, the others count"),
    ("Rnonrel with several nonrelevant levels", "9, 10", "reads beyond the documents of the lowest level",
     "the first of these documents in the list, whatever their level"),
    ("comments", "9", "reads them as lines", "every line that begins with # is skipped"),
    ("comments", "10", "fails on two lines in a row, or one at the end", "every line that begins with # is skipped"),
    ("a first topic whose grades are all below 0", "9, 10", "stops with an error", "0, as for such a topic elsewhere"),
    ("-J or -M 0 and a list without a document left", "9, 10", "prints nan or -nan for iprec_at_recall and 11pt_avg",
     "prints 0"),
    ("Rndcg with -l 0", "9, 10", "prints nan or -nan for a topic whose grades are all 0", "prints 0"),
    ("-D above 0", "9, 10", "also prints what the measures compute on their way", "prints the values"),
    ("-M below 0", "9, 10", "counts a negative number of documents", "is refused"),
    ("recall levels outside 0 to 1, set_F below 0", "9, 10", "computes a number", "are refused"),
    ("a run of comments or blank lines only", "9, 10", "reads memory that it never set", "is refused, exit code 2"),
    ("judgements given twice in a topic that the run lacks", "9", "does not look at them", "are refused, exit code 4"),
    ("the same level given twice in a sub-group of preferences", "9, 10", "counts its preferences twice",
     "is refused, exit code 4"),
    ("a document of level 0 in one sub-group of preferences, and above 0 in another of its group", "9, 10",
     "stops at that topic, exit code 4, or not at all if no measure looks at it", "is refused at once, exit code 4"),
    ("preferences of two sub-groups that contradict each other", "9, 10", "aborts", "are refused, exit code 4"),
    ("output that cannot be written", "9, 10", "does not look", "is an error, exit code 8"),
    ("a score that is not a number", "9, 10", "reads it as 0, or as nan", "refuses the line"),
    ("a whole number above 2^53 as a score", "9, 10", "rounds it, so that it may tie with its neighbours", "refuses the line"),
    ("ids that are not UTF-8", "9, 10", "compares their bytes", "refuses them"),
    ("utility with a fourth coefficient and no -N", "9, 10", "assumes a collection of 0 documents", "requires -N"),
    ("help", "9, 10", "prints its manual", "prints a manual in other words"),
)  # fmt: skip


def table() -> str:
    """Return all differences as a table."""
    from rankwell.display.table import Column, Table

    columns = [Column("where"), Column("version"), Column("trec_eval"), Column("rankwell trec_eval")]
    return Table(columns, ALL).to_text(None, False) + "\n"


def notes(options: Options, found: Evaluated) -> list[str]:
    """Return one line that names the values of this run that are printed as defined, if there are any."""
    names = {line.name for line in found.lines}
    said = []
    if found.notes:
        said.append(
            f"as defined, not as the program computes it: {'; '.join(found.notes)} (see --differences)"
        )
    if options.complete and options.level != 1 and "num_rel" in names:
        said.append(
            "num_rel of all topics counts every grade above 0, whatever -l is, as the program does with -c"
        )
    return said
