"""The `rankwell` command: answers --version at once and hands everything else to the command line."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command and return its exit code."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from rankwell import __version__

        print(f"rankwell {__version__}")
        return 0
    if sys.argv[1:2] == ["trec_eval"]:
        from rankwell.compat.trec_eval import main as trec_eval

        return trec_eval(sys.argv[2:])
    if sys.argv[1:2] == ["ndeval"]:
        from rankwell.compat.ndeval import main as ndeval

        return ndeval(sys.argv[2:])
    try:
        from rankwell.cli import run
    except KeyboardInterrupt:
        return 130
    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
