"""The command line: each command parses, calls one function of the library, and prints."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rankwell.cli.commands import BAD_DATA, INTERRUPTED, USAGE, command
from rankwell.cli.words import as_options
from rankwell.display.escaping import printable
from rankwell.display.output import make_safe, printing
from rankwell.errors import DataError, DataWarning, InputError, RankwellError

# commands that are parsed without Cyclopts, which takes longer to load than they may take
PLAIN = ("evaluate",)
EXPERIMENTS = ("evaluate", "compare", "gate", "report")  # what an experiment file can say


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code: 0 success, 1 lint found a problem, 2 wrong usage, 3 bad data.

    An error is one line on stderr.
    """
    make_safe(sys.stderr, "backslashreplace")
    try:
        with printing(), warnings_shown():
            return _run(arguments) or 0
    except (DataError, InputError) as error:
        return _fail(str(error), BAD_DATA)
    except RankwellError as error:
        return _fail(str(error), USAGE)
    except KeyboardInterrupt:
        return _fail("interrupted.", INTERRUPTED)
    except MemoryError:
        return _fail(
            "not enough memory for these data; ask for fewer metrics or use a machine with more.", BAD_DATA
        )
    return 0


def _run(arguments: Sequence[str]) -> int | None:
    if arguments and arguments[0] == "report":
        from rankwell.cli.words import with_command

        arguments = with_command(arguments)
    if "-" in arguments:
        from rankwell.readers.standard_input import with_standard_input

        arguments = with_standard_input(arguments)
    if arguments and arguments[0] in EXPERIMENTS and _names_experiment(arguments[1:]):
        from rankwell.cli.experiment import with_experiment

        arguments = with_experiment(arguments)
    if arguments and arguments[0] in PLAIN:
        from rankwell.cli.plain import parsed

        function = command(arguments[0])
        found = parsed(function, arguments[1:])
        if found is not None:
            positional, given = found
            return function(*positional, **given)
    from rankwell.cli import parser

    return parser.run(arguments)


def _names_experiment(rest: Sequence[str]) -> bool:
    return "--experiment" in rest or (bool(rest) and rest[0].endswith(".toml"))


@contextmanager
def warnings_shown() -> Iterator[None]:
    """Print warnings about the data at once, a line each, in front of the numbers."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", DataWarning)
        others = warnings.showwarning

        def show(message: Any, category: Any, *rest: Any) -> None:
            if not issubclass(category, DataWarning):
                others(message, category, *rest)
                return
            for line in str(message).splitlines():
                sys.stderr.write(f"rankwell: note: {printable(as_options(line))}\n")

        warnings.showwarning = show  # type: ignore[assignment]
        yield


def _fail(message: str, code: int) -> int:
    sys.stderr.write(f"rankwell: {printable(as_options(' '.join(message.split())))}\n")
    return code
