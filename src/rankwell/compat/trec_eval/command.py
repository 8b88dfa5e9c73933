"""A drop-in replacement for NIST's trec_eval: the same arguments, files, output and exit codes (``rankwell trec_eval``).

Every number is a metric of rankwell under trec_eval's policy; this package names, sorts and prints. Where the program's own
value is an accident (uninitialised memory, a read beyond an array), the defined value is printed, with a note on standard
error.
"""

from __future__ import annotations

import inspect
import math
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path

import numpy as np

from rankwell import __version__
from rankwell.compat.trec_eval.measures import (
    BY_GROUP,
    FORMATS,
    MEASURES,
    NICKNAMES,
    GainRBP,
    PrintedLine,
    Settings,
    first_misplaced,
    lines_of,
    select_measures,
)  # fmt: skip
from rankwell.compat.trec_eval.options import Options, parse
from rankwell.compat.trec_eval.values import TopicTable, evaluate_lines, read_judgements
from rankwell.display.output import printing
from rankwell.errors import DataError, InputError, NothingInCommonError, RankwellError, UsageError
from rankwell.metrics.diversity.by_topic import ByTopic
from rankwell.metrics.metric import Metric
from rankwell.metrics.parameters import value_text
from rankwell.readers.bytes.files import File
from rankwell.readers.bytes.paths import with_standard_input
from rankwell.readers.formats.trec import read_run_of_program
from rankwell.tables.run_qrels import Run

DONE, USAGE, INPUT, EVALUATION, NOTHING, PRINTING = 0, 1, 2, 4, 7, 8


class _Exit(Exception):
    """A message and an exit code; output printed before is kept."""

    def __init__(self, code: int, *messages: str) -> None:
        self.code, self.messages = code, messages


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    code = DONE
    try:
        with printing("Leave stdout open."):
            code = _run_whole(sys.argv[1:] if arguments is None else arguments)
    except InputError as error:
        sys.stderr.write(f"trec_eval: {error}\n")
        return PRINTING
    except KeyboardInterrupt:
        return 130
    return code


def _run_whole(arguments: Sequence[str]) -> int:
    try:
        return _run(arguments)
    except _Exit as end:
        for message in end.messages:
            sys.stderr.write(f"trec_eval: {message}\n")
        return end.code


def _run(arguments: Sequence[str]) -> int:
    try:
        options = parse(with_standard_input(arguments))
    except UsageError as error:
        raise _Exit(USAGE, str(error), USAGE_TEXT) from error
    if options.wants == "version":
        sys.stderr.write(f"trec_eval version {options.version} (rankwell {__version__})\n")
        return DONE
    if options.wants == "differences":
        sys.stdout.write(table())
        return DONE
    if options.wants == "help" and not options.measures:
        sys.stdout.write(HELP)
        return DONE
    if not options.wants and len(options.files) != 2:
        raise _Exit(USAGE, USAGE_TEXT)
    try:
        parameters = select_measures(options.measures or ("official",), options.version)
        if options.wants == "help":
            sys.stdout.write(
                manual_of(parameters, Settings(options.level, options.version, options.collection))
            )
            return DONE
    except UsageError as error:
        raise _Exit(USAGE, str(error)) from error
    if options.rel_format not in FORMATS:
        raise _Exit(INPUT, f"Illegal rel_format '{options.rel_format}'")
    if options.results_format != "trec_results":
        raise _Exit(INPUT, f"Illegal retrieval results format '{options.results_format}'")
    _evaluate(options, parameters)
    return DONE


