"""Options that several commands share, declared once: as groups, or one by one."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from rankwell.cli.arguments import DATA, ENGINE, OUTPUT, POLICY, READING, UNJUDGED, Option
from rankwell.cli.words import as_options, pairs, split, typed_as
from rankwell.display.output import in_form, print_note, refuse_overwriting, width, write
from rankwell.errors import InputError, UsageError, brief, one_of
from rankwell.matching.policy import Policy
from rankwell.readers.bytes.paths import STDIN
from rankwell.records import record

if TYPE_CHECKING:
    from rankwell.display.table import Table
    from rankwell.results import Results


Metrics = Annotated[
    list[str] | None,
    Option(
        name=("--metric", "-m"),
        help="a metric such as ``ndcg@10`` or ``'ap(denom=R)@100'``; repeat the option, or separate several by commas; "
        "``recsys`` is a bundle for recommenders",
    ),
]
Output = Annotated[
    str | None,
    Option(name=("--output", "-o"), group=OUTPUT, help="write to this file instead of stdout"),
]
DatedResults = Annotated[
    str,
    Option(
        help="saved results by the one date in the name of each file: a folder, a quoted pattern, or a window of days: "
        "``days/2026-11-01..2026-11-30``"
    ),
]
Form = Literal["text", "markdown", "latex", "html", "json", "csv"]
Format = Annotated[
    Form | None,
    Option(group=OUTPUT, help="the output format; default: that of the suffix of the output"),
]
FromExperiment = Annotated[
    str | None,
    Option(
        group=DATA,
        help="a file (``rankwell.toml``) that says all of this; what is given beside it wins, and results carry its hash",
    ),
]
IntoLedger = Annotated[
    str | None,
    Option(
        group=OUTPUT,
        help="add a line per run that is evaluated to this file; ``rankwell ledger`` counts what it holds",
    ),
]
Encoding = Annotated[
    str | None,
    Option(
        group=READING,
        help="the encoding of text files without a byte-order mark, if it is not UTF-8: cp949, euc-kr, latin-1 …",
    ),
]
Threads = Annotated[int | None, Option(help="the number of threads; default: the cores of this process")]
QueryTexts = Annotated[
    str | None,
    Option(
        group=DATA, help="the texts of queries: a table of query and text, or topics of SMART, TREC or BEIR"
    ),
]
ItemText = Annotated[
    str | None,
    Option(
        group=DATA, help="the column of --items with the text of each item; by default text, title or name"
    ),
]
PolicyRules = Annotated[Policy, Option(group=POLICY)]
PolicyPairs = Annotated[
    Policy,
    Option(
        name=("--policy",),
        group=POLICY,
        pairs=True,
        help="a rule and its value, such as ``ties=order``, or ``--ties order``; repeat it. ``rankwell evaluate --help-all`` explains the rules",
    ),
]
Way = Literal["blank", "comma", "semicolon", "bar", "brackets", "one"]  # how cells write lists of items


@record(kw_only=True)
class Tables:
    """What metrics read beside runs and judgements."""

    GROUP: ClassVar = DATA

    train: Annotated[str | None, Option(help="the training data: a table of query, item (and grade)")] = None
    items: Annotated[
        str | None,
        Option(help="the catalogue: a table of items; metrics name its other columns (topics …)"),
    ] = None
    users: Annotated[
        str | None,
        Option(help="a table of queries (users) with more columns; ``user_coverage`` counts its users"),
    ] = None

    @property
    def given(self) -> list[str]:
        """The files that were given."""
        return [each for each in (self.train, self.items, self.users) if each is not None]


@record(kw_only=True)
class Engines:
    """Where data are evaluated: in memory, part by part if they do not fit, or on Spark."""

    GROUP: ClassVar = ENGINE

    engine: Annotated[
        Literal["memory", "stream", "spark"] | None,
        Option(
            help="``stream`` reads data part by part that do not fit into memory, ``spark`` leaves Parquet and tables where they are "
            "on a cluster; default: by their size",
        ),
    ] = None
    memory: Annotated[
        str | None,
        Option(help="what stream may use, such as 2GiB; default: half of what is free"),
    ] = None
    resume: Annotated[
        str | None,
        Option(
            help="a new folder in which stream keeps what is done: if it is ended early, the same command goes on from there",
        ),
    ] = None

    remote: Annotated[
        str | None,
        Option(
            help="where Spark is: ``sc://host:15002`` (Spark Connect) or ``local``; default: local, as the settings of Spark say",
        ),
    ] = None

    def of(self, *sources: Any, progress: Any) -> Any:
        """Return the engine; a note on stderr tells why it is ``stream`` if nobody asked for that."""
        from rankwell.evaluation.engine import class_of, too_large

        asked = self.engine == "stream" or (self.engine is None and (self.memory or self.resume) is not None)
        if self.engine not in (None, "stream") and (self.memory or self.resume) is not None:
            raise UsageError("--memory and --resume are for --engine stream.")
        if self.engine not in (None, "spark") and self.remote is not None:
            raise UsageError("--remote is for --engine spark.")
        if self.engine == "spark" or self.remote is not None:
            if asked:
                raise UsageError(
                    "--memory and --resume are for --engine stream, --remote is for --engine spark."
                )
            return class_of("spark")(self.remote or "local")
        if self.engine is None and not asked:
            why = too_large(*sources)
            asked = bool(why)
            if asked:
                print_note(as_options(why))
        if not asked:
            return class_of("memory")(progress=progress)
        return class_of("stream")(
            self.memory, self.resume, progress=None if progress is None else progress.of_total
        )


@record(kw_only=True)
class ReadingQrels:
    """The format, the columns and the encoding of judgements, where they are not recognised."""

    GROUP: ClassVar = READING

    qrels_format: Annotated[str | None, Option(help="the format of the judgements")] = None
    qrels_columns: Annotated[
        list[str] | None, Option(help="a column of the judgements and its meaning; repeat it")
    ] = None
    qrels_items_in: Annotated[Way | None, Option(help="the same for the judgements")] = None
    encoding: Encoding = None

    @property
    def named(self) -> dict[str, str]:
        """What columns hold, but those of judgements: nothing beside judgements alone."""
        return {}

    @property
    def of_qrels(self) -> dict[str, Any]:
        """What ``read_qrels`` takes."""
        from rankwell.evaluation.request import split_tables
        from rankwell.readers.frames.columns import Given

        given, items_in = pairs(self.qrels_columns, typed_as("qrels_columns")), self.qrels_items_in
        tables = split_tables(self.named)[1]
        columns = Given(given, argument="qrels_columns", items_in=items_in, tables=tables)
        return {"format_in": self.qrels_format, "columns": columns, "encoding": self.encoding}


@record(kw_only=True)
class Reading(ReadingQrels):
    """The format and the columns of runs and judgements, where they are not recognised."""

    format_in: Annotated[
        str | None,
        Option(help="the format of the runs, if it is not recognised: trec, delimited, json …"),
    ] = None
    columns: Annotated[
        list[str] | None,
        Option(
            help="a column of the runs and its meaning: ``userNo=query``; of another table ``train.userNo=query``; repeat it"
        ),
    ] = None
    order: Annotated[
        Literal["rows"] | None,
        Option(help="``rows`` if the rows of a table stand best first, whatever other columns hold"),
    ] = None
    rank_base: Annotated[
        Literal[0, 1] | None,
        Option(help="the rank of a first item in a rank column; default 0 if the run has that rank, else 1"),
    ] = None
    query_ids: Annotated[
        str | None,
        Option(
            help="the ids of the queries, where answers (Elasticsearch, Vespa …) do not name them: a file with an id a line, or ``stem``, "
            "the name of each file",
        ),
    ] = None
    items_in: Annotated[
        Way | None, Option(help="how a cell of a table writes a list of items; ``one`` if each is one item")
    ] = None
    scores_from: Annotated[
        str | None,
        Option(
            help="the scores of a LETOR file: a file with a score a line; of answers with citations their support: a table"
        ),
    ] = None

    @property
    def named(self) -> dict[str, str]:
        """What columns hold: those of runs, and those of other tables, named with the table before them."""
        return pairs(self.columns, typed_as("columns"))

    @property
    def of_tables(self) -> dict[str, Any]:
        """What ``read=`` takes beside runs and judgements that have been read: what holds for other tables."""
        from rankwell.evaluation.request import split_tables

        tables = split_tables(self.named)[1]
        columns = {f"{table}.{column}": word for table, own in tables.items() for column, word in own.items()}
        return {"encoding": self.encoding} | ({"columns": columns} if columns else {})

    @property
    def of_runs(self) -> dict[str, Any]:
        """What ``read_run`` takes."""
        from rankwell.evaluation.request import split_tables

        columns = split_tables(self.named)[0] or {}
        read = {"format_in": self.format_in, "columns": columns, "encoding": self.encoding}
        read |= {"query_ids": self.query_ids, "items_in": self.items_in, "scores_from": self.scores_from}
        return read | {"rank_base": self.rank_base, "order": self.order}

    @property
    def words(self) -> dict[str, Any]:
        """What ``read=`` takes."""
        given = {
            **self.of_runs, "columns": self.named, "qrels_columns": pairs(self.qrels_columns, typed_as("qrels_columns")), "qrels_format": self.qrels_format,
            "qrels_items_in": self.qrels_items_in,
        }  # fmt: skip
        said = {word: value for word, value in given.items() if value not in (None, {})}
        # what is said of runs by an option holds for runs alone, unlike the columns and the format in read=
        return said and {"qrels_columns": None, "qrels_format": None} | said


READ_PAIRS = Option(
    name=("--read",),
    group=READING,
    pairs=True,
    help="what is not recognised of a file, such as ``encoding=cp949`` or ``columns=userNo=query``; repeat it. ``rankwell evaluate "
    "--help-all`` explains the words",
)
ReadingPairs = Annotated[Reading, READ_PAIRS]
ReadingQrelsPairs = Annotated[ReadingQrels, READ_PAIRS]


@record(kw_only=True)
class Redacting:
    """Whether ids are shown as hashes."""

    GROUP: ClassVar = OUTPUT

    redact: Annotated[
        bool,
        Option(
            help="show ids as hashes under a random key, no texts, and no segment of fewer than 5 queries, for what is given to others"
        ),
    ] = False
    redact_key: Annotated[
        str | None,
        Option(
            help="the same with the key in this file, of at least 16 bytes, so that an id has the same hash each time"
        ),
    ] = None

    @property
    def wanted(self) -> bool | bytes:
        """What ``redact=`` takes; InputError if the key cannot be read."""
        if self.redact_key is None:
            return self.redact
        try:
            return Path(self.redact_key).read_bytes().strip()
        except OSError as error:
            raise InputError(f"{self.redact_key}: the key cannot be read ({error.strerror}).") from error


@contextmanager
def notes_printed() -> Iterator[None]:
    """Print what the library warns of as notes, as soon as the block has ended."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", UserWarning)
        yield
    for line in dict.fromkeys(line for each in found for line in str(each.message).splitlines()):
        print_note(as_options(line))


