"""The command line: each command parses, calls one function of the library, and prints."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rankwell.cli.arguments import pairs_in, parsed, refuse_saved
from rankwell.cli.commands import (
    BAD_DATA,
    HELP,
    INTERRUPTED,
    MODULES,
    USAGE,
    command,
    function_of,
    homes,
    named,
)
from rankwell.cli.words import as_options, loaded, paired, with_command
from rankwell.display.output import make_safe, print_note, printing, quiet, width, write
from rankwell.display.text import printable
from rankwell.errors import DataError, DataWarning, InputError, RankwellError, UsageError, brief

if TYPE_CHECKING:
    from rankwell.comparison.experiment import Experiment

QUIET, OTHER_TOOLS = "--quiet", ("trec_eval", "ndeval")
# commands that are parsed without Cyclopts, which takes longer to load than they may take
PLAIN = ("evaluate", "completion")
# commands that take an experiment file, and the option that names it
EXPERIMENTS, EXPERIMENT = ("evaluate", "compare", "gate", "report"), "--experiment"
COMPARING = "compare", "report"
SHORT = {"-m": "--metric", "-o": "--output", "-v": "--verbose"}


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code: 0 success, 1 lint found a problem, 2 wrong usage, 3 bad data.

    An error is one line on stderr. With ``--quiet``, it is the only one.
    """
    make_safe(sys.stderr, "backslashreplace")
    is_quiet = QUIET in arguments and arguments[0] not in OTHER_TOOLS
    if is_quiet:
        arguments = [word for word in arguments if word != QUIET]
    silence, held = quiet.set(is_quiet), loaded.set({})
    token = paired.set(lambda: _pairs_of(arguments))
    try:
        with printing(), warnings_shown():
            return _run(arguments) or 0
    except (DataError, InputError) as error:
        return _fail(str(error), BAD_DATA)
    except RankwellError as error:
        return _fail(str(error), USAGE)
    except KeyboardInterrupt:
        return _fail("interrupted.", INTERRUPTED)
    except MemoryError:
        return _fail(
            "not enough memory for these data; ask for fewer metrics or use a machine with more.", BAD_DATA
        )
    finally:
        paired.reset(token)
        quiet.reset(silence)
        loaded.reset(held)
    return 0  # the reader of what was printed has gone away


def _pairs_of(arguments: Sequence[str]) -> dict[str, str]:
    """The words that options of the command take as pairs; the files of optional rooms are looked at only for a command of theirs."""
    if next(iter(arguments), "") in MODULES:
        return pairs_in(command(arguments[0]))
    return pairs_in(function_of(words)) if (words := named(arguments)) in homes() else {}


def _run(arguments: Sequence[str]) -> int | None:
    name = next(iter(arguments), "")
    if len(arguments) < 2 or not HELP.isdisjoint(arguments):
        from rankwell.cli.help import asked_page

        if (page := asked_page(arguments)) is not None:
            write(page.text(width()), None)
            return None
    if name == "report":
        arguments = with_command(arguments)
    if any(argument == "-" or argument.endswith("=-") for argument in arguments):
        from rankwell.readers.bytes.paths import with_standard_input

        arguments = with_standard_input(arguments)
    if name in EXPERIMENTS:
        arguments = with_experiment(arguments)
    if name in PLAIN:
        function = command(name)
        if name == "evaluate":
            refuse_saved(function, arguments[1:])
        found = parsed(function, arguments[1:])
        if found is not None:
            positional, given = found
            return function(*positional, **given)
    from rankwell.cli.parser import run as parse_and_run

    return parse_and_run(arguments)