def _evaluate(options: Options, parameters: dict[str, str | None]) -> None:
    judgements, lists = options.files
    try:
        judged = read_judgements(options, judgements)
    except NothingInCommonError as error:
        raise _Exit(NOTHING, str(error)) from error
    except InputError as error:
        raise _Exit(INPUT, str(error), f"Quit in file '{judgements}'") from error
    except DataError as error:
        raise _Exit(EVALUATION, str(error)) from error
    try:
        file = File(lists)
        run, tag = read_run_of_program(file), tag_of(file)
        zscores = read_zscores(options.zscores) if options.zscores else None
    except RankwellError as error:
        raise _Exit(INPUT, str(error), f"Quit in file '{lists}'") from error
    # after both files, as a file that cannot be read has its own exit code
    misplaced = first_misplaced(parameters, options.rel_format)
    if misplaced is not None:
        raise _Exit(EVALUATION, f"Can't calculate measure '{misplaced}' from -R {options.rel_format}")
    try:
        table = evaluate_lines(options, judged, run, lambda settings: lines_of(parameters, settings))
    except NothingInCommonError as error:
        raise _Exit(NOTHING if options.version == 9 else EVALUATION, str(error)) from error
    except (UsageError, InputError) as error:
        raise _Exit(INPUT, str(error)) from error
    except DataError as error:
        raise _Exit(_blame(run), str(error)) from error
    _print(options, table, Output(table, tag=tag, zscores=zscores))


def _blame(run: Run) -> int:
    """Return the exit code for a run that cannot be read, or that was read but cannot be evaluated."""
    try:
        return EVALUATION if len(run.rows.table().item) else INPUT
    except RankwellError:
        return INPUT


def _print(options: Options, table: TopicTable, printed: Output) -> None:
    if options.version == 10 and not options.complete and table.missing:
        first = table.missing[0]
        if options.per_query:
            printed.topics([topic for topic in table.topics if topic < first])
        raise _Exit(
            EVALUATION,
            f"result qid '{first}' not found in results: the run lacks {len(table.missing):,} of "
            f"{len(table.missing) + len(table.topics):,} judged topics. -c counts them as 0; --version-of 9 leaves them out.",
        )
    if options.per_query:
        printed.topics(table.topics)
    if options.summary:
        printed.summary()
    for note in notes(options, table):
        sys.stderr.write(f"trec_eval: note: {note}\n")


# trec_eval's output: one line per topic and measure, and one for all topics.

MISSING_ZSCORE = -1_000_000.0
TAIL = 1 << 16
USAGE_TEXT = "usage: rankwell trec_eval [-q] [-c] [-n] [-l level] [-M depth] [-m measure[.parameters]]... qrels run (see -h)"
HELP = f"""rankwell trec_eval [options] qrels run

Evaluates a run against judgements and prints what NIST's trec_eval prints, byte for byte. The run may be '-', standard
input.

  -q, --query_eval_wanted          also print the values of each topic
  -m, --measure NAME[.PARAMETERS]  a measure or a group, may be repeated; parameters are separated by commas (P.5,10)
  -c, --complete_rel_info_wanted   mean over all judged topics; those missing from the run count as 0
  -l, --level_for_rel N            the lowest grade of a relevant document (1)
  -n, --nosummary                  no line for all topics
  -M, --Max_retrieved_per_topic N  only the first N documents of each topic
  -J, --Judged_docs_only           remove unjudged documents from the lists
  -N, --Number_docs_in_coll N      the size of the collection (for utility)
  -Z, --Zscore FILE                print z-scores, by lines of topic, measure, mean and standard deviation
  -D, --Debug_level N[.TOPIC]      only this topic
  -R, --Rel_info_format FORMAT     qrels, qrels_jg (column 2 is the assessor), prefs (topic, group, sub-group, document,
                                   level), qrels_prefs (judgements read as preferences)
  -T, --Results_format trec_results
  -v, --version
  -h, --help                       this help; with -m the manual of the measures
  --version-of 10|9|9.0.8          the version whose numbers to reproduce (10); 9 reads scores as 32-bit floats, as the
                                   program did up to 9.0.7, 9.0.8 as doubles
  --differences                    intended differences from the program's numbers, and their reasons

groups: {", ".join(NICKNAMES)}
measures: {", ".join(MEASURES)}
"""
Zscores = Mapping[tuple[str, str], tuple[float, float]]


