"""The commands ``judging …``: each calls the function of its name in ``rankwell.judging``."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from rankwell.cli.arguments import DATA, OUTPUT, STATISTICS, Option
from rankwell.cli.options import (
    Form,
    ItemText,
    Metrics,
    PolicyPairs,
    QueryTexts,
    Reading,
    ReadingPairs,
    ReadingQrels,
    ReadingQrelsPairs,
    refuse_files,
)
from rankwell.cli.words import share_of, split, split_names, whole_numbers
from rankwell.display.output import in_form, print_note, width, write
from rankwell.errors import DataError, InputError, UsageError, brief, one_of
from rankwell.faces import modules
from rankwell.judging import methods
from rankwell.judging.batch_files import PromptForm
from rankwell.matching.policy import Policy
from rankwell.records import record

if TYPE_CHECKING:
    from rankwell.display.result import Result
    from rankwell.tables.run_qrels import Qrels, Run


NOTHING = "none"  # in place of judgements
MEGABYTE = 1_000_000
METHODS = one_of([f"``{name}``" for name in modules(methods)])
Aim = Literal["order", "difference", "mean"]

OneRun = Annotated[str, Option(help="a run; ``NAME=FILE`` names its system")]
MoreRuns = Annotated[str, Option(help="more runs")]
Grades = Annotated[
    str | None,
    Option(help="the grades: ``0-3``, or with labels ``'0=not relevant,1=relevant'``; default: 0 to 3 as in TREC's Deep Learning tracks"),
]  # fmt: skip
Shown = Annotated[Form, Option(group=OUTPUT, help="the output format of what is printed")]


def _into(words: str) -> Option:
    """The option of the file that a command writes."""
    return Option(name=("--output", "-o"), group=OUTPUT, help=words)


@record(kw_only=True)
class Choosing:
    """What the judgements are for."""

    metric: Annotated[
        str,
        Option(
            name=("--metric", "-m"),
            help="the metric to compare by: ``ap``, ``p@k``, ``dcg@k``, ``cg@k`` or ``rbp``; for nDCG take ``dcg``",
        ),
    ] = "ap"
    seed: Annotated[int, Option(help="the seed for the draws of bandits")] = 0


def _print(found: Result, form: Form) -> None:
    """Print a result: as JSON all of it, as CSV its first table."""
    if form == "json":
        write(found.to_json(), None)
    else:
        write(in_form(found.tables()[: 1 if form == "csv" else None], form, width()), None)


def _runs_of(paths: tuple[str, ...], reading: Reading) -> dict[str, Run]:
    """Open runs by the names of their files; UsageError if one is given twice."""
    from rankwell.readers import open_named

    names, files = split_names(paths)
    if len(set(names)) < len(names):
        raise UsageError("a run is given twice.")
    return open_named(dict(zip(names, files, strict=True)), reading.of_runs)


def _qrels_of(path: str, reading: Reading) -> Qrels | None:
    """Read judgements, None for ``none``."""
    from rankwell.readers import read_qrels

    return None if path == NOTHING else read_qrels(path, **reading.of_qrels)


def _inputs(qrels: str, runs: tuple[str, ...]) -> list[str]:
    """Return the files that are read."""
    return [*([] if qrels == NOTHING else [qrels]), *split_names(runs)[1]]


def judging_next(
    qrels: Annotated[str, Option(help="what is judged already; ``none`` for nothing")],
    run: OneRun,
    /,
    *runs: MoreRuns,
    budget: Annotated[int, Option(help="how many items to choose")] = 200,
    aim: Annotated[
        Aim,
        Option(
            help="what the judgements are for: the ``order`` of all runs, the ``difference`` of two, the ``mean`` of one"
        ),
    ] = "order",
    method: Annotated[str, Option(help=f"how to choose: {METHODS}")] = "mtc",
    choosing: Choosing = Choosing(),
    output: Annotated[
        str | None,
        _into(
            "the file for the items: ``.tsv``, ``.csv``, ``.parquet`` … (query, item, weight), or ``.json`` with what they "
            "would settle; without it they are printed"
        ),
    ] = None,
    format: Shown = "text",  # noqa: A002 - the word of the option
    reading: ReadingPairs = Reading(),
    policy: PolicyPairs = Policy(),
) -> None:
    """Choose the unjudged items whose judgements tell most about a comparison of runs.

    It prints the judgements needed to settle the comparison: the expected number, and the number after which no answer can change it.
    Judge some of the items, add them to the judgements, and choose again.

    Example: ``rankwell judging next qrels.txt bm25.run dense.run --budget 200 -o next.tsv``
    """
    from rankwell.judging import next as chosen_next
    from rankwell.judging.choice import Chosen

    paths = (run, *runs)
    if output is not None:
        Chosen.suffix_of(output)
    refuse_files(_inputs(qrels, paths), [output])
    chosen = chosen_next(
        _runs_of(paths, reading), _qrels_of(qrels, reading), budget=budget, aim=aim, method=method, policy=policy, **vars(choosing)
    )  # fmt: skip
    if output is not None:
        chosen.save(output)
        print_note(f"wrote {len(chosen):,} items to {output}.")
        tables = [chosen.summary()]
    elif format == "json":
        write(chosen.to_json(), None)
        return
    else:
        tables = [chosen.to_table()] if format == "csv" else chosen.tables()
    write(in_form(tables, format, width()), None)


def judging_simulate(
    qrels: Annotated[str, Option(help="all judgements: the answers, which no method sees before it asks")],
    run: OneRun,
    other: Annotated[str, Option(help="another run")],
    /,
    *more: MoreRuns,
    methods: Annotated[
        str, Option(help=f"methods, separated by commas: {METHODS}")
    ] = "mtc,hedge,mtf,mm_ns,depth",
    budgets: Annotated[
        str | None,
        Option(
            help="numbers of judgements after which orders are compared: ``25,100,400``; default: 25, 50, 100 … until all are judged"
        ),
    ] = None,
    choosing: Choosing = Choosing(),
    output: Annotated[
        str | None,
        _into(
            "the file for what was found: ``.json``, which ``rankwell plot effort`` draws, or ``.csv``, ``.parquet`` …"
        ),
    ] = None,
    format: Shown = "text",  # noqa: A002 - the word of the option
    reading: ReadingPairs = Reading(),
    policy: PolicyPairs = Policy(),
) -> None:
    """Judge again what is judged, in the order of each method, and show how soon the order of the runs is right.

    Example: ``rankwell judging simulate qrels.txt bm25.run dense.run both.run --methods mtc,depth -o judging.json``
    """
    from rankwell.judging import simulate
    from rankwell.judging.simulation import Simulation
    from rankwell.readers import read_qrels

    paths = (run, other, *more)
    if output is not None:
        Simulation.suffix_of(output)
    refuse_files([qrels, *split_names(paths)[1]], [output])
    found = simulate(
        _runs_of(paths, reading), read_qrels(qrels, **reading.of_qrels), choosing.metric, methods=split(methods),
        budgets=whole_numbers(budgets, "--budgets"), seed=choosing.seed, policy=policy,
    )  # fmt: skip
    if output is not None:
        found.save(output)
        print_note(f"wrote {output}.")
    _print(found, format)


def judging_sample(
    run: OneRun,
    /,
    *runs: MoreRuns,
    budget: Annotated[int, Option(help="how many items to draw per query")] = 50,
    design: Annotated[
        Literal["rank", "prior", "uniform", "poisson"],
        Option(
            help="strata by best ``rank``, thinner with depth; strata by the ``prior`` of statAP; all items alike (``uniform``); or each "
            "independently by the prior (``poisson``)"
        ),
    ] = "rank",
    seed: Annotated[int, Option(help="of the draw; one seed, one sample")] = 0,
    output: Annotated[
        str | None,
        _into(
            "the file for the items to judge: ``.tsv``, ``.csv``, ``.parquet`` … (query, item, stratum, propensity); without it the strata "
            "are printed, or with --format json or csv the items"
        ),
    ] = None,
    frame: Annotated[
        str | None,
        Option(
            group=OUTPUT,
            help="the file for all items that could have been drawn, which ``judging estimate`` needs; default: beside the output, "
            "sample.frame.tsv for sample.tsv",
        ),
    ] = None,
    format: Shown = "text",  # noqa: A002 - the word of the option
    reading: ReadingPairs = Reading(),
    policy: PolicyPairs = Policy(),
) -> None:
    """Draw items to judge at random from the lists of runs, so that metrics can be estimated from their judgements.

    Judge all of them (``judging sheet`` and ``judging prompts`` take the file), and give the judgements and the frame to ``judging
    estimate``. With ``--policy depth=100`` only the first 100 items of each list can be drawn.

    Example: ``rankwell judging sample bm25.run dense.run --budget 50 --policy depth=100 -o sample.tsv``
    """
    from rankwell.judging import sample
    from rankwell.judging.samples import Sample, frame_beside

    paths = (run, *runs)
    if output is None and frame is not None:
        raise UsageError("--frame goes with -o, the file for the items to judge.")
    if output is not None:
        for each in (output, frame or output):
            Sample.suffix_of(each)
        refuse_files(split_names(paths)[1], [output, str(frame or frame_beside(output))])
    found = sample(_runs_of(paths, reading), budget=budget, design=design, seed=seed, policy=policy)
    if output is not None:
        whole = found.save(output, frame)
        print_note(
            f"wrote {len(found):,} items to judge to {output}, and the {len(found.frame):,} that could have been "
            f"drawn to {whole}."
        )
    elif format == "json":
        write(found.to_json(), None)
        return
    is_items = output is None and format == "csv"
    write(in_form([found.to_table() if is_items else found.summary()], format, width()), None)


def judging_estimate(
    qrels: Annotated[
        str,
        Option(
            help="the judgements of the sample; or, without --frame, a table with query, item, stratum or propensity, and grade, or TREC's "
            "stratified judgements (query 0 item stratum grade), with -1 for what was not drawn"
        ),
    ],
    run: OneRun,
    /,
    *runs: MoreRuns,
    metric: Annotated[
        list[str] | None,
        Option(
            name=("--metric", "-m"),
            help="``ap``, ``ap@k``, ``ndcg`` or ``ndcg@k``, with their parameters; repeat the option, or separate several by commas",
        ),
    ] = None,
    frame: Annotated[
        str | None,
        Option(
            group=DATA,
            help="all items that could have been drawn: the frame that ``judging sample`` wrote",
        ),
    ] = None,
    estimators: Annotated[
        str | None,
        Option(
            help="estimators, separated by commas: ``statap``, ``xinfap``, ``xinfap_trec`` (with the smoothing of sample_eval.pl), ``infndcg``; "
            "default: statap and xinfap of AP, infndcg of nDCG"
        ),
    ] = None,
    unanswered: Annotated[
        Literal["error", "random"],
        Option(
            help="drawn items without a judgement are an ``error``, or missing at ``random``: the others of their stratum stand for them"
        ),
    ] = "error",
    beside: Annotated[
        bool,
        Option(
            help="show bpref, infAP and condensed lists of the same judgements, which estimate nothing",
            negative="--no-beside",
        ),
    ] = True,
    per_query: Annotated[
        bool, Option(group=OUTPUT, help="print the estimates of each query, with standard errors")
    ] = False,
    output: Annotated[
        str | None, _into("the file for the means: ``.csv``, ``.parquet`` …, or ``.json`` with everything")
    ] = None,
    format: Shown = "text",  # noqa: A002 - the word of the option
    reading: ReadingPairs = Reading(),
    policy: PolicyPairs = Policy(),
) -> None:
    """Estimate AP and nDCG from judgements of a random sample of items, with two variances: of the sample, and over queries.

    Example: ``rankwell judging estimate judged.txt bm25.run dense.run --frame sample.frame.tsv -m ap -m ndcg@10``
    """
    from rankwell.judging import estimate
    from rankwell.judging.estimates import Estimated

    if not metric:
        raise UsageError("say which metrics you want: -m ap -m ndcg@10.")
    paths = (run, *runs)
    names = [part for text in metric for part in split(text)]
    if output is not None:
        Estimated.suffix_of(output)
    refuse_files([each for each in (qrels, *split_names(paths)[1], frame) if each is not None], [output])
    found = estimate(
        _runs_of(paths, reading), qrels, names, frame=frame, estimators=None if estimators is None else split(estimators),
        unanswered=unanswered, beside=beside, read=reading.of_qrels, policy=policy,
    )  # fmt: skip
    if output is not None:
        found.save(output)
        print_note(f"wrote {output}.")
    if format == "json":
        write(found.to_json(), None)
        return
    tables = found.tables()
    if format == "csv":
        tables = tables[:1]
    if per_query:
        tables = [found.table_per_query(), *(tables if format != "csv" else [])]
    write(in_form(tables, format, width()), None)


@record(kw_only=True)
class Drawing:
    """How the negatives were drawn."""

    negatives: Annotated[
        int | None, Option(help="how many negatives each list has; default: as the lists show")
    ] = None
    drawn: Annotated[
        Literal["uniform", "popularity"],
        Option(help="how they were drawn; ``popularity`` needs --probabilities"),
    ] = "uniform"
    probabilities: Annotated[
        str | None,
        Option(
            help="a table of ``item`` and ``probability``, that of each item to be among the negatives of a list; then AUC and "
            "first_rank alone can be estimated"
        ),
    ] = None


def judging_correct(
    qrels: Annotated[
        str | None, Option(help="the relevant items, one per query; leave it out with --logged-ranks")
    ] = None,
    run: Annotated[
        str | None, Option(help="lists that each rank one relevant item and the sampled negatives")
    ] = None,
    /,
    *,
    candidates: Annotated[
        int, Option(help="how many candidates a full ranking would have, the relevant item included")
    ],
    metric: Metrics = None,
    logged_ranks: Annotated[
        str | None,
        Option(
            help="instead of QRELS and RUN: a text file with the rank of each relevant item among the negatives, one per line, from 1"
        ),
    ] = None,
    drawing: Drawing = Drawing(),
    max_bias: Annotated[
        float, Option(group=STATISTICS, help="an estimate whose worst-case bias is above this is refused")
    ] = 0.02,
    output: Annotated[
        str | None,
        _into(
            "the file for the values: ``.json`` with everything, or ``.csv``, ``.parquet`` …; without it they are printed"
        ),
    ] = None,
    format: Shown = "text",  # noqa: A002 - the word of the option
    reading: ReadingPairs = Reading(),
    policy: PolicyPairs = Policy(),
) -> None:
    """Estimate values over all candidates from lists of one relevant item among sampled negatives, with the worst-case bias.

    Estimates that could be further off than --max-bias are refused; their range is printed all the same.

    Example: ``rankwell judging correct held-out.txt sampled.run -m hit@10 -m auc --candidates 1682``
    """
    from rankwell.judging import correct
    from rankwell.judging.correction import Corrected
    from rankwell.readers import read_qrels, read_run

    if output is not None:
        Corrected.suffix_of(output)
    given = [each for each in (qrels, run, logged_ranks, drawing.probabilities) if each is not None]
    refuse_files(given, [output])
    metrics = [part for text in metric or () for part in split(text)] or None
    if (logged_ranks is None) != (qrels is not None and run is not None) or (logged_ranks and qrels):
        raise UsageError("give QRELS and RUN, or --logged-ranks FILE in place of both.")
    found = correct(
        None if run is None else read_run(run, **reading.of_runs),
        None if qrels is None else read_qrels(qrels, **reading.of_qrels),
        metrics,
        candidates=candidates,
        logged_ranks=None if logged_ranks is None else _ranks_in(logged_ranks),
        policy=policy,
        **vars(drawing),
        max_bias=max_bias,
    )
    if output is not None:
        found.save(output)
        print_note(f"wrote {output}.")
    else:
        _print(found, format)


def _ranks_in(path: str) -> list[int]:
    """The whole numbers in a file, one per line; empty lines are passed over."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeError) as error:
        raise InputError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error}).") from error
    ranks = []
    for at, line in enumerate(lines, start=1):
        text = line.strip()
        if text and not text.isdecimal():
            raise DataError(
                f"{path}:{at}: {brief(text)} is no rank. Give one whole number per line, from 1 for a relevant item above all negatives."
            )
        if text:
            ranks.append(int(text))
    if not ranks:
        raise DataError(
            f"{path}: the file is empty. Give the rank of each relevant item, one whole number per line."
        )
    return ranks


