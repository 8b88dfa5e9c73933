"""trec_eval's command line: grouped short options, long ones, abbreviations, options after files."""

from __future__ import annotations

import getopt
from collections.abc import Sequence
from dataclasses import dataclass

from rankwell.compat.trec_eval.measures import whole
from rankwell.errors import UsageError, brief

SHORT = "hvqm:cl:nD:JN:M:R:T:oZ:"
LONG = {
    "help": "h", "version": "v", "query_eval_wanted": "q", "measure=": "m", "complete_rel_info_wanted": "c",
    "level_for_rel=": "l", "nosummary": "n", "Debug_level=": "D", "Judged_docs_only": "J", "Number_docs_in_coll=": "N",
    "Max_retrieved_per_topic=": "M", "Rel_info_format=": "R", "Results_format=": "T", "Output_old_results_format=": "o",
    "Zscore=": "Z",
}  # fmt: skip
OURS = ["version-of=", "differences"]
PREFERENCES = ("prefs", "qrels_prefs")  # the formats of preferences


@dataclass
class Options:
    """The parsed command line."""

    measures: tuple[str, ...] = ()
    per_query: bool = False
    summary: bool = True
    complete: bool = False
    judged_only: bool = False
    level: int = 1
    depth: int | None = None
    collection: int | None = None
    rel_format: str = "qrels"
    results_format: str = "trec_results"
    zscores: str | None = None
    topic: str | None = None
    version: int = 10
    is_single: bool = False  # scores are read as floats, as up to 9.0.7
    wants: str = ""  # help, version or differences
    files: tuple[str, ...] = ()


def parse(arguments: Sequence[str]) -> Options:
    """Parse the options of a command.

    Raises
    ------
    UsageError
        For an unknown option, or a missing argument.
    """
    try:
        found, files = getopt.gnu_getopt(list(arguments), SHORT, [*LONG, *OURS])
    except getopt.GetoptError as error:
        raise UsageError(str(error)) from error
    options = Options(files=tuple(files))
    letters = {f"--{name.rstrip('=')}": letter for name, letter in LONG.items()}
    for name, value in found:
        _take(options, letters.get(name, name.lstrip("-")), value)
    return options


def _take(options: Options, letter: str, value: str) -> None:
    flags = {
        "q": ("per_query", True),
        "c": ("complete", True),
        "n": ("summary", False),
        "J": ("judged_only", True),
    }
    values = {"R": "rel_format", "T": "results_format", "Z": "zscores"}
    wishes = {"h": "help", "v": "version", "differences": "differences"}
    if letter in flags:
        setattr(options, *flags[letter])
    elif letter in values:
        setattr(options, values[letter], value)
    elif letter in wishes:
        options.wants = options.wants or wishes[letter]
    elif letter == "m":
        options.measures = (*options.measures, value)
    elif letter == "l":
        options.level = whole(value)
    elif letter == "M":
        options.depth = whole(value)
        if options.depth < 0:
            raise UsageError(f"-M must be at least 0, not {value}")
    elif letter == "N":
        options.collection = whole(value)
    elif letter == "D":
        options.topic = value.partition(".")[2] or None
    elif letter == "version-of":
        major = value.split(".", maxsplit=1)[0]
        if major not in ("9", "10"):
            raise UsageError(f"--version-of must be 9, 9.0.8 or 10, not {brief(value)}")
        options.version, options.is_single = int(major), major == "9" and value != "9.0.8"
