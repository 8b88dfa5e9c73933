"""The commands that answer as other tools do: ``trec_eval``, ``ndeval``."""

from __future__ import annotations

from typing import Annotated

from rankwell.cli.option import Option


def trec_eval(
    *arguments: Annotated[str, Option(hyphens=True, help="the arguments of trec_eval; -h lists them")],
) -> int:
    """Print what NIST's trec_eval prints for the same arguments.

    Example: ``rankwell trec_eval -q -m all_trec qrels.txt bm25.run``
    """
    from rankwell.compat.trec_eval import main

    return main(arguments)


def ndeval(
    *arguments: Annotated[str, Option(hyphens=True, help="the arguments of ndeval; -help lists them")],
) -> int:
    """Print what NIST's ndeval prints for the same arguments.

    Example: ``rankwell ndeval -c qrels.txt bm25.run``
    """
    from rankwell.compat.ndeval import main

    return main(arguments)