class Output:
    """The lines of one evaluation."""

    def __init__(self, found: TopicTable, *, tag: str, zscores: Zscores | None) -> None:
        self.found, self.tag, self.is_scaled = found, tag, zscores is not None
        self.place = {topic: row for row, topic in enumerate(found.topics)}
        if zscores is not None:
            self._scale(zscores)

    def _scale(self, zscores: Zscores) -> None:
        """Turn values into z-scores, and means into means of z-scores."""
        found = self.found
        found.totals.clear()
        ones = np.ones(len(found.topics))
        for line in found.lines:
            if line.name in found.columns:
                found.columns[line.name] = self._scaled(line.name, found.columns[line.name], zscores)
        found.columns["num_q"] = ones
        found.add_totals()

    def _scaled(self, name: str, values: np.ndarray, zscores: Zscores) -> np.ndarray:
        scaled = np.full(len(values), MISSING_ZSCORE)
        for topic, row in self.place.items():
            mean, deviation = zscores.get((topic, name), (math.nan, 0.0))
            if deviation:
                scaled[row] = (values[row] - mean) / deviation
            elif values[row] == mean:
                scaled[row] = 0.0
        return scaled

    def topics(self, topics: Iterable[str]) -> None:
        """Print the lines of each topic."""
        shown = [line for line in self.found.lines if not line.is_summary]
        parts = []
        for topic in topics:
            row = self.place[topic]
            for line in shown:
                is_text = line.kind == "text"
                value = (
                    f"'{self.found.texts[line.name][row]}'" if is_text else self.found.columns[line.name][row]
                )
                parts.append(self._line(line, topic, value))
        sys.stdout.write("".join(parts))

    def summary(self) -> None:
        """Print the lines for all topics."""
        lines = [line for line in self.found.lines if line.kind != "text" or line.is_summary]
        totals: dict[str, float | str] = {**self.found.totals, "runid": self.tag}
        totals["num_q"] = float(self.found.n)
        sys.stdout.write("".join(self._line(line, "all", totals[line.name]) for line in lines))

    def _line(self, line: PrintedLine, topic: str, value: float | str) -> str:
        if isinstance(value, str):
            return f"{line.name:<22}\t{topic}\t{value}\n"
        if self.is_scaled:
            return f"Z{line.name:<22}\t{topic}\t{value:6.4f}\n"
        if line.kind == "count":
            return f"{line.name:<22}\t{topic}\t{int(value)}\n"
        return f"{line.name:<22}\t{topic}\t{0.0 if math.isnan(value) else value:6.4f}\n"