SUFFIXES = {
    ".json": "json", ".csv": "csv", ".parquet": "parquet", ".md": "markdown", ".tex": "latex", ".html": "html", ".htm": "html",
    ".xlsx": "xlsx", ".xml": "junit", ".txt": "text", ".text": "text", ".log": "text", "": "text",
}  # fmt: skip


def form_of(given: str | None, output: str | None, allowed: Sequence[str]) -> str:
    """Return the output format: the one given, else that of the output's suffix, else text.

    UsageError if the option names a format that the command does not write, or the suffix is that of none that it writes.
    """
    if given is not None:
        if given in allowed:
            return _workbook(given, output)
        raise UsageError(f"--format {given}: this writes {one_of(allowed)}.")
    form = SUFFIXES.get(PurePath(output or "").suffix.lower(), "")
    if form not in allowed:
        ends = [end for end, own in SUFFIXES.items() if own in allowed and end]
        raise UsageError(
            f"-o {output}: this writes {one_of(ends)}; choose one of these suffixes, or say --format."
        )
    return _workbook(form, output)


def _workbook(form: str, output: str | None) -> str:
    """Return the form; UsageError, before the work, if it is that of a workbook, which needs a file and a package."""
    if form == "xlsx":
        if output is None:
            raise UsageError("--format xlsx writes a file for Excel: give -o FILE.xlsx.")
        from rankwell.display.workbook import require_workbooks

        require_workbooks(output)
    return form


