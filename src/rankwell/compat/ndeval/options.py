"""ndeval's command line: words are taken from the left until two are left, the judgements and the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rankwell.errors import UsageError, nearest

WISHES = {"-version": "version", "-help": "help", "-differences": "differences"}
WITH_VALUE = ("-alpha", "-beta", "-M", "-baseline", "-riskAlpha")
HELP = """rankwell ndeval [options] qrels run

Evaluates a run against judgements by subtopic (topic subtopic document grade) and prints what NIST's ndeval prints, byte for
byte: comma-separated rows of a topic each, then amean, their mean. Topics are numbers; in the run a task may stand before
them (wt09-1). Grades are 0 or, all alike, above 0. Either file may be '-', standard input.

  -alpha F         how much a document takes from its subtopics for those below it, 0 to 1 (0.5)
  -beta F          NRBP: the chance to go on to the next rank, 0 to 1 (0.5)
  -traditional     order by score and then document, both descending; else the ranks in the file are the order
  -M N             only the first N documents of each topic
  -c               mean over all judged topics; those that the run lacks count as 0
  -baseline RUN    print what the run has above this one, topic by topic; -c prints topics that only the baseline has, too
  -riskAlpha F     with -baseline: a loss counts 1 + F times (0)
  -version
  -help            this
  -differences     where the output differs from the program's, and why

Options come before the files. The mean is over the topics that are judged and in the run; with -baseline over all rows.

ERR-IA@k      expected reciprocal rank, divided by that of a list in which every document covers every subtopic
alpha-DCG@k   discounted gain of what is new, divided in the same way
nERR-IA@k, alpha-nDCG@k, nNRBP
              divided by the values of the greedy list of the judged documents
NRBP          novelty- and rank-biased precision
MAP-IA        mean over subtopics of average precision
P-IA@k        mean over subtopics of precision
strec@k       share of the subtopics that the first k documents reach

Subtopics without a relevant document do not count. Topics that nobody judged, or without a relevant document, have 0.
"""


@dataclass
class Options:
    """What a command says."""

    alpha: float = 0.5
    beta: float = 0.5
    is_traditional: bool = False
    baseline: str | None = None
    risk_alpha: float = 0.0
    risk_text: str = "0"  # as it was written, which is how it is printed
    is_complete: bool = False
    depth: int | None = None
    wants: str = ""  # version, help or differences
    files: tuple[str, str] = ("", "")


def parse(arguments: Sequence[str]) -> Options:
    """Return the options of a command.

    Raises
    ------
    UsageError
        For an option that does not exist or lacks its value, a value out of range, or another number of files than two.
    """
    options, left = Options(), list(arguments)
    while len(left) != 2:
        word = left.pop(0) if left else ""
        if word in WISHES:
            options.wants = WISHES[word]
            return options
        if word in WITH_VALUE and len(left) >= 3:
            _take(options, word, left.pop(0))
        elif word == "-traditional" and len(left) >= 2:
            options.is_traditional = True
        elif word.startswith("-") and len(left) >= 2 and set(word[1:]) <= {"a", "c"}:  # -a changes nothing
            options.is_complete |= "c" in word
        elif word.startswith("-") and len(left) >= 2 and word not in (*WITH_VALUE, "-traditional"):
            raise UsageError(
                f"there is no option {word}.{nearest(word, (*WISHES, *WITH_VALUE, '-traditional'))}"
            )
        else:
            raise UsageError("two files are wanted after the options, the judgements and the run.")
    options.files = (left[0], left[1])
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
        raise UsageError(f"-M {text}: the depth is a whole number from 1.")


def _number(option: str, text: str, most: float) -> float:
    try:
        value = float(text if text.isascii() and "_" not in text else "nan")
    except ValueError:
        value = -1.0
    if 0 <= value <= most and value < float("inf"):
        return value
    raise UsageError(f"{option} {text}: it is a number from 0{' to 1' if most == 1 else ''}.")
