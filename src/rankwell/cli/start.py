"""The commands to start with: ``demo``, bundled real data evaluated, and ``init``, an experiment file drafted from the files of a folder."""

from __future__ import annotations

import json
import os
import re
import textwrap
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from itertools import chain
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

from rankwell.cli.arguments import DATA, OUTPUT, Option
from rankwell.cli.options import Metrics, PolicyPairs
from rankwell.cli.words import split
from rankwell.display.output import print_note, refuse_overwriting, width, write
from rankwell.display.table import Column, Table
from rankwell.errors import InputError, RankwellError, UsageError, brief, one_of
from rankwell.matching.policy import Policy
from rankwell.readers.bytes.paths import names_of

if TYPE_CHECKING:
    import polars as pl

    from rankwell.results import Results


RECOMMENDERS = ("popular", "itemknn", "als", "random")
THRESHOLDS = (7, 8, 9)
MEANINGS = {
    "ap": "÷ R, over the whole list",
    "ap(denom=R)@10": "÷ R, as trec_eval",
    "ap(denom=min_rk)@10": "÷ the smaller of R and 10",
    "ap(denom=hits)@10": "÷ the relevant items found",
    "ap(denom=k)@10": "÷ 10",
}
LINE = 100
NEXT = """\
Next:
  rankwell metrics                                  all metrics
  rankwell explain ndcg                             formula, switches, edge cases, source
  rankwell evaluate QRELS RUN -m ndcg@10 -m ap      your own files
  rankwell report QRELS RUN… -m ndcg@10 -m ap       one HTML page of them, to send to others
  rankwell demo -o FOLDER                           two such pages of these data, and the data"""
RUN, QRELS, LOG = "run", "qrels", "log"  # a log is a table with grades: judgements, or training data
TABLES = {
    "train": "what the systems learned from",
    "items": "the catalogue",
    "users": "what is known of the queries",
}
METRICS = ["ndcg@10", "ap"]
READ = """\
[read]  # what do these files hold? Correct what is proposed, and take the # in front of it away
{proposals}

"""
SCHEMA = Path(__file__).parents[1] / "data" / "config.schema.json"
BARE, HIDDEN = re.compile(r"[A-Za-z0-9_-]+"), re.compile(r"(^|/)\.\w")
LEVELS = "*", "*/*"  # of a folder whose files are looked at
TEXT = """\
#:schema {schema}
# rankwell evaluate {file} · rankwell compare {file} · rankwell report {file}

qrels = {qrels}  # the judgements
metrics = {metrics}  # `rankwell metrics` lists all
# primary = {primary}  # the metric that decides
# baseline = {baseline}  # the run that all others are compared with
# by = ["country"]  # columns of users: a row per segment

[runs]
{runs}

[tables]
{tables}

{read}[policy]  # `rankwell evaluate --help-all` explains the rules
{policy}

# [margins]  # the drop that the gate tolerates, the difference that matters to compare
# {primary} = 0.01
"""


def demo(
    *,
    output: Annotated[
        str | None,
        Option(
            name=("--output", "-o"),
            group=OUTPUT,
            help="a folder, made if need be: also write two reports into it, of the search engine and of the recommenders, and copy the data",
        ),
    ] = None,
) -> None:
    """Evaluate bundled real data and print tables worth reading.

    Example: ``rankwell demo``
    """
    if output is not None:
        from rankwell.reporting.chart.charts import require_extra

        require_extra()
    write(demo_text(width()), None)
    if output is not None:
        made = ", ".join(map(str, write_reports(Path(output))))
        write(
            f"\nTwo reports, to be opened in a browser: {made}. Their data: {copy_data(Path(output))}", None
        )