def judging_sheet(
    pairs: Annotated[
        str,
        Option(
            help="what to judge: the file of ``judging next`` or ``judging sample``, or judgements in any form, whose grades are not shown"
        ),
    ],
    /,
    *,
    items: Annotated[
        str,
        Option(group=DATA, help="a table of items with their texts (title, text …) and pictures"),
    ],
    queries: QueryTexts = None,
    text: ItemText = None,
    image: Annotated[
        str | None,
        Option(
            group=DATA,
            help="the column of --items with a picture of each item: files in its folder, or data URIs; by default image, picture, poster …",
        ),
    ] = None,
    scale: Grades = None,
    guidelines: Annotated[
        str | None, Option(help="a file with what judges have to know, in Markdown or plain text")
    ] = None,
    repeats: Annotated[
        str,
        Option(
            help="the share of pairs that are asked twice, such as ``10%``, to see how far judges agree with themselves"
        ),
    ] = "0%",
    order: Annotated[
        Literal["query", "given", "random"],
        Option(help="the items of a query together in random order, the order of PAIRS, or none"),
    ] = "query",
    seed: Annotated[int, Option(help="of the order and the repeats; one seed, one sheet")] = 0,
    output: Annotated[str, _into("the page")] = "sheet.html",
    title: Annotated[str | None, Option(group=OUTPUT, help="the title of the page")] = None,
    lang: Annotated[str, Option(group=OUTPUT, help="the language of the page: en or ko")] = "en",
    reading: ReadingQrelsPairs = ReadingQrels(),
) -> None:
    """Write a page on which a person grades pairs of query and item, offline, in any browser.

    It shows texts and pictures, takes grades by keyboard, mouse and touch, keeps what was done in the browser, and says nothing of the
    systems that listed an item. Judges download their judgements as CSV, which ``judging merge`` joins, or as TREC qrels.

    Example: ``rankwell judging sheet next.tsv --queries queries.tsv --items items.parquet --repeats 10% -o sheet.html``
    """
    from rankwell.judging import sheet
    from rankwell.judging.sheets import refuse_suffix

    refuse_suffix(output)
    refuse_files([each for each in (pairs, items, queries, guidelines) if each is not None], [output])
    found = sheet(
        pairs, items=items, queries=queries, text=None if text is None else split(text), image=image, scale=scale,
        guidelines=guidelines, repeats=share_of(repeats, "--repeats"), order=order, seed=seed, title=title, lang=lang, read=reading.of_qrels,
        encoding=reading.encoding,
    )  # fmt: skip
    found.save(output)
    again = f", {found.repeats:,} of them repeats" if found.repeats else ""
    size = Path(output).stat().st_size / MEGABYTE
    print_note(f"wrote {output} ({size:.1f} MB): {len(found):,} tasks{again}.")
    for note in found.notes():
        print_note(f"{note}.")


