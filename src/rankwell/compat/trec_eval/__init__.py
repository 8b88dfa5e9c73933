"""A drop-in for NIST's trec_eval: the same arguments, files, output and exit codes (``rankwell trec_eval``).

Every number is a metric of rankwell under trec_eval's policy; this package names, orders and prints. Where the program's
own value is an accident (memory that nobody set, a read beyond an array) the defined one is printed, and a line on
standard error says so.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from rankwell import __version__
from rankwell.arguments import with_standard_input
from rankwell.compat.trec_eval import differences, measures, output
from rankwell.compat.trec_eval.options import Options, parse
from rankwell.errors import InputError, RankwellError, UsageError
from rankwell.evaluation import Evaluator
from rankwell.policy import Policy
from rankwell.readers import read_qrels, read_run
from rankwell.readers.files import File
from rankwell.results import Results
from rankwell.tables import Qrels, Run

DONE, USAGE, INPUT, EVALUATION, NOTHING = 0, 1, 2, 4, 7


class _Exit(Exception):
    """A message and an exit code; what was printed before stays."""

    def __init__(self, code: int, *messages: str) -> None:
        self.code, self.messages = code, messages


def main(arguments: Sequence[str]) -> int:
    """Run the command and return its exit code."""
    try:
        return _run(arguments)
    except _Exit as end:
        for message in end.messages:
            sys.stderr.write(f"trec_eval: {message}\n")
        return end.code
    except BrokenPipeError:
        sys.stderr.close()
        return DONE
    except KeyboardInterrupt:
        return 130


def _run(arguments: Sequence[str]) -> int:
    try:
        options = parse(with_standard_input(arguments))
    except UsageError as error:
        raise _Exit(USAGE, str(error), output.USAGE) from error
    if options.wants == "version":
        sys.stderr.write(f"trec_eval version {options.version} (rankwell {__version__})\n")
        return DONE
    if options.wants:
        sys.stdout.write(output.HELP if options.wants == "help" else differences.table())
        return DONE
    if len(options.files) != 2:
        raise _Exit(USAGE, output.USAGE)
    try:
        wanted = measures.chosen(options.measures or ("official",), options.version)
    except UsageError as error:
        raise _Exit(USAGE, str(error)) from error
    if options.rel_format != "qrels":
        raise _Exit(INPUT, f"Illegal rel_format '{options.rel_format}'; 'qrels' is what is read here")
    if options.results_format != "trec_results":
        raise _Exit(INPUT, f"Illegal retrieval results format '{options.results_format}'")
    _evaluate(options, wanted)
    return DONE


def _evaluate(options: Options, wanted: dict[str, str | None]) -> None:
    qrels, run, tag = _read(options)
    grades = tuple(np.unique(qrels.grade).tolist()) if qrels.grade is not None else ()
    settings = measures.Settings(options.level, options.version, options.collection, grades)
    try:
        lines = measures.lines(wanted, settings)
        zscores = output.read_zscores(options.zscores) if options.zscores else None
    except UsageError as error:
        raise _Exit(INPUT, str(error)) from error
    res = _results(options, qrels, run, lines)
    retrieved = res.values(differences.JUDGED[0]) > 0
    present = [str(query) for query, has_list in zip(res.queries, retrieved, strict=True) if has_list]
    judged = sorted({str(query) for query in qrels.query.tolist()})
    missing = sorted(set(judged) - set(present))
    printed = output.Output(lines, res, tag=tag, zscores=zscores)
    if options.version == 10 and not options.complete and missing:
        if options.per_query:
            printed.topics([query for query in res.queries if str(query) < missing[0]])
        raise _Exit(
            EVALUATION,
            f"result qid '{missing[0]}' not found in results: the run lacks {len(missing):,} of {len(judged):,} judged topics. "
            f"-c counts them as 0; --version-of 9 leaves them out.",
        )
    if not retrieved.any() and options.version == 9:
        raise _Exit(NOTHING, "No queries with both results and relevance info")
    if options.per_query:
        printed.topics(res.queries if options.version == 10 else present)
    if options.summary:
        printed.summary()
    for note in differences.notes(options, lines, res, missing=bool(missing)):
        sys.stderr.write(f"trec_eval: note: {note}\n")


def _read(options: Options) -> tuple[Qrels, Run, str]:
    """The judgements with whole grades, the run, and its tag."""
    judgements, lists = options.files
    try:
        read = read_qrels(judgements, format_in="trec")
    except RankwellError as error:
        raise _Exit(INPUT, str(error), f"Quit in file '{judgements}'") from error
    rows = np.arange(len(read.item))
    if options.topic is not None:
        rows = np.flatnonzero([query == options.topic for query in read.query.tolist()])
        if not len(rows):
            raise _Exit(NOTHING, "No queries with both results and relevance info")
    assert read.grade is not None
    qrels = Qrels(read.query[rows], read.item[rows], np.trunc(read.grade[rows]), name=read.name)
    try:
        file = File(lists)
        return qrels, read_run(file, format_in="trec"), output.tag_of(file)
    except RankwellError as error:
        raise _Exit(INPUT, str(error), f"Quit in file '{lists}'") from error


def _results(options: Options, qrels: Qrels, run: Run, lines: Sequence[measures.Printed]) -> Results:
    wanted = [metric for line in lines for metric in (line.metric, *line.text) if metric is not None]
    try:
        policy = Policy(
            grades="judgements",
            undefined="zero",
            population="judged",
            scores="single" if options.version == 9 else "double",
            missing="empty" if options.complete else "skip",
            unjudged="condense" if options.judged_only else "nonrelevant",
            depth=options.depth,
        )
        return Evaluator(qrels, list(dict.fromkeys([*differences.JUDGED, *wanted])), policy=policy).evaluate(
            run
        )
    except InputError as error:
        raise _Exit(INPUT, str(error), f"Quit in file '{options.files[1]}'") from error
    except RankwellError as error:
        raise _Exit(EVALUATION, str(error)) from error
