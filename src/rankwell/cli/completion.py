"""The command ``completion``: the script by which a shell completes command lines, and what it asks for at each press of Tab."""

from __future__ import annotations

import csv
import json
import shlex
from collections.abc import Iterable, Sequence
from contextlib import suppress
from inspect import Parameter
from pathlib import Path
from typing import Annotated

from rankwell.cli.arguments import (
    POSITIONAL,
    Argument,
    Option,
    arguments_of,
    fields_of,
    places_of,
    without_none,
)
from rankwell.cli.commands import HELP, function_of, homes, named
from rankwell.cli.help import TAKES, choices_of
from rankwell.cli.words import split_names
from rankwell.display.output import write
from rankwell.errors import RankwellError, UsageError, one_of

SCRIPTS = {
    "bash": r"""# rankwell completion bash >> ~/.bashrc
_rankwell() {
  local IFS=$'\n' line="${COMP_LINE:0:COMP_POINT}"
  local word="${line##*[[:space:]]}"
  local begun="${word%"${word##*[=:@]}"}"  # bash completes what is behind these signs
  COMPREPLY=($(rankwell completion bash "$line" 2>/dev/null))
  [[ ${COMPREPLY[0]} == *[=@] ]] && compopt -o nospace
  COMPREPLY=("${COMPREPLY[@]#"$begun"}")
}
complete -o default -F _rankwell rankwell""",
    "zsh": r"""# rankwell completion zsh >> ~/.zshrc, behind compinit
_rankwell() {
  local -a found
  found=("${(@f)$(rankwell completion zsh "${BUFFER[1,CURSOR]}" 2>/dev/null)}")
  [[ -z "$found" ]] && { _files; return }
  compadd -Q -- ${found:#*[=@]}
  compadd -Q -S '' -- ${(M)found:#*[=@]}
}
compdef _rankwell rankwell""",
    "fish": r"""# rankwell completion fish > ~/.config/fish/completions/rankwell.fish
complete -c rankwell -a '(rankwell completion fish (commandline -cp) 2>/dev/null)'""",
}
CUTS = 5, 10, 20, 100
PRESETS = Path(__file__).parents[1] / "evaluation" / "presets"


def completion(
    shell: Annotated[str, Option(help="bash, zsh or fish")],
    line: Annotated[
        str | None, Option(help="a command line up to the cursor: print how its last word may go on")
    ] = None,
    /,
) -> None:
    """Print the script by which a shell completes commands, options, metrics, presets and columns.

    Nothing is installed: the first line of the script says where it belongs.

    Example: ``rankwell completion bash``
    """
    if shell not in SCRIPTS:
        raise UsageError(f"{shell}: the shell must be {one_of(SCRIPTS)}.")
    if line is None:
        write(SCRIPTS[shell], None)
    elif found := candidates(line):
        write("\n".join(found), None)


def candidates(line: str) -> list[str]:
    """Return the words that the last word of a command line may become; none where the shell offers files.

    >>> candidates("rankwell evaluate q.txt a.run -m nd"), candidates("rankwell ro")
    (['ndcg', 'ndcg_ia', 'ndcg_rel'], ['rosetta'])
    """
    try:
        words = shlex.split(line)
    except ValueError:  # an open quote
        words = line.split()
    if line[-1:].isspace() or len(words) < 2:
        words.append("")
    *before, word = words[1:]
    with suppress(RankwellError, OSError, ValueError):
        return [shlex.quote(each) for each in dict.fromkeys(_offered(before, word)) if each.startswith(word)]
    return []


def _offered(before: Sequence[str], word: str) -> Iterable[str]:
    called = named(before)
    if called not in homes():
        known = () if len(before) > len(called) else homes()
        return [*[words[len(called)] for words in known if words[: len(called)] == called], *sorted(HELP)]
    own = arguments_of(function_of(called))
    options = {name: argument for argument in own for name in argument.names}
    given = before[len(called) :]
    name, sign, value = word.partition("=")
    if sign and name in options:
        return [f"{name}={each}" for each in _values(options[name], value, own, given)]
    last = options.get(given[-1]) if given else None
    if last is not None and without_none(last.type) is not bool:
        return _values(last, word, own, given)
    if word.startswith("-"):
        return [*options, *sorted(HELP), "--quiet"]
    files = _files(own, given)
    places = [argument for argument in own if argument.kind in POSITIONAL]
    place = places[min(len(files), len(places) - 1)] if places else None
    several = place is not None and (len(files) < len(places) or place.kind is Parameter.VAR_POSITIONAL)
    is_metric = several and place is not None and place.field in ("metric", "metrics")
    return _metrics(word) if is_metric else ()


def _values(argument: Argument, word: str, own: Sequence[Argument], given: Sequence[str]) -> Iterable[str]:
    """What an option may be given; nothing for files and free text."""
    if choices := choices_of(argument.type):
        return choices
    takes, files = TAKES.get(argument.field), _files(own, given)
    if takes == "METRIC":
        return _metrics(word)
    if takes == "PRESET":
        return [path.stem for path in sorted(PRESETS.glob("*.toml"))]
    if takes == "COLUMN":
        table = "--items" if argument.field in ("text", "image", "column") else "--users"
        return [
            column
            for at, each in enumerate(given[:-1])
            if each == table
            for column in columns_of(given[at + 1])
        ]
    column, sign, _ = word.partition("=")
    if takes == "COLUMN=WORD":
        chosen = files[:1] if argument.field == "qrels_columns" else files[1:]
        found = [each for file in split_names(chosen)[1] for each in columns_of(file)]
        words = (
            ("query", "item", "grade")
            if argument.field == "qrels_columns"
            else ("query", "item", "score", "rank")
        )
        return [f"{column}={each}" for each in words] if sign else [f"{each}=" for each in found]
    if argument.option.pairs:
        fields = {each.field: each for each in fields_of("", argument.of, "")}
        return (
            [f"{column}={each}" for each in choices_of(fields[column].type)]
            if sign
            else [f"{each}=" for each in fields]
        )
    return split_names(files[1:])[0] if argument.field == "baseline" else ()


def _files(own: Sequence[Argument], given: Sequence[str]) -> list[str]:
    """The words that are no options and no values of options."""
    return [given[place] for place in places_of(own, given)]


def _metrics(word: str) -> list[str]:
    """The names of metrics, behind commas; with cut-offs once a name is whole."""
    from rankwell.metrics.bundles import PROFILES
    from rankwell.metrics.names import METRICS

    begun, comma, name = word.rpartition(",")
    names = sorted([*PROFILES, *(each for _, *own in METRICS.values() for each in own)])
    whole = name.partition("@")[0]
    cuts = [f"{whole}@{cut}" for cut in CUTS] if whole in names else []
    return [f"{begun}{comma}{each}" for each in [*names, *cuts]]


def columns_of(path: str) -> list[str]:
    """Return the names of the columns of a table, of which only the beginning is read."""
    from rankwell.readers.bytes.files import File

    if path.endswith((".parquet", ".pq")):
        import polars as pl

        return [*pl.read_parquet_schema(path)]
    line = File(Path(path)).head.partition(b"\n")[0].decode(errors="replace").strip("\ufeff\r ")
    if line.startswith("{"):
        return [*json.loads(line)]
    return next(csv.reader([line], delimiter=max(",\t;|", key=line.count)), [])