def write_reports(folder: Path) -> list[Path]:
    """Write a report of the search engine and one of the recommenders into a folder, and return their files.

    InputError if they cannot be written.
    """
    from importlib.resources import as_file, files

    from rankwell.reporting.report import report

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made ({error.strerror}).") from error
    search, films = folder / "search.html", folder / "recommenders.html"
    with as_file(files("rankwell") / "data") as data:
        trec = data / "trec_eval"
        metrics = ["ap", "ndcg@10", "p@10", "rr", "bpref"]
        report({"NIST's sample run": trec / "results.test"}, trec / "qrels.test", metrics, path=search)
        movies = data / "movietweetings"
        report(
            {name: movies / f"{name}.parquet" for name in RECOMMENDERS},
            movies / "test.parquet",
            ["ndcg@10", "hit@10", "coverage@10", "msi@10"],
            path=films,
            train=movies / "train.parquet",
            items=movies / "items.parquet",
            users=_activity(movies / "train.parquet"),
            by="activity",
            baseline=RECOMMENDERS[0],
            rel=THRESHOLDS[0],
            title="Four recommenders of films",
        )
    return [search, films]


def copy_data(folder: Path) -> Path:
    """Copy the bundled data, with their terms, into ``data`` in a folder, and return that; what is there already is replaced."""
    import shutil
    from importlib.resources import as_file, files

    with as_file(files("rankwell") / "data") as data:
        return Path(
            shutil.copytree(
                data, folder / "data", ignore=shutil.ignore_patterns("*.schema.json"), dirs_exist_ok=True
            )
        )


