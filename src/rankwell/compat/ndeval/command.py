"""A drop-in replacement for NIST's ndeval: the same arguments, files, output and exit codes (``rankwell ndeval``).

Every number is a metric of rankwell; this package reads, sorts, names and prints. Where the program's own value is an
accident (0 divided by 0, a line counted twice), the defined value is printed, with a note on standard error.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rankwell import __version__
from rankwell.compat.ndeval.options import HELP, Options, parse
from rankwell.display.output import printing
from rankwell.errors import RankwellError, UsageError

DONE, WRONG = 0, 1
USAGE = "usage: rankwell ndeval [options] qrels run (see -help)\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    code = DONE
    try:
        with printing("Leave stdout open."):
            code = _run(sys.argv[1:] if arguments is None else arguments)
    except RankwellError as error:
        usage = USAGE if isinstance(error, UsageError) else ""
        sys.stderr.write(f"ndeval: {error}\n{usage}")
        return WRONG
    except KeyboardInterrupt:
        return 130
    return code


def _run(arguments: Sequence[str]) -> int:
    options = parse(arguments)
    if options.wants == "version":
        sys.stdout.write(f"ndeval: version 4.5 (rankwell {__version__})\n")
    elif options.wants == "differences":
        from rankwell.compat.ndeval.values import table

        sys.stdout.write(table())
    elif options.wants == "help":
        sys.stdout.write(HELP)
    else:
        _evaluate(options)
    return DONE


def _evaluate(options: Options) -> None:
    from rankwell.compat.ndeval.values import print_table, read_judgements, read_lists

    judgements, run = read_judgements(options.files[0]), read_lists(options.files[1], options)
    baseline = None if options.baseline is None else read_lists(options.baseline, options)
    table, notes = print_table(options, judgements, run, baseline)
    sys.stdout.flush()
    sys.stdout.buffer.write(table)
    sys.stdout.buffer.flush()
    if notes:
        noted = "; ".join(notes)
        sys.stderr.write(
            f"ndeval: note: as defined, not as the program computes it: {noted} (see -differences)\n"
        )