def judging_merge(
    sheet: Annotated[str, Option(help="judgements that a judging sheet exported as CSV")],
    /,
    *sheets: Annotated[str, Option(help="those of other judges")],
    how: Annotated[
        Literal["max", "majority", "dawid-skene"],
        Option(
            help="the highest grade, the most frequent (ties to the lowest), or the most probable where judges err in ways of their own"
        ),
    ] = "majority",
    output: Annotated[
        str | None,
        _into(
            "the file for the judgements: ``.txt`` or ``.qrels`` for TREC, ``.csv``, ``.parquet`` …, or ``.json`` with everything"
        ),
    ] = None,
    format: Shown = "text",  # noqa: A002 - the word of the option
) -> None:
    """Join what judges exported from their sheets into one grade per pair, and show how far each agrees with themselves.

    Example: ``rankwell judging merge ann.csv bo.csv cy.csv --how dawid-skene -o merged.txt``
    """
    from rankwell.judging import merge
    from rankwell.judging.consensus import Merged

    if output is not None:
        Merged.suffix_of(output)
    refuse_files([sheet, *sheets], [output])
    found = merge(sheet, *sheets, how=how)
    if output is not None:
        found.save(output)
        print_note(f"wrote {len(found):,} judgements to {output}.")
    _print(found, format)


