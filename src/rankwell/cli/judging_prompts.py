"""The command ``judging prompts``."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

from rankwell.cli.arguments import DATA, OUTPUT, Option
from rankwell.cli.options import ItemText, QueryTexts, Reading, refuse_files
from rankwell.cli.words import share_of, split
from rankwell.display.escaping import printable


def judging_prompts(
    pairs: Annotated[
        str,
        Option(
            help="what to judge: the file of ``judging next`` or ``judging sample``, or judgements in any form, whose grades are not told"
        ),
    ],
    /,
    *,
    model: Annotated[str, Option(help="the name of the model, which requests and judgements carry")],
    items: Annotated[str, Option(group=DATA, help="a table of items with their texts (title, text …)")],
    queries: QueryTexts = None,
    text: ItemText = None,
    grades: Annotated[
        str | None,
        Option(
            help="the scale: ``0-3``, or with labels ``'0=not relevant,1=relevant'``; default: 0 to 3 as in TREC's Deep Learning tracks"
        ),
    ] = None,
    guidelines: Annotated[str | None, Option(help="a text file with what judges have to know")] = None,
    template: Annotated[
        str | None,
        Option(
            help="a text file with {query} and {item}, or {query_json} and {item_json}, {grades}, {numbers}, {guidelines}; a line ``---`` "
            "parts the message of the system from the user's; default: rankwell's own"
        ),
    ] = None,
    form: Annotated[
        Literal["openai", "anthropic", "plain"],
        Option(help="the form of the requests: what the batches of one of these take, or plain messages"),
    ] = "openai",
    repeats: Annotated[str, Option(help="the share of pairs that are asked twice, such as ``10%``")] = "0%",
    seed: Annotated[int, Option(help="of the repeats")] = 0,
    output: Annotated[
        str,
        Option(
            name=("--output", "-o"),
            group=OUTPUT,
            help="the requests, a JSON object a line; the key to them is beside it",
        ),
    ] = "batch.jsonl",
    reading: Reading = Reading(),
) -> None:
    """Write requests to a model that judges pairs of query and item, which you send; rankwell calls no model.

    Beside batch.jsonl stands batch.key.json, with which ``judging answers`` reads what the model said.

    Example: ``rankwell judging prompts next.tsv --model some-model --queries queries.tsv --items items.parquet -o batch.jsonl``
    """
    from rankwell.judging import prompts
    from rankwell.judging.model_prompts import key_beside

    key = key_beside(output)
    given = [each for each in (pairs, items, queries, guidelines, template) if each is not None]
    refuse_files(given, [output, str(key)])
    found = prompts(
        pairs, model=model, items=items, queries=queries, text=None if text is None else split(text), grades=grades,
        guidelines=guidelines, template=template, form=form, repeats=share_of(repeats, "--repeats"), seed=seed,
        read=reading.of_qrels, encoding=reading.encoding,
    )  # fmt: skip
    found.save(output)
    sys.stderr.write(
        f"rankwell: note: wrote {len(found):,} requests to {printable(output)} (prompt {found.prompt}), and the key to {printable(str(key))}.\n"
    )
    for note in found.notes():
        sys.stderr.write(f"rankwell: note: {printable(note)}.\n")
