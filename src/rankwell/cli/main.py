"""The command line: each command parses, calls one function of the library, and prints."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

from cyclopts import CycloptsError

from rankwell.cli.application import BAD_DATA, COMMANDS, INTERRUPTED, PREPARE, USAGE, app, prepare
from rankwell.cli.words import as_options
from rankwell.display.escaping import printable
from rankwell.display.output import make_safe, printing
from rankwell.errors import DataError, InputError, RankwellError
from rankwell.readers.standard_input import with_standard_input

__all__ = ["app", "run"]


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code: 0 success, 1 lint found a problem, 2 wrong usage, 3 bad data.

    An error is one line on stderr.
    """
    make_safe(sys.stderr, "backslashreplace")
    code = None
    if not set(arguments) & (COMMANDS.keys() | PREPARE.keys()):
        # help lists all commands with their first sentences, which are in their modules
        app.resolved_commands()
        prepare.resolved_commands()
    try:
        with printing():
            code = app(with_standard_input(arguments), print_error=False, exit_on_error=False)
    except CycloptsError as error:
        shown = re.sub(r"\w{100,}", lambda word: f"{word[0][:40]}…", str(error))
        return _fail(f"{shown} `rankwell --help` shows how.", USAGE)
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
    return code if isinstance(code, int) else 0


def _fail(message: str, code: int) -> int:
    sys.stderr.write(f"rankwell: {printable(as_options(' '.join(message.split())))}\n")
    return code
