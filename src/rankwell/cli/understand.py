"""The commands that explain metrics and look into files, ``explain``, ``metrics``, ``axioms``, ``lint`` and ``rosetta``; and the tools that ``rosetta`` compares, ``trec_eval`` and ``ndeval``."""

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
    Format,
    Output,
    PolicyPairs,
    QueryTexts,
    Reading,
    ReadingPairs,
    Tables,
    form_of,
    refuse_files,
    write_tables,
)
from rankwell.cli.words import as_options, numbers, split
from rankwell.display.findings import Finding, Findings
from rankwell.display.output import in_form, write
from rankwell.errors import UsageError
from rankwell.matching.policy import Policy

if TYPE_CHECKING:
    from rankwell.readers.bytes.files import File
    from rankwell.tables.collections import Collection


LintForm = Literal[Form, "github"]


def explain(
    metric: Annotated[
        str,
        Option(
            help="a metric such as ``ndcg@10``, or another tool's ``context_precision``, ``context_recall`` or ``faithfulness``"
        ),
    ],
    qrels: Annotated[
        str | None,
        Option(help="the judgements: a file, ``-`` for standard input, or ``none`` if the metric needs none"),
    ] = None,
    run: Annotated[str | None, Option(help="the run with the list of the query")] = None,
    /,
    *,
    query: Annotated[
        str | None, Option(name=("--query", "-q"), help="the query whose value is worked out")
    ] = None,
    tables: Tables = Tables(),
    reading: ReadingPairs = Reading(),
    format: Format = None,  # noqa: A002 - the word of the option
    output: Output = None,
    policy: PolicyPairs = Policy(),
) -> None:
    """Print the definition of a metric; with judgements and a run, how its value for one query is computed.

    Example: ``rankwell explain ndcg@10 qrels.txt bm25.run --query 12``
    """
    from rankwell.evaluation.inputs import with_needs
    from rankwell.inspection.explanation import explain as explained
    from rankwell.readers import open_run, read_qrels

    if qrels is None:
        if query is not None:
            raise UsageError(f"--query needs data: rankwell explain {metric} QRELS RUN --query {query}")
        found = explained(metric)
        form = form_of(format, output, ("text", "markdown", "json"))
        write(
            found.to_text()
            if form == "text"
            else found.to_markdown()
            if form == "markdown"
            else found.to_json(),
            output,
        )
        return
    if run is None:
        raise UsageError(
            f"a worked table needs a run as well: rankwell explain {metric} QRELS RUN --query ID"
        )
    form = form_of(format, output, get_args(Form))
    refuse_files([qrels, run, *tables.given], [output])
    judged = None if qrels == "none" else read_qrels(qrels, **with_needs(reading.of_qrels, metric))
    table = explained(
        metric,
        run=open_run(run, **with_needs(reading.of_runs, metric, "run", policy.sizes)),
        qrels=judged,
        query=query,
        policy=policy,
        **_named(tables, reading),
    )
    write_tables([table], form, output)


def _named(tables: Tables, reading: Reading) -> dict[str, Any]:
    """The tables beside runs and judgements; those whose columns were named are read here."""
    if "columns" not in reading.of_tables:
        return vars(tables)
    from rankwell.evaluation.inputs import read_tables
    from rankwell.evaluation.request import Request

    request = Request(metrics=(), policy=Policy(), of_qrels=reading.of_qrels, **vars(tables))
    return dict(zip(vars(tables), read_tables(request, frozenset({"history", "features"})), strict=True))


def metrics(
    *words: Annotated[
        str,
        Option(help="list only metrics whose names or first sentence have all these words"),
    ],
    format: Format = None,  # noqa: A002 - the word of the option
    output: Output = None,
) -> None:
    """List all metrics, or those that have some words in common.

    Example: ``rankwell metrics popularity``
    """
    from rankwell.inspection.explanation import catalogue

    form = form_of(format, output, get_args(Form))
    refuse_files([], [output])
    write_tables([catalogue(words)], form, output)


def axioms(
    *metrics: Annotated[
        str,
        Option(help="metrics such as ``ndcg@10``; without any, the axioms are listed"),
    ],
    axiom: Annotated[
        list[str] | None,
        Option(
            help="check only this axiom: Pri, PriGraded, Deep, DeepGraded, DeepTh, CloseTh, Conf, QAspDiv, Red, MRed, Sat, AspRel, "
            "P1, P2, P3, P4, P5, P6, P7, P8, Norm; repeat it",
        ),
    ] = None,
    trials: Annotated[int, Option(help="the number of random pairs of lists per axiom")] = 500,
    seed: Annotated[int, Option(help="the seed of the random numbers")] = 0,
    format: Format = None,  # noqa: A002 - the word of the option
    output: Output = None,
) -> None:
    """Check which axioms a metric satisfies; where it fails, a small pair of lists shows it.

    Several metrics make a table. Without a metric, list the axioms with their statements and sources.

    Example: ``rankwell axioms ndcg@10 err "alpha_ndcg(alpha=.1)@10" --axiom Red``
    """
    from rankwell.inspection.axioms import check_axioms, list_axioms

    form = form_of(format, output, get_args(Form))
    refuse_files([], [output])
    names = None if axiom is None else [name for text in axiom for name in split(text)]
    found = None
    if metrics:
        found = check_axioms(
            [part for text in metrics for part in split(text)], names, trials=trials, seed=seed
        )
    tables, record = (found.tables(), found.counts()) if found else ([list_axioms(names)], list_axioms(names))
    if form == "json":
        write(found.to_json() if found else record.to_json(), output)
    elif form == "csv":
        write(record.to_csv(), output)
    else:
        write_tables(tables, form, output)


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


def rosetta(
    qrels: Annotated[str, Option(help="the judgements, or ``none`` if the metrics need none")],
    run: Annotated[str, Option(help="the run")],
    /,
    *,
    metric: Annotated[
        list[str] | None,
        Option(
            name=("--metric", "-m"),
            help="a metric such as ``ndcg@10``; repeat it (default: the usual ones at 10)",
        ),
    ] = None,
    tables: Tables = Tables(),
    reading: ReadingPairs = Reading(),
    format: Format = None,  # noqa: A002 - the word of the option
    output: Output = None,
    policy: PolicyPairs = Policy(),
) -> None:
    """Show what each tool would print for a metric, and why they differ.

    Example: ``rankwell rosetta qrels.txt bm25.run -m ndcg@10 -m ap@10``
    """
    from rankwell.evaluation.inputs import with_needs
    from rankwell.inspection.rosetta_table import rosetta as compared
    from rankwell.readers import open_run, read_qrels

    form = form_of(format, output, get_args(Form))
    refuse_files([qrels, run, *tables.given], [output])
    names = None if metric is None else [part for text in metric for part in split(text)]
    ranked = open_run(run, **with_needs(reading.of_runs, names, "run"))
    judged = None if qrels == "none" else read_qrels(qrels, **with_needs(reading.of_qrels, names))
    found = compared(ranked, judged, names, policy=policy, **_named(tables, reading))
    write_tables([each.to_table() for each in found], form, output)