def judging_prompts(
    pairs: Annotated[
        str,
        Option(
            help="what to judge: the file of ``judging next`` or ``judging sample``, or judgements in any form, whose grades are not told; "
            "for support the answers of a system, as TREC RAG has them"
        ),
    ],
    /,
    *,
    model: Annotated[str, Option(help="the name of the model, which requests and judgements carry")],
    items: Annotated[
        str,
        Option(
            group=DATA,
            help="a table of items with their texts (title, text …); for nuggets the answers of a system: TREC RAG's, or a table of query and text",
        ),
    ],
    queries: QueryTexts = None,
    text: ItemText = None,
    scale: Grades = None,
    guidelines: Annotated[str | None, Option(help="a text file with what judges have to know")] = None,
    template: Annotated[
        str | None,
        Option(
            help="a text file with {query} and {item}, or {query_json} and {item_json}, {grades}, {numbers}, {guidelines}; a line ``---`` "
            "parts the message of the system from the user's; default: rankwell's own"
        ),
    ] = None,
    form: Annotated[
        PromptForm,
        Option(
            help="the form of the requests: what the batches of one of these take, or plain messages; ``nuggets`` (as of openai) asks "
            "whether answers support the nuggets of their queries, ``support`` whether passages support the sentences that cite them"
        ),
    ] = "openai",
    repeats: Annotated[str, Option(help="the share of pairs that are asked twice, such as ``10%``")] = "0%",
    seed: Annotated[int, Option(help="of the repeats")] = 0,
    output: Annotated[
        str, _into("the requests, a JSON object a line; the key to them is beside it")
    ] = "batch.jsonl",
    reading: ReadingPairs = Reading(),
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
        pairs, model=model, items=items, queries=queries, text=None if text is None else split(text), scale=scale,
        guidelines=guidelines, template=template, form=form, repeats=share_of(repeats, "--repeats"), seed=seed,
        read=reading.of_qrels, encoding=reading.encoding,
    )  # fmt: skip
    found.save(output)
    print_note(f"wrote {len(found):,} requests to {output} (prompt {found.prompt}), and the key to {key}.")
    for note in found.notes():
        print_note(f"{note}.")


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
        _into(
            "the judgements: ``.csv`` with model, prompt and date, or ``.txt`` or ``.qrels`` for TREC; of nuggets and of support a run, ``.csv``"
        ),
    ] = "model.csv",
) -> None:
    """Read what a model answered to requests as judgements; refusals, grades outside the scale and ties are counted, and never 0.

    How far the model agrees with people is what ``agreement`` says; means that its errors do not bias are those of
    ``rw.prediction_powered``.

    Example: ``rankwell judging answers batch.key.json out.jsonl --date 2026-11-25 -o model.csv``
    """
    from rankwell.judging import answers
    from rankwell.judging.model_answers import WHAT, refuse_suffix

    refuse_suffix(output)
    refuse_files([key, file, *files], [output])
    found = answers(key, file, *files, date=date)
    found.save(output)
    again = f"; {found.repeats:,} more are of repeats" if found.repeats else ""
    print_note(
        f"wrote {len(found):,} {WHAT.get(found.asks, 'judgements')} of {found.requests:,} requests to "
        f"{output}{again}."
    )
    same = found.self_agreement
    if not math.isnan(same):
        print_note(f"the model agrees with itself on {same:.0%} of the repeats.")
    for note in found.notes():
        print_note(f"{note}.")
