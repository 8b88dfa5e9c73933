"""The command ``lint``."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from rankwell import __version__
from rankwell.cli.arguments import DATA, OUTPUT, Option
from rankwell.cli.commands import FOUND
from rankwell.cli.options import (
    Form,
    Output,
    PolicyPairs,
    QueryTexts,
    Reading,
    ReadingPairs,
    form_of,
    refuse_files,
)
from rankwell.cli.words import as_options, numbers
from rankwell.display.findings import Finding, Findings
from rankwell.display.output import in_form, write
from rankwell.errors import UsageError
from rankwell.matching.policy import Policy

if TYPE_CHECKING:
    from rankwell.readers.bytes.files import File
    from rankwell.tables.collections import Collection

LintForm = Literal[Form, "github"]


def lint(
    qrels: Annotated[
        str | None,
        Option(help="the judgements: a file, ``-`` for standard input, or ``none`` if there are none"),
    ] = None,
    run: Annotated[str | None, Option(help="the run; a collection can be checked without one")] = None,
    /,
    *runs: Annotated[str, Option(help="more runs")],
    items: Annotated[
        str | None,
        Option(
            group=DATA,
            help="the catalogue: a table with an item column; or the documents that were judged: a file, or a folder of TREC files",
        ),
    ] = None,
    train: Annotated[str | None, Option(group=DATA, help="the training data")] = None,
    collection: Annotated[
        str | None,
        Option(
            group=DATA,
            help="a test collection in BEIR's layout, checked instead of judgements and runs: a folder",
        ),
    ] = None,
    queries: QueryTexts = None,
    reading: ReadingPairs = Reading(),
    k: Annotated[int, Option(name=("-k",), help="the depth at which unjudged items are counted")] = 10,
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
        Option(group=OUTPUT, help="the output format; default: that of the suffix of the output"),
    ] = None,
    output: Output = None,
    policy: PolicyPairs = Policy(),
) -> int:
    """Find problems in runs, judgements and test collections; exit 1 if there is one.

    Each comes with its effect on a metric, and the remedy.

    Example: ``rankwell lint qrels.txt bm25.run dense.run``
    """
    form = form_of(format, output, get_args(LintForm))
    judged = None if qrels in (None, "none") else qrels
    listed = [each for each in (run, *runs) if each is not None]
    refuse_files([each for each in (judged, *listed, collection, items, queries, train) if each], [output])
    documents, catalogue = (None, None) if items is None else _opened(items)
    parts = [each for each in (collection, documents, queries) if each is not None]
    _refuse_what_does_not_fit(collection, parts, qrels, listed)
    whole = _collection(collection, documents, queries, judged, reading.encoding) if parts else None
    found = Findings([] if whole is None else whole.check())
    if listed:
        from rankwell.inspection.linting import lint as checked

        # what was read with the collection, as judgements in SMART's columns are known only beside their documents or topics;
        # cleaned copies are made of files
        read = None if whole is None or cleaned_copies else whole.qrels
        own = checked(
            listed,
            judged if read is None else read,
            items=catalogue,
            train=train,
            k=k,
            scale=numbers(scale, "--scale"),
            metric=metric,
            policy=policy,
            cleaned_copies=cleaned_copies,
            read=reading.words,
        )
        found = Findings([*found, *own])
    found = Findings([_as_typed(each) for each in found])
    if form == "json":
        data: dict[str, Any] = {"rankwell": __version__, "wrong": found.is_wrong}
        if whole is not None:
            data["collection"] = {
                "name": whole.name, "parts": {str(part): n for part, n in whole.to_table().rows}, "notes": list(whole.notes)
            }  # fmt: skip
        text = json.dumps(data | {"findings": found.to_dicts()}, ensure_ascii=False, indent=2)
    elif form == "github":
        text = found.to_github()
    elif form == "text":
        text = str(found) if whole is None else f"{whole.to_table().to_text()}\n\n{found}"
    else:
        text = in_form([*([] if whole is None else [whole.to_table()]), found.to_table()], form)
    write(text, output)
    return FOUND if found.is_wrong else 0


def _as_typed(finding: Finding) -> Finding:
    """What was found, with the remedy as it is typed behind this command."""
    return replace(
        finding,
        message=as_options(finding.message),
        effect=as_options(finding.effect),
        remedy=as_options(finding.remedy),
    )


def _refuse_what_does_not_fit(
    collection: str | None, parts: list[File | str], qrels: str | None, runs: list[str]
) -> None:
    if collection is not None and (len(parts) > 1 or qrels is not None):
        raise UsageError(
            "--collection is a folder that holds all parts. To check parts by themselves: rankwell lint QRELS --items FILE "
            "--queries FILE."
        )
    if not parts and not runs:
        what = "QRELS and RUN" if qrels is None else "RUN"
        raise UsageError(
            f"{what} missing: rankwell lint QRELS RUN checks a run, and rankwell lint --collection FOLDER a test collection."
        )


def _opened(items: str) -> tuple[File | str | None, File | None]:
    """The documents that a path leads to, or the catalogue, opened once, as a pipe can be read only once."""
    from rankwell.readers.bytes.files import File
    from rankwell.readers.collections.collection import is_documents

    if Path(items).is_dir():
        return items, None
    file = File(items)
    return (file, None) if is_documents(file) else (None, file)


def _collection(
    folder: str | None,
    documents: File | str | None,
    topics: str | None,
    qrels: str | None,
    encoding: str | None,
) -> Collection:
    from rankwell.readers.collections.collection import read_collection

    if folder is not None:
        return read_collection(folder, encoding=encoding)
    return read_collection(documents=documents, topics=topics, qrels=qrels, encoding=encoding)
