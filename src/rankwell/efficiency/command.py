"""The command ``bench``: what is measured, how, and where it is printed."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from rankwell.cli.arguments import DATA, GROWTH, LOAD, OUTPUT, SYSTEMS, Option
from rankwell.cli.commands import INTERRUPTED
from rankwell.cli.options import Encoding, Form, QueryTexts, refuse_files
from rankwell.cli.words import bytes_of, numbers, split, whole_numbers
from rankwell.display.output import in_form, quiet, width, write
from rankwell.display.table import Table
from rankwell.display.text import printable
from rankwell.errors import UsageError, brief
from rankwell.records import record

if TYPE_CHECKING:
    from rankwell.efficiency import Costs, Growth

PLAIN = 150  # the width of tables that go to no terminal


@record(kw_only=True)
class MeasuredSystems:
    """What is measured; several systems have a name each, ``NAME=`` before the command."""

    GROUP: ClassVar = SYSTEMS

    search: Annotated[
        list[str] | None,
        Option(help="the command that answers a query: ``seek {index} {query} -n {k}``; or ``NAME=command``"),
    ] = None
    index: Annotated[
        list[str] | None,
        Option(help="the command that indexes: ``build {items} {index}``; or ``NAME=command``"),
    ] = None
    batch: Annotated[
        list[str] | None,
        Option(
            help="the command that answers a file of queries: ``seek {index} {queries} {run}``; or ``NAME=command``"
        ),
    ] = None
    system: Annotated[
        list[str] | None,
        Option(
            help="a Python object or function: ``package.module:name``, a class is called; or ``NAME=package.module:name``"
        ),
    ] = None


@record(kw_only=True)
class Loads:
    """How queries are sent."""

    GROUP: ClassVar = LOAD

    closed: Annotated[
        str | None,
        Option(
            help="so many queries at a time, each sent when the last is answered: ``1,4``; the default is 1"
        ),
    ] = None
    open: Annotated[
        str | None, Option(help="queries per second, sent whether the system is free or not: ``20,50``")
    ] = None
    batches: Annotated[str | None, Option(help="so many queries per batch: ``32``, or ``all``")] = None
    repetitions: Annotated[int, Option(help="sessions of each system under each load, in turns")] = 5
    threads: Annotated[
        bool, Option(help="send queries of a Python system from threads rather than processes", negative="")
    ] = False
    timeout: Annotated[
        float, Option(help="seconds that a query may take; a batch may take that for each of its queries")
    ] = 60.0
    memory: Annotated[str | None, Option(help="what a system may hold: ``500M``, ``4G``")] = None
    seed: Annotated[int, Option(help="the seed for the order of queries and their arrivals")] = 0


@record(kw_only=True)
class Growing:
    """With how many documents costs are measured."""

    GROUP: ClassVar = GROWTH

    growth: Annotated[
        list[str] | None,
        Option(
            name=("--growth",),
            help="measure how costs grow with the number of documents: ``100,300,1000,…``; alone: 8 numbers over 3 decades, up to all documents",
            several=True,
        ),
    ] = None
    reason: Annotated[str | None, Option(help="why 2 decades must do rather than 3, such as ``memory``")] = (
        None
    )
    at: Annotated[
        int | None,
        Option(help="the number of documents to predict for; default: ten times the most measured"),
    ] = None

    def check(self) -> None:
        """Refuse options of growth without it."""
        if self.growth is None and self.reason is not None:
            raise UsageError("--reason is for --growth.")

    @property
    def sizes(self) -> list[int] | None:
        """The numbers of documents; None means the default ones."""
        return whole_numbers(",".join(self.growth or ()) or None, "--growth")


@record(kw_only=True)
class Quality:
    """What the systems are to find."""

    GROUP: ClassVar = DATA

    queries: QueryTexts = None
    items: Annotated[str | None, Option(help="what is indexed: a file, or a folder of TREC files")] = None
    encoding: Encoding = None
    qrels: Annotated[
        str | None, Option(help="judgements, to show what the systems find beside what it costs")
    ] = None
    metric: Annotated[str, Option(name=("--metric", "-m"), help="metrics for that")] = "ndcg@10"


@record(kw_only=True)
class BenchOutput:
    """Where costs go, and how they are printed."""

    GROUP: ClassVar = OUTPUT

    output: Annotated[
        str | None,
        Option(
            name=("--output", "-o"),
            help="also save everything to this file (``.json``), from which it can be printed again",
        ),
    ] = None
    format: Annotated[Form, Option(help="the output format of what is printed")] = "text"


def bench(
    saved: Annotated[str | None, Option(help="print costs that were saved, instead of measuring")] = None,
    /,
    *more: Annotated[str, Option(help="more of them, of other systems")],
    k: Annotated[int, Option(name=("-k",), help="how many items a query asks for")] = 10,
    systems: MeasuredSystems = MeasuredSystems(),
    loads: Loads = Loads(),
    growing: Growing = Growing(),
    quality: Quality = Quality(),
    output: BenchOutput = BenchOutput(),
) -> int:
    """Measure what systems cost in time and space: indexing, latency, throughput and memory, beside what they find.

    Example: ``rankwell bench --index 'build {items} {index}' --search 'seek {index} {query} {k}' --items corpus.jsonl --queries queries.jsonl``
    """
    if output.output is not None and Path(output.output).suffix != ".json":
        raise UsageError(f"{output.output}: costs are saved as .json.")
    files = [] if saved is None else [saved, *more]
    inputs = [each for each in (*files, quality.queries, quality.qrels) if each is not None]
    refuse_files(inputs, [output.output])
    growing.check()
    if files and any(vars(systems).values()):
        raise UsageError("give saved costs to print, or systems to measure, not both.")
    grown = _saved_growth(files)
    if grown is None and growing.growth is not None:
        grown = _growth(_systems_of(systems), loads, growing, quality, k)
    if grown is not None:
        return _printed(grown, grown.tables(growing.at), output)
    return _costs(files, systems, loads, quality, output, k)


def _costs(
    files: list[str], systems: MeasuredSystems, loads: Loads, quality: Quality, output: BenchOutput, k: int
) -> int:
    """Print costs that were saved, or measured now."""
    from rankwell.efficiency import Costs
    from rankwell.readers.collections.collection import read_collection

    if files:
        first, *others = (Costs.load(each) for each in files)
        costs = sum(others, first)
        qrels = (
            read_collection(qrels=quality.qrels, encoding=quality.encoding).qrels if quality.qrels else None
        )
    else:
        costs, qrels = _measured(_systems_of(systems), loads, quality, k)
    tables = costs.tables()
    if qrels is not None:
        tables[:0] = [costs.beside(qrels, split(quality.metric), load) for load in costs.loads]
    return _printed(costs, tables, output)


def _printed(found: Costs | Growth, tables: list[Table], output: BenchOutput) -> int:
    """Save what was found, and print its tables."""
    if output.output is not None:
        found.save(output.output)
    write(in_form(tables, output.format, width() or PLAIN), None)
    return INTERRUPTED if any("was interrupted" in note for note in found.notes) else 0


def _saved_growth(paths: Sequence[str]) -> Growth | None:
    """Growth that was saved; None if no file holds any."""
    from rankwell.display.saved_files import kind_of
    from rankwell.efficiency.grow import FORMAT, Growth

    if not any(kind_of(each) == FORMAT for each in paths):
        return None
    if len(paths) > 1:
        raise UsageError("saved growth is printed one file at a time.")
    return Growth.load(paths[0])


def _growth(systems: dict[str, Any], rules: Loads, growing: Growing, quality: Quality, k: int) -> Growth:
    """How the costs of the systems grow."""
    from rankwell.efficiency import growth
    from rankwell.readers.collections.collection import read_collection

    _refuse_no_queries(quality)
    if quality.qrels is not None:
        raise UsageError("--qrels is not for --growth.")
    loads = _loads(rules)
    if quality.items is None:
        raise UsageError("--items is missing: what grows.")
    if len(loads) > 1:
        raise UsageError("--growth is measured under one load.")
    sizes = growing.sizes
    read = read_collection(documents=quality.items, topics=quality.queries, encoding=quality.encoding)
    return growth(
        systems,
        read.topics,
        read.documents,
        sizes,
        reason=growing.reason,
        load=loads[0],
        **_options(rules, k),
    )


def _refuse_no_queries(quality: Quality) -> None:
    if quality.queries is None:
        raise UsageError("--queries is missing: the queries to measure with.")


def _options(rules: Loads, k: int) -> dict[str, Any]:
    """What measuring costs and growth take alike."""
    names = ("repetitions", "threads", "timeout", "seed")
    return {name: getattr(rules, name) for name in names} | {
        "k": k,
        "memory": bytes_of(rules.memory, "--memory"),
        "progress": _tell if sys.stderr.isatty() and not quiet.get() else None,
    }


def _measured(systems: dict[str, Any], rules: Loads, quality: Quality, k: int) -> tuple[Costs, Any]:
    """What the systems cost, and the judgements."""
    from rankwell.efficiency import Command, measure
    from rankwell.metrics.grammar import metrics_of
    from rankwell.readers.collections.collection import read_collection

    _refuse_no_queries(quality)
    if quality.qrels is not None:
        metrics_of(split(quality.metric))  # refused before anything is measured
    path = quality.items
    # commands read the file themselves
    only_commands = all(isinstance(each, Command) for each in systems.values())
    if only_commands and path is not None and not Path(path).exists():
        raise UsageError(f"{path}: there is no such file or folder.")
    # read together, since topics get the numbers that the judgements mean
    read = read_collection(
        documents=None if only_commands else path,
        topics=quality.queries,
        qrels=quality.qrels,
        encoding=quality.encoding,
    )
    documents = Path(path).resolve() if only_commands and path is not None else read.documents
    costs = measure(
        systems,
        read.topics,
        items=documents,
        load=_loads(rules),
        **_options(rules, k),
    )
    return costs, read.qrels


def _tell(text: str) -> None:
    """Show what is being measured, in place of the line before."""
    sys.stderr.write(f"\r\x1b[K{printable(text)}\r")
    sys.stderr.flush()


def _loads(given: Loads) -> list[Any]:
    from rankwell.efficiency import Batch, Closed, Open

    found: list[Any] = [Closed(each) for each in whole_numbers(given.closed, "--closed") or ()]
    found += [Open(each) for each in numbers(given.open, "--open") or ()]
    if given.batches == "all":
        found.append(Batch())
    else:
        found += [Batch(each) for each in whole_numbers(given.batches, "--batches") or ()]
    return found or [Closed()]


def _systems_of(given: MeasuredSystems) -> dict[str, Any]:
    """The systems by name, those of commands first."""
    from rankwell.efficiency import Command

    parts = {word: _named(getattr(given, word), word) for word in ("search", "index", "batch", "system")}
    names = list(dict.fromkeys([*parts["search"], *parts["batch"]]))
    for name in parts["index"]:
        if name not in names:
            raise UsageError(f"--index {name}=: there is no --search or --batch of that name.")
    found: dict[str, Any] = {
        name: Command(
            parts["search"].get(name), index=parts["index"].get(name), batch=parts["batch"].get(name)
        )
        for name in names
    }
    found |= {name: _imported(place) for name, place in parts["system"].items()}
    if not found:
        raise UsageError("no system: give --search COMMAND, --batch COMMAND or --system MODULE:NAME.")
    return found


def _named(given: list[str] | None, word: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in given or ():
        name, sign, rest = text.partition("=")
        if not sign or not name.replace("-", "").replace("_", "").replace(".", "").isalnum():
            name, rest = text.rpartition(":")[2] if word == "system" else "system", text
        if name in found:
            raise UsageError(f"--{word} {name} is given twice; write NAME= before each.")
        found[name] = rest
    return found


def _imported(place: str) -> Any:
    module, _, name = place.partition(":")
    if not all(part.isidentifier() for part in (*module.split("."), name)):
        raise UsageError(f"--system takes package.module:name, not {brief(place)}.")
    sys.path.insert(0, str(Path.cwd()))
    try:
        loaded = importlib.import_module(module)
    except (Exception, SystemExit) as error:  # what the user's module raises
        raise UsageError(f"--system {place}: cannot be imported ({_said(error)}).") from error
    if not hasattr(loaded, name):
        raise UsageError(f"--system {place}: the module {module} has no {name}.")
    found = getattr(loaded, name)
    if not isinstance(found, type):
        return found
    try:
        return found()
    except (Exception, SystemExit) as error:  # as above
        raise UsageError(
            f"--system {place}: {name}() cannot be made ({_said(error)}). A class is called without arguments; name an object that "
            "is made with them."
        ) from error


def _said(error: BaseException) -> str:
    """What an import error says, or the kind and the first line of another."""
    first, *_ = str(error).strip().splitlines() or [""]
    return first if isinstance(error, ImportError) else f"{type(error).__name__}: {first}"