@contextmanager
def warnings_shown() -> Iterator[None]:
    """Print warnings about the data at once, a line each, in front of the numbers."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", DataWarning)
        others, said = warnings.showwarning, set[str]()

        def show(message: Any, category: Any, *rest: Any) -> None:
            if not issubclass(category, DataWarning):
                others(message, category, *rest)
                return
            for line in str(message).splitlines():
                if line not in said:  # of one file in each of several evaluations
                    print_note(as_options(line))
                said.add(line)

        warnings.showwarning = show  # type: ignore[assignment]
        yield


def _fail(message: str, code: int) -> int:
    sys.stderr.write(f"rankwell: {printable(as_options(' '.join(message.split())))}\n")
    return code


def with_experiment(arguments: Sequence[str]) -> list[str]:
    """Return the arguments of evaluate, compare, gate or report with those of an experiment file, if one is named.

    What the file says is written out as arguments; what is given beside it wins.
    """
    name, *rest = arguments
    path = _experiment_in(rest)
    if path is None:
        return list(arguments)
    from rankwell.comparison.experiment import experiment_of

    if EXPERIMENT in rest:
        at = rest.index(EXPERIMENT)
        rest = rest[:at] + rest[at + 2 :]
    else:
        rest.remove(path)
    found = experiment_of(path)
    given = {SHORT.get(word, word.partition("=")[0]) for word in rest if word.startswith("-")}
    files = [f"{name}={file}" for name, file in found.runs.items()]
    if name == "gate":
        files, rest = _new_run(found, rest)
    if found.qrels is None and name not in COMPARING:
        raise UsageError(f'{path}: name the judgements: qrels = "qrels.txt".')
    words = [name, found.qrels or "none", *files]
    # what is about the file's metrics means nothing to others
    given |= {"--primary", "--margin", "--rope", "--max-drop"} if "--metric" in given else set()
    for option, value in _options(found, name):
        if option not in given:
            words += _words(option, value)
    return [*words, EXPERIMENT, found.origin, *rest]


def _experiment_in(rest: Sequence[str]) -> str | None:
    """The experiment file: what the option names, or a first argument that ends with .toml."""
    if EXPERIMENT not in rest:
        return rest[0] if rest and rest[0].endswith(".toml") else None
    path = next(iter(rest[list(rest).index(EXPERIMENT) + 1 :]), "")
    if not path.endswith(".toml"):
        raise UsageError(f"{EXPERIMENT} names a file such as rankwell.toml, not {brief(path)}.")
    return path


def _new_run(found: Experiment, rest: Sequence[str]) -> tuple[list[str], list[str]]:
    """The run that the gate looks at, and the other arguments: a first word, or the only run that is not the baseline."""
    if rest and not rest[0].startswith("-"):
        name = rest[0]
        return [f"{name}={found.runs[name]}" if name in found.runs else name], list(rest[1:])
    others = [f"{name}={file}" for name, file in found.runs.items() if name != found.baseline]
    if len(others) != 1:
        raise UsageError(
            f"{found.path}: holds {len(others)} runs beside the baseline; say which one is new, by its name or its file, "
            f"right after the experiment file."
        )
    return others, list(rest)


def _options(found: Experiment, command: str) -> list[tuple[str, Any]]:
    """The options of a command that the file says, by their names."""
    options: list[tuple[str, Any]] = [("--metric", list(found.metrics)), ("--by", list(found.by))]
    options += [("--weights", found.weights)]
    options += [(f"--{word}", value) for word, value in found.tables.items()]
    options += [(_dashed(word), value) for word, value in {**found.policy, **found.read}.items()]
    if command in (*COMPARING, "gate"):
        options += [("--clusters", found.clusters)]
        options += [(_dashed(word), value) for word, value in found.statistics.items() if _has(command, word)]
    if command in COMPARING and (len(found.runs) > 1 or command == "compare"):
        options += [
            ("--baseline", found.baseline),
            ("--primary", found.primary),
            ("--margin", dict(found.margins)),
            ("--rope", dict(found.rope)),
            ("--seeds", {name: ",".join(runs) for name, runs in found.seeds.items()}),
            ("--folds", {name: ",".join(runs) for name, runs in found.folds.items()}),
        ]
    if command == "gate":
        options += [("--max-drop", dict(found.margins))]
        options += [(_dashed(word), value) for word, value in found.gate.items()]
        if found.baseline is not None and found.baseline not in found.runs:
            raise UsageError(
                f"{found.path}: the baseline {brief(found.baseline)} is several runs; the gate takes one."
            )
        if found.baseline is not None:
            options.append(("--baseline", f"{found.baseline}={found.runs[found.baseline]}"))
    return options


def _has(command: str, word: str) -> bool:
    return command in COMPARING or word in ("alpha", "power", "flips", "seed")


def _dashed(word: str) -> str:
    return f"--{word.replace('_', '-')}"


def _words(option: str, value: Any) -> list[str]:
    """An option as words: repeated for lists and tables, bare for true, left out for nothing."""
    if value is None or value is False:
        return []
    if value is True:
        return [option]
    if isinstance(value, dict):
        return [word for name, each in value.items() for word in (option, f"{name}={each}")]
    if isinstance(value, list):
        return [word for each in value for word in (option, str(each))]
    return [option, str(value)]
