"""Experiment files on the command line: what they say is written out as arguments; what is given beside them wins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankwell.cli.arguments import arguments_of, without_none
from rankwell.cli.commands import command as command_named
from rankwell.comparison.experiment import Experiment, experiment_of
from rankwell.errors import UsageError, brief
from rankwell.tables.arguments import UNFIT, fitted

OPTION = "--experiment"
COMPARING = "compare", "report"
SHORT = {"-m": "--metric", "-o": "--output", "-v": "--verbose"}


def with_experiment(arguments: Sequence[str]) -> list[str]:
    """Return the arguments of evaluate, compare, gate or report with those of an experiment file, if one is named."""
    command, *rest = arguments
    path = _named(rest)
    if path is None:
        return list(arguments)
    if OPTION in rest:
        at = rest.index(OPTION)
        rest = rest[:at] + rest[at + 2 :]
    else:
        rest.remove(path)
    found = experiment_of(path)
    given = {SHORT.get(word, word.partition("=")[0]) for word in rest if word.startswith("-")}
    files = [f"{name}={file}" for name, file in found.runs.items()]
    if command == "gate":
        files, rest = _new_run(found, rest)
    if found.qrels is None and command not in COMPARING:
        raise UsageError(f'{path}: name the judgements: qrels = "qrels.txt".')
    words = [command, found.qrels or "none", *files]
    # what is about the file's metrics means nothing to others
    given |= {"--primary", "--margin", "--rope", "--max-drop"} if "--metric" in given else set()
    kinds = {
        name: without_none(argument.type)
        for argument in arguments_of(command_named(command))
        for name in argument.names
    }
    for option, value in _options(found, command):
        kind, must = kinds.get(option), ""
        if isinstance(value, bool) != (kind is bool) and value is not None:
            must = "true or false" if kind is bool else "a value, not true or false"
        elif kind is int and fitted(value, int) is UNFIT:
            must = "a whole number such as 10"
        if must:
            word = option.removeprefix("--").replace("-", "_")
            raise UsageError(f"{path}: {word} = {str(value).lower()}: must be {must}.")
        if option not in given:
            words += _words(option, value)
    return [*words, OPTION, found.origin, *rest]


def _named(rest: Sequence[str]) -> str | None:
    """The experiment file: what the option names, or a first argument that ends with .toml."""
    if OPTION not in rest:
        return rest[0] if rest and rest[0].endswith(".toml") else None
    path = next(iter(rest[list(rest).index(OPTION) + 1 :]), "")
    if not path.endswith(".toml"):
        raise UsageError(f"{OPTION} names a file such as rankwell.toml, not {brief(path)}.")
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
