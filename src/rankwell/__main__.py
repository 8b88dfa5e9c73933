"""The programs rankwell, rankwell-trec_eval and rankwell-ndeval: what a process that lives for one command can do without.

Only here are settings of the whole process changed; ``import rankwell`` changes none.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from contextlib import suppress

OBJECTS = 1_000_000  # made between two searches for garbage; one command makes little garbage, and then ends


def rankwell() -> None:
    """Run the command line, and end the process."""
    _run(main)


def trec_eval() -> None:
    """Run NIST's trec_eval, and end the process."""
    _run(lambda: main(["trec_eval", *sys.argv[1:]]))


def ndeval() -> None:
    """Run NIST's ndeval, and end the process."""
    _run(lambda: main(["ndeval", *sys.argv[1:]]))


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    if given in (["--version"], ["-V"]):
        return _tell_version()
    try:
        if given[:1] == ["trec_eval"]:
            from rankwell.compat.trec_eval import main as trec_eval

            return trec_eval(given[1:])
        if given[:1] == ["ndeval"]:
            from rankwell.compat.ndeval import main as ndeval

            return ndeval(given[1:])
        from rankwell.cli import run
    except KeyboardInterrupt:
        return 130
    return run(given)


def _tell_version() -> int:
    from rankwell import __version__

    try:
        print(f"rankwell {__version__}", flush=True)
    except BrokenPipeError:
        return 0  # the reader has gone away
    except OSError as error:
        sys.stderr.write(f"rankwell: stdout: cannot be written ({error.strerror}).\n")
        return 3
    return 0


def _run(command: Callable[[], int]) -> None:
    # Threads of OpenBLAS, which no metric keeps busy, wait for work by spinning; what the user says wins.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(OBJECTS)
    code = command()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            with suppress(
                OSError
            ):  # what commands print is flushed and told before; here nobody is left to be told
                stream.flush()
    os._exit(code)  # the system frees memory faster than Python finds out what to free


if __name__ == "__main__":
    rankwell()
