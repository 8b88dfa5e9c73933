"""ndeval's command line: options, then the two files, judgements and run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rankwell.errors import UsageError, nearest

WISHES = {"-version": "version", "-help": "help", "-differences": "differences"}
WITH_VALUE = ("-alpha", "-beta", "-M", "-baseline", "-riskAlpha")
HELP = """rankwell ndeval [options] qrels run

Evaluates a run against judgements by subtopic (topic subtopic document grade) and prints what NIST's ndeval prints, byte for
byte: comma-separated rows, one per topic, then their mean, amean. Topics are numbers; in the run they may have a task prefix
(wt09-1). All grades above 0 count the same. Either file may be '-', standard input.

  -alpha F         the share of a subtopic that each of its documents uses up, 0 to 1 (0.5)
  -beta F          NRBP: the probability of continuing to the next rank, 0 to 1 (0.5)
  -traditional     order by score and then document, both descending, instead of by the file's ranks
  -M N             only the first N documents of each topic
  -c               mean over all judged topics; those missing from the run count as 0
  -baseline RUN    print the differences from this run, topic by topic; with -c also topics that only the baseline has
  -riskAlpha F     with -baseline: a loss counts 1 + F times (0)
  -version
  -help            this
  -differences     intended differences from the program's output, and their reasons

Options come before the files. The mean is over the judged topics in the run; with -baseline over all rows.

ERR-IA@k      expected reciprocal rank, divided by that of a list in which every document covers every subtopic
alpha-DCG@k   discounted gain of what is new, divided in the same way
nERR-IA@k, alpha-nDCG@k, nNRBP
              divided by the values of the greedy list of the judged documents
NRBP          novelty- and rank-biased precision
MAP-IA        mean over subtopics of average precision
P-IA@k        mean over subtopics of precision
strec@k       share of the subtopics that the first k documents cover

Subtopics without a relevant document do not count. Topics without judgements or without a relevant document have 0.
"""


@dataclass
class Options:
    """The parsed command line."""

    alpha: float = 0.5
    beta: float = 0.5
    is_traditional: bool = False
    baseline: str | None = None
    risk_alpha: float = 0.0
    risk_text: str = "0"  # as typed, which is how it is printed
    is_complete: bool = False
    depth: int | None = None
    wants: str = ""  # version, help or differences
    files: tuple[str, str] = ("", "")


def parse(arguments: Sequence[str]) -> Options:
    """Parse the options of a command.

    Raises
    ------
    UsageError
        For an unknown option, a missing or invalid value, or a number of files other than two.
    """
    options, rest = Options(), list(arguments)
    while len(rest) != 2:
        word = rest.pop(0) if rest else ""
        if word in WISHES:
            options.wants = WISHES[word]
            return options
        if word in WITH_VALUE and len(rest) >= 3:
            _take(options, word, rest.pop(0))
        elif word == "-traditional" and len(rest) >= 2:
            options.is_traditional = True
        elif word.startswith("-") and len(rest) >= 2 and set(word[1:]) <= {"a", "c"}:  # -a has no effect
            options.is_complete |= "c" in word
        elif word.startswith("-") and len(rest) >= 2 and word not in (*WITH_VALUE, "-traditional"):
            raise UsageError(f"unknown option {word}.{nearest(word, (*WISHES, *WITH_VALUE, '-traditional'))}")
        else:
            raise UsageError("two files are required after the options: the judgements and the run.")
    options.files = (rest[0], rest[1])
    return options


def _take(options: Options, word: str, text: str) -> None:
    if word == "-alpha":
        options.alpha = _number(word, text, 1.0)
    elif word == "-beta":
        options.beta = _number(word, text, 1.0)
    elif word == "-riskAlpha":
        options.risk_alpha, options.risk_text = _number(word, text, float("inf")), text
    elif word == "-baseline":
        options.baseline = text
    elif text.isascii() and text.isdigit() and int(text) > 0:
        options.depth = int(text)
    else:
        raise UsageError(f"-M {text}: the depth must be a whole number of at least 1.")


def _number(option: str, text: str, most: float) -> float:
    try:
        value = float(text if text.isascii() and "_" not in text else "nan")
    except ValueError:
        value = -1.0
    if 0 <= value <= most and value < float("inf"):
        return value
    raise UsageError(f"{option} {text}: must be a number from 0{' to 1' if most == 1 else ''}.")