def read_zscores(path: str) -> dict[tuple[str, str], tuple[float, float]]:
    """Return mean and standard deviation by topic and measure.

    Raises
    ------
    UsageError
        If the file cannot be read or a line is not ``topic measure mean deviation``.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"Cannot read zscores file '{path}' ({error})") from error
    scores = {}
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            query, name, mean, deviation = line.split()
            scores[query, name] = float(mean), float(deviation)
        except ValueError:
            raise UsageError(
                f"{path}:{number}: a line of z-scores must be: topic measure mean deviation"
            ) from None
    return scores


def tag_of(file: File) -> str:
    """Return the tag of a run: the sixth word of its last line."""
    text = file.tail(TAIL)
    for line in reversed(text.decode("utf-8", "replace").splitlines()):
        words = line.split()
        if len(words) >= 6 and not line.startswith("#"):
            return words[5]
    return ""


# The manual of ``-h -m NAME``: what a measure computes, its parameters, and its metric in rankwell.

WIDTH, INDENT = 110, " " * 14
CUTS = "ranks, whole numbers from 1"
PAIRS = "pairs of grade and gain, such as 1=3,2=9; other grades are their own gain"
PARAMETERS = {
    **dict.fromkeys(("P", "recall", "ndcg_cut", "map_cut", "relative_P", "success", "unj", "P_avgjg"), CUTS),
    **dict.fromkeys(("iprec_at_recall", "11pt_avg"), "recall levels, 0 to 1"),
    **dict.fromkeys(("Rprec_mult", "Rprec_mult_avgjg"), "multiples of R, the number of relevant documents"),
    **dict.fromkeys(("G", "dcg", "ideal_dcg", "ndcg", "ndcg_rel", "Rndcg"), PAIRS),
    "rbp": "p=, the probability of continuing; pairs of grade and gain, such as 1=0.5,2=1",
    "set_F": "β², the weight of recall relative to precision",
    "utility": "four prices: of relevant and other documents retrieved, relevant and other ones not retrieved (with -N)",
    "relstring": "the number of ranks",
}  # fmt: skip
# measures without a metric
SENTENCES = {
    "runid": "The name of the run: the last word of its last line.",
    "num_q": "The number of topics behind the values for all topics.",
    "relstring": "The grades of the first ranks, one character each: a digit, > above 9, - for an unjudged document, . for a "
    "grade below 0.",
}  # fmt: skip
OF_ALL = {
    "count": "their sum",
    "log": "their geometric mean, with each value at least 0.00001",
    "real": "their mean",
}


def manual_of(measures: Mapping[str, str | None], settings: Settings) -> str:
    """Return the descriptions of measures, one after another.

    Raises
    ------
    UsageError
        For an invalid parameter of a measure.
    """
    return "\n".join(_measure(name, parameter, settings) for name, parameter in measures.items())


def _measure(name: str, parameter: str | None, settings: Settings) -> str:
    lines = MEASURES[name](name, parameter, settings)
    parts = [name, textwrap.fill(_sentence(name, lines), WIDTH, initial_indent="  ", subsequent_indent="  ")]
    for title, value in _facts(name, lines):
        text = value if title == "formula" else textwrap.fill(value, WIDTH - len(INDENT))
        parts.append(f"  {title:<12}" + textwrap.indent(text, INDENT).lstrip())
    return "\n".join(parts).replace("``", "") + "\n"


def _sentence(name: str, lines: list[PrintedLine]) -> str:
    """The description of a measure: that of its metric, or the one given here."""
    metric = next((line.metric for line in lines if line.metric is not None), None)
    if metric is None:
        return SENTENCES.get(name, "0, as a multiple of R of at most 0 ends before the first document.")
    plain = metric.metric if isinstance(metric, ByTopic) else metric
    from rankwell.inspection.explanation import card  # a manual needs it, and no value

    text = card(_with_docstring(plain)).sentence
    if type(_with_docstring(plain)) is not type(plain):
        text += f" {card(plain).sentence}"
    return text + " The mean over the judgement groups of a topic." if name in BY_GROUP else text


def _facts(name: str, lines: list[PrintedLine]) -> Iterator[tuple[str, str]]:
    """The metric, its parameters, the value for all topics, and the metric's formula and edge cases."""
    metric = next((line.metric for line in lines if line.metric is not None), None)
    if metric is not None and type(metric) is not GainRBP:
        yield (
            "metric",
            ", ".join(f"{line.name} is {0 if line.metric is None else line.metric}" for line in lines),
        )
    yield "parameters", PARAMETERS.get(name, "none")
    if lines[0].kind != "text":
        own = "no line per topic; " if lines[0].is_summary else ""
        yield "all topics", own + ("their number" if name == "num_q" else OF_ALL[lines[0].kind])
    if metric is None:
        return
    from rankwell.inspection.explanation import card

    sections = card(_with_docstring(metric)).sections
    if "Formula" in sections:
        yield "formula", sections["Formula"]
    switches = [f.name for f in fields(metric) if f.name != "k" and getattr(metric, f.name) != f.default]
    for line in sections.get("Parameters", "").splitlines():
        name, _, meaning = line.partition(": ")
        if name in switches:
            yield "with", f"{name}={value_text(getattr(metric, name))}: {name} is {meaning}"
    if "Edge cases" in sections and type(_with_docstring(metric)) is type(metric):
        zero = " An undefined value is printed as 0, and counts." if metric.undefined == "judgements" else ""
        yield "edge cases", " ".join(sections["Edge cases"].split()) + zero


def _with_docstring(metric: Metric) -> Metric:
    """Return the metric, or the nearest base class whose docstring has a formula."""
    for cls in type(metric).__mro__:
        if "\nFormula\n" in inspect.cleandoc(cls.__doc__ or ""):
            found: Metric = cls()
            return found
    return metric


# Intended differences from the numbers of trec_eval, and their reasons.

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


def notes(options: Options, table: TopicTable) -> list[str]:
    """Return one line that names the values of this run that are printed as defined, if there are any."""
    names = {line.name for line in table.lines}
    lines = []
    if table.notes:
        lines.append(
            f"as defined, not as the program computes it: {'; '.join(table.notes)} (see --differences)"
        )
    if options.complete and options.level != 1 and "num_rel" in names:
        lines.append(
            "num_rel of all topics counts every grade above 0, whatever -l is, as the program does with -c"
        )
    return lines
