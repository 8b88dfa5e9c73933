"""The command ``lint``."""

from __future__ import annotations

import json
from typing import Annotated, Literal, get_args

from rankwell import __version__
from rankwell.cli.commands import FOUND
from rankwell.cli.option import DATA, OUTPUT, Option
from rankwell.cli.options import Form, Output, PolicyRules, form_of, refuse_files
from rankwell.cli.words import numbers
from rankwell.display.output import in_form, write
from rankwell.judge.policy import Policy

LintForm = Literal[Form, "github"]


def lint(
    qrels: Annotated[
        str, Option(help="the judgements: a file, ``-`` for standard input, or ``none`` if there are none")
    ],
    run: Annotated[str, Option(help="the run")],
    /,
    *runs: Annotated[str, Option(help="more runs")],
    items: Annotated[
        str | None, Option(group=DATA, help="the catalogue: a table with an item column")
    ] = None,
    train: Annotated[str | None, Option(group=DATA, help="the training data")] = None,
    k: Annotated[int, Option(help="the depth at which unjudged items are counted")] = 10,
    scale: Annotated[str | None, Option(help="the grades that are allowed: ``0,1,2,3``")] = None,
    metric: Annotated[
        str, Option(name=("--metric", "-m"), help="the metric on which the effect of a finding is shown")
    ] = "ndcg@10",
    cleaned_copies: Annotated[
        str | None,
        Option(
            group=OUTPUT,
            help="also write cleaned copies of runs and judgements into this folder: without repeated items and white space "
            "around ids, lists in order; the originals stay as they are",
        ),
    ] = None,
    format: Annotated[  # noqa: A002 - the word of the option
        LintForm | None,
        Option(group=OUTPUT, help="the output format, by default that of the suffix of the output"),
    ] = None,
    output: Output = None,
    policy: PolicyRules = Policy(),  # noqa: B008 - a frozen value
) -> int:
    """Find problems in runs and judgements, their effect on a metric, and the remedy; exit 1 if anything is wrong.

    Example: ``rankwell lint qrels.txt bm25.run dense.run``
    """
    from rankwell.inspection.linting import lint as checked

    form = form_of(format, output, get_args(LintForm))
    refuse_files([qrels, run, *runs, *(each for each in (items, train) if each)], [output])
    found = checked(
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
    if form == "json":
        text: str = json.dumps(
            {"rankwell": __version__, "wrong": found.is_wrong, "findings": found.to_dicts()},
            ensure_ascii=False,
            indent=2,
        )
    elif form in ("text", "github"):
        text = str(found) if form == "text" else found.to_github()
    else:
        text = in_form([found.to_table()], form)
    write(text, output)
    return FOUND if found.is_wrong else 0