def with_origin(results: Iterable[Results], origin: str | None) -> list[Results]:
    """Return results that carry the experiment they come from."""
    return [replace(res, experiment=origin) for res in results] if origin else list(results)


def write_found(found: Any, form: str, output: str | None) -> None:
    """Print a result in a format, or write it to a file: its tables, as CSV its rows, as JSON all of it."""
    if form == "csv":
        write(found.to_frame().write_csv(), output)
    elif form in ("json", "markdown"):
        write(getattr(found, f"to_{form}")(), output)
    else:
        write_tables(found.tables(), form, output)


def write_tables(tables: Sequence[Table], form: str, output: str | None) -> None:
    """Print tables in a format, or write them to a file."""
    if form == "xlsx":
        from rankwell.display.workbook import save_workbook

        assert output is not None  # form_of asked for it
        save_workbook(tables, output)
        return
    write(in_form(tables, form, None if output else width()), output)


def refuse_files(
    inputs: Sequence[str], outputs: Sequence[str | None], appended: Sequence[str | None] = ()
) -> None:
    """Refuse, before anything is read, files that cannot be read or written as asked; ``appended`` are those that are added to.

    RankwellError if a metric stands where a file should, standard input or a pipe is named twice, an output cannot be written or would overwrite an
    input, or what is written has no file of its own.
    """
    from rankwell.metrics.names import METRICS

    metrics = {name for _, *names in METRICS.values() for name in names}
    for each in inputs:
        if each.partition("@")[0].partition("(")[0].lower() in metrics and not Path(each).exists():
            raise UsageError(
                f"{each}: there is no such file. If it is a metric, give each with -m: -m {each}."
            )
    if list(inputs).count(STDIN) > 1:
        raise UsageError("standard input can be read only once; name a file for the others.")
    twice = next((each for each in inputs if inputs.count(each) > 1 and Path(each).is_fifo()), None)
    if twice is not None:
        raise UsageError(f"{twice}: a pipe can be read only once; name a file for the others.")
    for output in outputs:
        if output is not None:
            kept = [each for each in (*inputs, *appended) if each is not None and each != STDIN]
            refuse_overwriting(output, kept)
    own = [each for each in (*outputs, *appended) if each is not None and not _is_device(each)]
    if STDIN in own:
        raise UsageError("only after -o is - standard output; name a file.")
    for at, each in enumerate(own):
        if Path(each).absolute() in [Path(other).absolute() for other in own[:at]]:
            raise UsageError(f"{each} cannot hold two outputs; name a file for each.")