def _activity(train: Path) -> pl.DataFrame:
    """How much the users have rated: one of three groups of equal size."""
    import polars as pl

    labels = ["few ratings", "some ratings", "many ratings"]
    rated = pl.read_parquet(train).group_by("user_id").len().sort("len", "user_id")
    return rated.select(
        "user_id",
        activity=pl.Series([labels[3 * row // len(rated)] for row in range(len(rated))]),
    )


def demo_text(columns: int | None = None) -> str:
    """Return what ``rankwell demo`` prints on a terminal of so many columns.

    Examples
    --------
    >>> "MovieTweetings" in demo_text()
    True
    """
    from importlib.resources import as_file, files

    with as_file(files("rankwell") / "data") as folder:
        parts = [*_search(folder / "trec_eval"), *_recommenders(folder / "movietweetings")]
    shown = [
        part.to_text(columns) if isinstance(part, Table) else textwrap.fill(part, min(columns or LINE, LINE))
        for part in parts
    ]
    return "\n\n".join([*shown, NEXT])


def _search(folder: Path) -> list[str | Table]:
    """One search run: one name, several numbers; and what equal scores do."""
    from rankwell.evaluation import evaluate

    run, qrels = folder / "results.test", folder / "qrels.test"
    others = ["ndcg@10", "ndcg(gain=exp2)@10", "p@10", "r@100", "rr", "bpref", "judged@10"]
    res = evaluate(run, qrels, [*MEANINGS, *others])
    aps = Table(
        [Column("“average precision”", "text"), Column("as text", "text"), Column("mean", "value")],
        [(meaning, name, res[name]) for name, meaning in MEANINGS.items()],
        caption=f"A search engine: NIST's sample run, {res.n['ap']} topics. One name, {len(MEANINGS)} meanings",
    )
    cut = [res[name] for name in MEANINGS if name != "ap"]
    lesson = (
        f"R is the number of relevant items of a topic. “MAP@10” of this run is anything from {min(cut):.4f} to "
        f"{max(cut):.4f}, depending on the tool. So rankwell writes the divisor into the name."
    )
    more = Table(
        [Column("metric", "text"), Column("mean", "value"), Column("n", "count")],
        [(name, res[name], res.n[name]) for name in others],
        caption="The same run, other metrics",
    )
    worst, best = (evaluate(run, qrels, ["ap"], policy=Policy(ties=end))["ap"] for end in ("worst", "best"))
    tied = res.counts.get("queries in which ties could change a value", 0)
    ties = (
        f"Equal scores could change a value in {tied} of {res.n['ap']} topics: AP over the whole list lies between "
        f"{worst:.6f} and {best:.6f}, whichever item comes first. The order is trec_eval's, item id descending, "
        f"unless you say otherwise."
    )
    return [aps, lesson, more, ties]


def _recommenders(folder: Path) -> list[str | Table]:
    """Four recommenders: what counts as relevant decides who wins, and accuracy is not all."""
    from rankwell.evaluation import Evaluator

    policies = {f"rating ≥ {rel}": Policy(rel=rel) for rel in THRESHOLDS}
    policies["every rating"] = Policy(grades="interactions")
    first, *_, strictest, last = policies
    found: dict[str, dict[str, Results]] = {}
    for label, policy in policies.items():
        metrics = ["ndcg@10", "hit@10", "coverage@10"]
        evaluator = Evaluator(folder / "test.parquet", metrics, items=folder / "items.parquet", policy=policy)
        found[label] = evaluator.evaluate_all({name: folder / f"{name}.parquet" for name in RECOMMENDERS})
    n = {label: results[RECOMMENDERS[0]].n["ndcg@10"] for label, results in found.items()}
    accuracy = Table(
        [Column("nDCG@10", "text"), *(Column(label, "value", better="higher") for label in policies)],
        [(name, *(found[label][name]["ndcg@10"] for label in policies)) for name in RECOMMENDERS],
        caption=f"Four recommenders, {n[last]} MovieTweetings users: what makes a film relevant?",
        mark_best=True,
    )
    lesson = (
        f"{_verdict(found, first, last)} Users without a relevant film are left out and counted: {n[strictest]} of "
        f"{n[last]} remain at {strictest}. Small gaps between few users prove nothing yet."
    )
    reach = Table(
        [
            Column("recommender", "text"),
            *(Column(f"hit@10, {label}", "value", better="higher") for label in (first, last)),
            Column("coverage@10", "value", better="higher"),
        ],
        [
            (
                name,
                *(found[label][name]["hit@10"] for label in (first, last)),
                found[last][name]["coverage@10"],
            )
            for name in RECOMMENDERS
        ],
        caption="The same lists: users who find something, and the share of the catalogue that is shown to anybody",
        mark_best=True,
    )

    leader = _best(found[first], "hit@10")
    widest = _best(found[last], "coverage@10")
    closing = (
        f"Accuracy is half the story: {leader}, first by hit@10 at {first}, shows "
        f"{found[first][leader]['coverage@10']:.1%} of the films to anybody; {widest} shows "
        f"{found[last][widest]['coverage@10']:.1%}."
    )
    return [accuracy, lesson, reach, closing]


def _best(results: Mapping[str, Results], metric: str) -> str:
    return max(results, key=lambda name: results[name][metric])


def _verdict(found: Mapping[str, Mapping[str, Results]], first: str, last: str) -> str:
    """Who leads, said of the numbers as they are."""
    strict, loose = (_best(found[label], "ndcg@10") for label in (first, last))
    if strict == loose:
        return f"{strict} leads at {first} and when {last} counts."
    return f"{strict} leads at {first}, {loose} when {last} counts: say which one you mean."


def init(
    *files: Annotated[
        str,
        Option(help="a folder (default: this one), or files; ``NAME=FILE`` is a run, and names its system"),
    ],
    qrels: Annotated[
        str | None, Option(group=DATA, help="the judgements; default: the only file that holds some")
    ] = None,
    train: Annotated[str | None, Option(group=DATA, help="the training data")] = None,
    metric: Metrics = None,
    policy: PolicyPairs = Policy(),
    output: Annotated[
        str, Option(name=("--output", "-o"), group=OUTPUT, help="the file, which must not be there yet")
    ] = "rankwell.toml",
) -> None:
    """Write a commented experiment file from the files in a folder: rankwell.toml, for evaluate, compare, report and gate.

    What a file is, is seen from what it holds. Which of several tables with grades are the judgements, it asks; and in the file, which
    columns hold what, where their names do not tell.

    Example: ``rankwell init bm25.run dense.run --qrels qrels.txt``
    """
    from rankwell.evaluation import Evaluator
    from rankwell.metrics import metrics_of

    if Path(output).suffix.lower() != ".toml":  # by which the commands that read it know it
        raise UsageError(f"-o {output}: an experiment file is .toml.")
    if Path(output).exists():
        raise UsageError(f"{output} is there already; give another name: -o other.toml.")
    refuse_overwriting(output, [])
    wanted = [str(each) for each in metrics_of(METRICS if metric is None else split(",".join(metric)))]
    said = dict(word.split("=", 1) for word in files if _is_said(word))
    given = [path for path in (*said.values(), qrels, train) if path is not None]
    found = _parts([word for word in files if not _is_said(word)] or ["."], given)
    parts = {"qrels": qrels or _judgements(found)} | ({} if train is None else {"train": train})
    for word in TABLES:
        able = [path for path, part in found.items() if part == word]
        if len(able) == 1:
            parts[word] = able[0]
    listed = [path for path, part in found.items() if part == RUN]
    runs = dict(zip(names_of(listed), listed, strict=True)) | said
    if not runs:
        able = [path for path, part in found.items() if not part and path not in parts.values()]
        example = f"{names_of(able[:1])[0]}={able[0]}" if able else "NAME=FILE"
        more = "".join(
            f" --{word} {quote(parts[word])}" for word in ("qrels", "train") if parts.get(word) in given
        )
        raise UsageError(
            f"no file is a run by what it holds; say which is: rankwell init {quote(example) if able else example}{more}"
            f"{'' if able else '.'}{_advice_on_log(parts['qrels']) if found.get(parts['qrels']) == LOG else ''}"
        )
    grades = _proposal(parts["qrels"], "" if policy.grades == "interactions" else "grade")
    proposed = {
        "columns": {path: _proposal(path, "score") for path in said.values()},
        "qrels_columns": {parts["qrels"]: grades},
    }
    unnamed = {path: ids for path in said.values() if (ids := _query_ids(path))}
    # which asks about ratings, and refuses what are no judgements
    try:
        Evaluator(parts["qrels"], wanted, policy=policy, qrels_columns=grades or None)
    except UsageError as error:
        guessed = next((column for column, word in grades.items() if word == "grade"), None)
        raise error if guessed is None else UsageError(f"if {brief(guessed)} is the grade: {error}") from None
    write(_text(Path(output), parts, runs, wanted, policy, proposed, unnamed), output)
    note = f"wrote {output}: {len(runs)} run{'s' * (len(runs) > 1)}, judged by {parts['qrels']}"
    if asked := [path for columns in proposed.values() for path, own in columns.items() if own]:
        note += f"; answer there, under [read], what the columns of {', '.join(asked)} hold"
    if unnamed:
        note += (
            f"; say there, under [read], which queries {', '.join(unnamed)} answer{'s' * (len(unnamed) == 1)}"
        )
    if left := [path for path in found if path not in {*parts.values(), *runs.values()}]:
        note += f"; not used, as it is not clear what they are: {', '.join(left)}"
    print_note(f"{note}.")


def _query_ids(path: str) -> str:
    """What names the queries of an answer that does not: the name of the file, if it is one answer, or another file; "" if it does, or is none."""
    from rankwell.readers.bytes.files import File
    from rankwell.readers.memory.answers import Shape
    from rankwell.readers.read import read_run
    from rankwell.readers.registry import guess, reader

    try:
        if not isinstance(reader(guess(File(Path(path)))[0]), Shape):
            return ""
    except RankwellError:  # a folder, or one that its command refuses
        return ""
    for ids in (None, "stem"):
        with suppress(RankwellError):
            read_run(path, query_ids=ids)
            return ids or ""
    return "ids.txt"


def _is_said(word: str) -> bool:
    name, sign, path = word.partition("=")
    return bool(sign and name) and not Path(word).exists() and Path(path).exists()


def _parts(words: Sequence[str], known: Sequence[str]) -> dict[str, str]:
    """The files that are named or in a folder, but those that are known, with what each is; without files that are nothing of it."""
    listed: list[Path] = []
    for path in map(Path, words):
        if not path.exists():
            raise InputError(f"{path}: there is no such file or folder.")
        listed += [path] if path.is_file() else sorted(each for level in LEVELS for each in path.glob(level))
    same = {os.path.realpath(path) for path in known}
    paths = [
        str(path)
        for path in listed
        if path.is_file() and os.path.realpath(path) not in same and not HIDDEN.search(path.as_posix())
    ]
    return {path: part for path in paths if (part := part_of(path)) is not None}


def _proposal(path: str, number: str) -> dict[str, str]:
    """Which columns of a table could be the query, the item, and the score or the grade, where their names do not tell; ``number`` is which of these.

    Nothing of what cannot be read as a table.
    """
    from rankwell.readers.bytes.files import File
    from rankwell.readers.frames.unread import look
    from rankwell.readers.registry import TREC, guess, holds, reader
    from rankwell.tables.columns import is_passed, known_word

    try:
        form, _ = guess(file := File(Path(path)))
        if form == TREC or not holds(reader(form), "items"):
            return {}
        table, _ = reader(form).read_table(file, kind="items", columns={})
    except RankwellError:  # a folder, or one that its command refuses
        return {}
    words = {column: known_word(column) for column in table.columns}
    free = [column for column, word in words.items() if word is None]
    lacking = [word for word in ("query", "item") if word not in words.values()]
    proposal = dict(zip(free, lacking, strict=False))
    if number and {"score", "rank", "grade"}.isdisjoint(words.values()):
        free = [column for column in free if column not in proposal and not is_passed(column)]
        looked = look(lambda _: iter([table]), free, "qrels" if number == "grade" else "run")
        proposal |= dict.fromkeys([each for each in free if looked[each].is_number][:1], number)
    return proposal


def part_of(path: str) -> str | None:
    """Return what a file is by what it holds: run, qrels, log, items or users; "" if that does not tell, None if it is none."""
    from rankwell.display.saved_files import kind_of
    from rankwell.readers.bytes.files import File
    from rankwell.readers.formats.trec import data_lines, is_number
    from rankwell.readers.items_users import read_catalogue, read_users
    from rankwell.readers.memory.answers import Shape
    from rankwell.readers.read import read_run
    from rankwell.readers.registry import TREC, guess, holds, reader
    from rankwell.tables.columns import known_word

    if kind_of(path):
        return None
    try:
        file = File(Path(path))
        form, _ = guess(file)
    except RankwellError:
        return None
    if form == TREC:
        words = [word.decode(errors="replace") for word in next(data_lines(file), [])]
        numbers = {6: words[3:5], 4: words[3:4]}.get(len(words), [""])
        return {6: RUN, 4: QRELS}[len(words)] if all(map(is_number, numbers)) else None
    module = reader(form)
    try:
        if isinstance(module, Shape) and module.qrels is None:
            read_run(path)
            return RUN
        if not holds(module, "items"):
            return ""
        table, _ = module.read_table(file, kind="items", columns={})
        known = {known_word(column) for column in table.columns}
        if not {"query", "item"} <= known:
            # only what the commands read: a table with an id twice, or a row without one, is another
            if "item" in known:
                return "items" if read_catalogue(table) else ""
            return "users" if "query" in known and read_users(table) else ""
    except RankwellError:
        return ""
    has_score = bool(known & {"score", "rank"})
    return "" if has_score == ("grade" in known) else RUN if has_score else LOG


def _judgements(found: Mapping[str, str]) -> str:
    """The only file that holds judgements; UsageError if there is none, or one of several."""
    sure, able = (
        [path for path, part in found.items() if part in kinds] for kinds in ((QRELS,), (QRELS, LOG))
    )
    if len(sure) == 1 or len(able) == 1:
        return (sure or able)[0]
    able = able or [path for path, part in found.items() if not part]
    if not able:
        clicks = next((path for path in found if _has_clicks(path)), "")
        raise UsageError(
            f"no file holds judgements; say which does: rankwell init --qrels FILE.{_advice_on_clicks(clicks) if clicks else ''}"
        )
    first = quote(able[0]) if len(able) == 1 else "FILE"
    if len(able) > 1 and found[able[0]]:
        first = f"{quote(able[0])} --train {quote(able[1])}"
    advice = _advice_on_log(able[0]) if len(able) == 1 and RUN not in found.values() else ""
    raise UsageError(
        f"which file holds the judgements, {one_of(able)}? Say it: rankwell init --qrels {first}{'.' if advice else ''}{advice}"
    )


def _advice_on_log(path: str) -> str:
    return (
        f" Of a log alone, training and test data are made by: rankwell prepare split {quote(path)} -o split"
    )


def _has_clicks(path: str) -> bool:
    """Whether the first line of a file names a column of clicks."""
    from rankwell.readers.bytes.files import File

    try:
        line = File(Path(path)).head.partition(b"\n")[0]
    except RankwellError:
        return False
    return b"click" in line.lower()


def _advice_on_clicks(path: str) -> str:
    return f" Of a log of clicks on interleaved lists, the rankers are compared by: rankwell clicks interleaved {quote(path)}"


def _text(
    output: Path,
    parts: Mapping[str, str],
    runs: Mapping[str, str],
    metrics: Sequence[str],
    policy: Policy,
    proposed: Mapping[str, Mapping[str, Mapping[str, str]]],
    unnamed: Mapping[str, str],
) -> str:
    """The file, in which paths are from its folder."""
    folder = output.resolve().parent

    def path_of(path: str) -> str:
        return _value(Path(os.path.relpath(Path(path).resolve(), folder)).as_posix())

    tables = [
        f"{word} = {path_of(parts[word])}  # {about}"
        if word in parts
        else f'# {word} = "{word}.csv"  # {about}'
        for word, about in TABLES.items()
    ]
    rules = [
        f"{field.name} = {_value(getattr(policy, field.name))}"
        for field in fields(policy)
        if getattr(policy, field.name) != field.default
    ]
    lines = []
    for word, columns in proposed.items():
        asked = {path: own for path, own in columns.items() if own}
        # one line for files of all shapes, as TOML says each word once; a column holds what it does in the first of them
        named: dict[str, str] = {}
        for column, meaning in chain.from_iterable(own.items() for own in asked.values()):
            named.setdefault(column, meaning)
        lines += [f"# {word} = {_table(named)}  # {', '.join(asked)}"] if asked else []
    if unnamed:
        ids = "stem" if {*unnamed.values()} == {"stem"} else "ids.txt"
        lines.append(
            f'# query_ids = "{ids}"  # {", ".join(unnamed)}: stem, if the query is the name of its file, or a file with an id a line'
        )
    read = READ.format(proposals="\n".join(lines)) if lines else ""
    return TEXT.format(read=read,
        schema=SCHEMA.as_uri(), file=output.name, qrels=path_of(parts["qrels"]), metrics=_value(metrics),
        primary=_value(metrics[0]), baseline=_value(next(iter(runs))),
        runs="\n".join(f"{_key(name)} = {path_of(path)}" for name, path in runs.items()),
        tables="\n".join(tables), policy="\n".join(rules or ["# rel = 1  # the lowest grade that counts as relevant"]),
    )  # fmt: skip


def _table(columns: Mapping[str, str]) -> str:
    """A table of TOML on one line."""
    return "{" + ", ".join(f"{_key(name)} = {_value(word)}" for name, word in columns.items()) + "}"


def _key(name: str) -> str:
    return name if BARE.fullmatch(name) else _value(name)


def _value(value: object) -> str:
    """A value as TOML writes it, which is as JSON does."""
    return json.dumps(value, ensure_ascii=False)
