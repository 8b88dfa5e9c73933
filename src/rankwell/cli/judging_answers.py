"""The command ``judging answers``."""

from __future__ import annotations

import math
import sys
from typing import Annotated

from rankwell.cli.arguments import OUTPUT, Option
from rankwell.cli.options import refuse_files
from rankwell.display.escaping import printable


def judging_answers(
    key: Annotated[
        str, Option(help="the key that ``judging prompts`` wrote beside the requests: batch.key.json")
    ],
    file: Annotated[
        str, Option(help="what the model answered: a JSON object a line, as batches return them")
    ],
    /,
    *files: Annotated[str, Option(help="more answers to the same requests")],
    date: Annotated[str, Option(help="the day on which the model answered, such as 2026-11-25")] = "",
    output: Annotated[
        str,
        Option(
            name=("--output", "-o"),
            group=OUTPUT,
            help="the judgements: ``.csv`` with model, prompt and date, or ``.txt`` or ``.qrels`` for TREC",
        ),
    ] = "model.csv",
) -> None:
    """Read what a model answered to requests as judgements; refusals, grades outside the scale and ties are counted, and never 0.

    How far the model agrees with people is what ``agreement`` says; means that its errors do not bias are those of
    ``rw.prediction_powered``.

    Example: ``rankwell judging answers batch.key.json out.jsonl --date 2026-11-25 -o model.csv``
    """
    from rankwell.judging import answers
    from rankwell.judging.model_answers import refuse_suffix

    refuse_suffix(output)
    refuse_files([key, file, *files], [output])
    found = answers(key, file, *files, date=date)
    found.save(output)
    again = f"; {found.repeats:,} more are of repeats" if found.repeats else ""
    sys.stderr.write(
        f"rankwell: note: wrote {len(found):,} judgements of {found.requests:,} requests to {printable(output)}{again}.\n"
    )
    same = found.self_agreement
    if not math.isnan(same):
        sys.stderr.write(f"rankwell: note: the model agrees with itself on {same:.0%} of the repeats.\n")
    for note in found.notes():
        sys.stderr.write(f"rankwell: note: {printable(note)}.\n")
