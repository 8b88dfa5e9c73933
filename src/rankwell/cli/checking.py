"""The command ``lint``."""

from __future__ import annotations

import json
from typing import Annotated, Literal

from cyclopts import Parameter

from rankwell import __version__
from rankwell.cli.application import FOUND, app
from rankwell.cli.words import numbers
from rankwell.display.output import refuse_overwriting, write
from rankwell.errors import UsageError
from rankwell.judge.policy import Policy
from rankwell.readers.standard_input import STDIN


@app.command
def lint(
    qrels: Annotated[str, Parameter(help="judgements; ``-`` for standard input, ``none`` for none")],
    run: Annotated[str, Parameter(help="the run")],
    /,
    *runs: Annotated[str, Parameter(help="more runs", show_default=False)],
    items: Annotated[str | None, Parameter(help="the catalogue, a table with an item column")] = None,
    train: Annotated[str | None, Parameter(help="what the system learned from")] = None,
    k: Annotated[int, Parameter(help="the depth at which unjudged items are counted")] = 10,
    scale: Annotated[str | None, Parameter(help="the grades that are allowed: ``0,1,2,3``")] = None,
    metric: Annotated[
        str, Parameter(name=["--metric", "-m"], help="the metric whose change is told")
    ] = "ndcg@10",
    cleaned_copies: Annotated[
        str | None,
        Parameter(
            help="also write cleaned copies of runs and judgements into this folder: without repeated items and white space "
            "around ids, lists in order; the originals stay as they are"
        ),
    ] = None,
    format: Annotated[  # noqa: A002 - the word of the option
        Literal["text", "json", "github"], Parameter(help="what is printed")
    ] = "text",
    output: Annotated[
        str | None, Parameter(name=["--output", "-o"], help="write here instead of stdout")
    ] = None,
    policy: Annotated[Policy, Parameter(name="*")] = Policy(),  # noqa: B008 - a frozen value
) -> int:
    """Say what is wrong with runs and judgements, what it does to a metric, and what to do; exit 1 if something is.

    Example: ``rankwell lint qrels.txt bm25.run dense.run``
    """
    from rankwell.inspection.linting import lint as look

    sources = [qrels, run, *runs, *(each for each in (items, train) if each)]
    if sources.count(STDIN) > 1:
        raise UsageError("standard input can be read only once; name a file for the others.")
    if output is not None:
        refuse_overwriting(output, sources)
    found = look(
        [run, *runs],
        None if qrels == "none" else qrels,
        items=items,
        train=train,
        k=k,
        scale=numbers(scale, "--scale"),
        metric=metric,
        policy=policy,
        cleaned_copies=cleaned_copies,
    )
    if format == "json":
        text = json.dumps(
            {"rankwell": __version__, "wrong": found.is_wrong, "findings": found.to_dicts()},
            ensure_ascii=False,
            indent=2,
        )
    else:
        text = str(found) if format == "text" else found.to_github()
    write(text, output)
    return FOUND if found.is_wrong else 0