def refuse_among_days(results: Sequence[str], output: str | None) -> None:
    """Refuse an output that would overwrite one of the saved results by date, or be read as one the next time."""
    from rankwell.results.saving.days import SUFFIXES, files_of, split_window

    refuse_files([str(file.path) for each in results for file in files_of(each)], [output])
    if output is not None and Path(output).suffix.lower() in SUFFIXES:
        folders = [Path(split_window(each)[0]).resolve() for each in results]
        if any(folder.is_dir() and folder in Path(output).resolve().parents for folder in folders):
            raise UsageError(
                f"-o {output} would be read as results of a day next time; choose another folder."
            )


def _is_device(path: str) -> bool:
    return path == "-" or (os.path.exists(path) and not os.path.isfile(path))  # noqa: PTH110, PTH113 - also names that are too long


@record(kw_only=True)
class BoundingOptions:
    """How far judging unjudged items could move the values."""

    GROUP: ClassVar = UNJUDGED

    bounds: Annotated[
        bool,
        Option(help="also the lowest and the highest value over all grades that unjudged items could get"),
    ] = False
    pool: Annotated[
        list[str] | None,
        Option(
            help="the items that may be relevant beside those of a list, without which recall, AP and nDCG have no lowest value: "
            "those of the runs down to a depth (``100``, or ``all``), or of one more run (a file); repeat it"
        ),
    ] = None
    scale: Annotated[
        str | None,
        Option(
            help="the highest grade that an item could get, or all grades (``0,1,3``); default: the highest grade judged"
        ),
    ] = None

    def given(self, weights: str | None) -> dict[str, Any]:
        """What ``report`` takes, by name; UsageError for options that do not go together."""
        return {name: value for name, value in self.wanted(weights).items() if value not in (None, False)}

    def wanted(self, weights: str | None = None) -> dict[str, Any]:
        """What a request takes, by name; UsageError for options that do not go together."""
        if not self.bounds:
            for name, value in (("--pool", self.pool), ("--scale", self.scale)):
                if value is not None:
                    raise UsageError(f"{name} is about bounds: give --bounds too.")
        elif weights is not None:
            raise UsageError("--bounds cannot be combined with --weights.")
        pool = None if self.pool is None else [int(part) if part.isdecimal() else part for part in self.pool]
        return {"bounds": self.bounds, "pool": pool, "scale": self._grades()}

    def _grades(self) -> float | list[float] | None:
        if self.scale is None:
            return None
        try:
            grades = [float(word) for word in split(self.scale)]
        except ValueError:
            grades = []
        if not grades:
            raise UsageError(
                f"--scale {brief(self.scale)}: give the highest grade of the scale, such as 3, or all grades, such as 0,1,3."
            )
        return grades[0] if len(grades) == 1 else grades

    @property
    def files(self) -> list[str]:
        """The files that were given."""
        return [part for part in self.pool or () if part != "all" and not part.isdecimal()]
