"""A drop-in replacement for NIST's trec_eval: the same arguments, files, output and exit codes (``rankwell trec_eval``).

Every number is a metric of rankwell under trec_eval's policy; this package names, sorts and prints. Where the program's own
value is an accident (uninitialised memory, a read beyond an array), the defined value is printed, with a note on standard
error.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rankwell import __version__
from rankwell.compat.trec_eval import differences, measures, output
from rankwell.compat.trec_eval.evaluated import Evaluated, evaluated
from rankwell.compat.trec_eval.judgements import read_judgements
from rankwell.compat.trec_eval.makers import Settings
from rankwell.compat.trec_eval.options import Options, parse
from rankwell.display.output import printing
from rankwell.errors import DataError, InputError, NothingInCommonError, RankwellError, UsageError
from rankwell.readers.files import File
from rankwell.readers.formats.trec import read_run_of_program
from rankwell.readers.standard_input import with_standard_input
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
        raise _Exit(USAGE, str(error), output.USAGE) from error
    if options.wants == "version":
        sys.stderr.write(f"trec_eval version {options.version} (rankwell {__version__})\n")
        return DONE
    if options.wants == "differences":
        sys.stdout.write(differences.table())
        return DONE
    if options.wants == "help" and not options.measures:
        sys.stdout.write(output.HELP)
        return DONE
    if not options.wants and len(options.files) != 2:
        raise _Exit(USAGE, output.USAGE)
    try:
        wanted = measures.chosen(options.measures or ("official",), options.version)
        if options.wants == "help":
            from rankwell.compat.trec_eval.manual import manual_of

            sys.stdout.write(manual_of(wanted, Settings(options.level, options.version, options.collection)))
            return DONE
    except UsageError as error:
        raise _Exit(USAGE, str(error)) from error
    if options.rel_format not in measures.FORMATS:
        raise _Exit(INPUT, f"Illegal rel_format '{options.rel_format}'")
    if options.results_format != "trec_results":
        raise _Exit(INPUT, f"Illegal retrieval results format '{options.results_format}'")
    _evaluate(options, wanted)
    return DONE


def _evaluate(options: Options, wanted: dict[str, str | None]) -> None:
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
        run, tag = read_run_of_program(file), output.tag_of(file)
        zscores = output.read_zscores(options.zscores) if options.zscores else None
    except RankwellError as error:
        raise _Exit(INPUT, str(error), f"Quit in file '{lists}'") from error
    # after both files, as a file that cannot be read has its own exit code
    misplaced = measures.misplaced(wanted, options.rel_format)
    if misplaced is not None:
        raise _Exit(EVALUATION, f"Can't calculate measure '{misplaced}' from -R {options.rel_format}")
    try:
        found = evaluated(options, judged, run, lambda settings: measures.lines(wanted, settings))
    except NothingInCommonError as error:
        raise _Exit(NOTHING if options.version == 9 else EVALUATION, str(error)) from error
    except (UsageError, InputError) as error:
        raise _Exit(INPUT, str(error)) from error
    except DataError as error:
        raise _Exit(_blame(run), str(error)) from error
    _print(options, found, output.Output(found, tag=tag, zscores=zscores))


def _blame(run: Run) -> int:
    """Return the exit code for a run that cannot be read, or that was read but cannot be evaluated."""
    try:
        return EVALUATION if len(run.rows.table().item) else INPUT
    except RankwellError:
        return INPUT


def _print(options: Options, found: Evaluated, printed: output.Output) -> None:
    if options.version == 10 and not options.complete and found.missing:
        first = found.missing[0]
        if options.per_query:
            printed.topics([topic for topic in found.topics if topic < first])
        raise _Exit(
            EVALUATION,
            f"result qid '{first}' not found in results: the run lacks {len(found.missing):,} of "
            f"{len(found.missing) + len(found.topics):,} judged topics. -c counts them as 0; --version-of 9 leaves them out.",
        )
    if options.per_query:
        printed.topics(found.topics)
    if options.summary:
        printed.summary()
    for note in differences.notes(options, found):
        sys.stderr.write(f"trec_eval: note: {note}\n")
