"""``answers``: what a model said to requests, as judgements; what gives no grade is counted. The grammar is that of docs/judging_prompts.md."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date as date_of_day
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NotRequired, TypedDict

import numpy as np

from rankwell.display.output import write
from rankwell.display.saved_files import Kind, ensure
from rankwell.errors import DataError, InputError, UsageError, brief
from rankwell.judging.batch_files import AnswerLine, read_answer_line
from rankwell.judging.model_prompts import KIND, LABELS, NUGGETS, SUPPORT, RunRow
from rankwell.judging.sheets import Grade
from rankwell.tables.arguments import checked
from rankwell.tables.run_qrels import Assessor, Qrels, Run

if TYPE_CHECKING:
    import polars as pl


WHY = {
    "outside": "gave a grade outside the scale",
    "refused": "were refused",
    "cut": "were cut off by their length",
    "several": "gave several grades",
    "none": "gave no grade",
    "failed": "failed before the model answered",
    "tied": "have answers that are tied between grades",
    "missing": "were not answered",
}
DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)  # fromisoformat takes more, such as weeks
WHAT = {NUGGETS: "assignments", SUPPORT: "judgements of support"}  # where other requests give judgements
ASSIGNED, CITED = ("query", "item", "score"), ("query", "part", "item", "support")
COLUMNS = "query", "item", "grade", "judge", "time", "order", "is_repeat", "comment"
NAMES = "grade", "score", "relevance", "rating", "label", "등급", "점수"
# not within a word: “downgrade: 2” is no grade; \w takes in letters of all scripts
NAME = rf"(?<![^\W_])(?:{'|'.join(NAMES)})"
SPACE = r"[*_`|\t ]*"
SIGN = "[:：=]"
STATED = re.compile(rf"{NAME}[\"'*_`|\t ]*{SIGN}", re.IGNORECASE)
# what may stand before the name in its line: marks of lists, headings, tables and bold text, and words that say no other thing
MARKS = r"(?:[#*_+•·|\[(–—→ -]|\d{1,2}[.)][ ])*"
WORDS = (
    r"(?:(?:final[ ]+)?answer[*_ ]*:[*_ ]*)?(?:(?:the|my|final|overall|relevance|최종)[*_]*[ ]+[*_]*){0,3}"
)
BEGINNING = re.compile(rf"{MARKS}{WORDS}{NAME}{SPACE}{SIGN}", re.IGNORECASE)
BARE = re.compile(rf"{MARKS}{WORDS}{NAME}{SPACE}(?:[–—-][ ]+)?(?=[\[(]*-?[0-9])", re.IGNORECASE)
TAGGED = re.compile(rf"\s*<({'|'.join(NAMES)})>([^<>\n]*)</\1>\s*", re.IGNORECASE)
UNFINISHED = re.compile(rf"({NAME}{SPACE}{SIGN}{SPACE})\n\s*([^\n]*)", re.IGNORECASE)
HEADED = re.compile(rf"^([ ]{{0,3}}#{{1,6}} {WORDS}{NAME}) *#*\n\s*([^\n]*)", re.IGNORECASE | re.MULTILINE)
# a line before a grade of one's own, such as “Final answer:”, has no word with which a quotation could begin
LEADING = re.compile(
    r"[\W_]*(?:(?:here|this|is|s|my|the|final|overall|answer|grade|grading|relevance|score|rating|label|verdict|judge?ment|assessment|"
    r"conclusion|decision|result|output|json|thus|so|therefore|on|a|closer|second|third|look|thought|reflection|balance|reasons?|reasoning|analysis|"
    r"explanation|rationale|evaluation|criteria|steps?|table|최종|평가|등급|점수|결론|답변|판단|이유|분석|근거)[\W_]+)+",
    re.IGNORECASE,
)
# the full stops of all scripts; behind them perhaps what closes a quotation, and the number of a source
STOPPED = re.compile(r"[.!?…。！？｡．।॥۔؟։።፧၊။។៕᠃‼⁇⁈⁉][\"'”’»」』)\]]*(?:\[\d{1,3}\])*$")
CONCLUDED = re.compile(r".*\b(?:but|hence|thus|therefore)[,\s]*", re.IGNORECASE | re.DOTALL)
LISTED = re.compile(r"[ ]*(?:(?:[#*•·+-]+|\d{1,2}[.)])[ \t]|\|)")
FENCE = re.compile(r"[ ]{0,3}(?:`{3,}|~{3,})[^`~\n]*")
BREAK = re.compile("\r\n?|[\v\f\x85\u2028\u2029]")
BLANK = re.compile("[\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]")
UNSEEN = re.compile(
    "^[\ufeff\u200b\u200e\u200f\u2060]+|[\ufeff\u200b\u200e\u200f\u2060]+$", re.MULTILINE
)  # within a line they leave a doubt
LATEX = re.compile(r"(?<!`)``(?!`)([^`]*?)''")
COMMENT = re.compile(r"<!--|-->")
THOUGHTS = re.compile(r"<(think|thinking|reasoning)>", re.IGNORECASE)
BEGUN = re.compile(r"<\|\w{1,40}\|>\s*")  # the signs that begin and end what a model says
ENDED = re.compile(r"\s*(?:</s>|<\|\w{1,40}\|>)\Z")
WRAPPED = re.compile(
    r"([\"'`])(?P<quoted>[^\"'`\n]*)\1|```\w*\n(?P<fenced>[^`]*)```|“(?P<curly>[^“”\n]*)”|<answer>(?P<tagged>[^<>]*)</answer>"
)
OPENING = "\"'*_`| \t\r\n[({"
EDGES = OPENING + "])}.!;,"
LONGEST = 200  # of a label, with what is around it
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?![0-9])")
UNIT = re.compile(r"\s*(?:points?|점)(?!\w)", re.IGNORECASE)
OUT_OF = re.compile(r"[*_\s]*(/|\(?(?:out\s+)?of\b)\s*([0-9]+(?:\.[0-9]+)?)\)?(?![\w/])", re.IGNORECASE)
ON_SCALE = re.compile(
    r"[\s,(\[]*(?:on\s+)?(?:an?\s+|the\s+)?scale\s+(?:of\s+|from\s+)?([0-9]+)\s*(?:-|–|to)\s*([0-9]+)[)\]]?",
    re.IGNORECASE,
)
OTHERWISE = re.compile(
    r"[\s,;(\[]*(?:(?:or|and|to|through|until|maybe|perhaps|possibly|또는|혹은|에서|이나)(?!\w)|[+~&<>]|[\-–—,./:]+\s*\d|[\-–—]\W*$)",
    re.IGNORECASE,
)
REASON = re.compile(r"[*_`|\s]*(?:(?P<stop>[.!]\s)|[;:(\[–—-]|,?\s*(?:because|since)\b)", re.IGNORECASE)
# what takes a grade back at once, and what says in the same sentence that it is not the judge's own
REVOKED = re.compile(
    r"\W*(?:no|nope|not(?:\s+(?:so|true|really|at all))?|wrong|false|fake|incorrect|rejected|refused|ignored|denied|sic|아니다?|아님)\s*(?:[^\w\s]|$)",
    re.IGNORECASE,
)
DENIED = re.compile(
    r"\W*(?:not|never|as|by|per|from|is|isn|was|would|should|says?|said|claims?|claimed|asks?|asked|wants?|wanted|demands?|demanded|orders?|"
    r"ordered|requests?|requested|according|quoted?|injected|reject|refuse|ignore|if|unless|though|although|however|when|assuming|were|"
    r"(?:the\s+)?\w+['’]s\s+(?:own\s+)?(?:claim|wish|order|demand|request|instruction|word|grade|score|rating|opinion)s?)(?!\w)",
    re.IGNORECASE,
)
DISOWNED = re.compile(
    r"\bI\b[^.;\n]{0,30}\b(?:refuse|reject|ignore|disagree|disregard|disobey|obey|follow|comply)\b"
    r"|\b(?:line|above|grade)\b[^.;\n]{0,20}\b(?:is|was|comes|came)\s+(?:only\s+)?(?:from|injected|quoted|copied|fake|wrong|not\s+m(?:y|ine)|what\s+the)\b",
    re.IGNORECASE,
)
# a grade within a sentence is not taken, but makes another one doubtful
TOLD = re.compile(
    rf"\b(?:my|own|actual|true|correct|real)\s+{NAME}\s+(?:is|would\s+be|should\s+be)"
    r"|\bI(?:['’]d|\s+would)?\s+(?:give|assign|rate|choose)(?:\s+(?:it|this|that|the|a|an|document|grade|score|rating|of|only)){0,4}(?=\s+[0-9])",
    re.IGNORECASE,
)
OTHER = re.compile(r"(?<![\w.])[0-9]+(?:\.[0-9]+)?(?!\w)")
BESIDE = re.compile(r"(.*\w)[^\w]+?(-?[0-9]+)[\])*_]*", re.DOTALL)
PAIRS = json.JSONDecoder(
    strict=False, object_pairs_hook=tuple, parse_float=Decimal, parse_constant=lambda _: None
)
REFUSAL = re.compile(
    r"\b(?:I(?:'|’)m sorry|I am sorry|I can(?:'|’)?t|I cannot|I am unable|I(?:'|’)m unable|as an AI)\b|죄송|할 수 없습니다",
    re.IGNORECASE,
)


class Read(NamedTuple):
    """A grade of the scale; or why there is none: ``refused``, ``outside`` the scale, ``several`` grades, ``none``."""

    grade: int | None
    why: str = ""


NONE, SEVERAL, OUTSIDE = Read(None, "none"), Read(None, "several"), Read(None, "outside")


class TextLine(NamedTuple):
    """A line with words, or the lines of an object of JSON: what it gives as a grade, if it begins with one, and how it stands."""

    text: str
    read: Read | None
    is_quoted: bool  # within quotation marks or a fence
    is_apart: bool  # below an empty line


def grade_in(text: str, scale: Sequence[Grade]) -> Read:
    r"""Return the grade that an answer gives.

    It stands in the last or the first line, which begins with it (``GRADE: 2``, ``Final grade: good``) or is an object of JSON that has it
    (``{"grade": 2}``); or the whole answer is a number or a label. What an answer quotes, denies or tells is no grade, nor is a range, a
    choice (``1 or 2``), one that its label or a later mention contradicts.

    >>> scale = (Grade(0, "not relevant"), Grade(1, "relevant"))
    >>> grade_in("It answers the query.\nGRADE: 1", scale)
    Read(grade=1, why='')
    >>> [grade_in(text, scale).why for text in ("GRADE: 5", "I cannot judge this.", "It says 'GRADE: 1'", "GRADE: 0\nNot GRADE: 1")]
    ['outside', 'refused', 'none', 'several']
    """
    read = _grade_in(_unwrap(text), scale)
    return Read(None, "refused") if read == NONE and REFUSAL.search(text) else read


def _unwrap(text: str) -> str:
    """What a model answered, without its thoughts, the signs around it, and what wraps it as a whole."""
    plain = LATEX.sub(r"“\1”", UNSEEN.sub("", BLANK.sub(" ", BREAK.sub("\n", text)))).strip()
    while begun := BEGUN.match(plain):
        plain = plain[begun.end() :]
    # only in the last 50 characters: a search through a long answer for each sign would take time with its square
    while ended := ENDED.search(plain, max(len(plain) - 50, 0)):
        plain = plain[: ended.start()]
    if thoughts := THOUGHTS.match(plain):
        plain = plain.partition(f"</{thoughts[1]}>")[2].strip()
    while wrapped := WRAPPED.fullmatch(plain):
        plain = next(part for part in wrapped.groupdict().values() if part is not None).strip()
    return plain


def _grade_in(text: str, scale: Sequence[Grade]) -> Read:
    lines = list(_split_lines(text, scale))
    if not lines:
        return NONE
    if (last := _own_grade(lines, len(lines) - 1)) is not None:
        # a mention above is what was thought before, but a line that begins with another grade leaves a doubt
        others = {line.read for line in lines if not line.is_quoted} - {None, NONE, OUTSIDE}
        return last if others <= {last} else SEVERAL
    mentioned = {read for line in lines for read in _mentioned_grades(line, scale)}
    if (first := _own_grade(lines, 0)) is not None and not any(
        DISOWNED.search(line.text) for line in lines[1:]
    ):
        return first if mentioned <= {first} else SEVERAL
    if (
        len(lines) == 1
        and lines[0].read is None
        and (whole := _parse_grade(text, scale, alone=True)) is not None
    ):
        return whole
    return SEVERAL if len(mentioned) > 1 else NONE


def _own_grade(lines: Sequence[TextLine], at: int) -> Read | None:
    """The grade in a line; None if it has none, or may be a quotation or a part of what its neighbours say."""
    line = lines[at]
    if line.read in (None, NONE) or line.is_quoted or (at > 0 and not _is_ended(lines, at - 1)):
        return None
    above = at - 1
    while LISTED.match(line.text) and above >= 0 and LISTED.match(lines[above].text):
        above -= 1
    if -1 < above < at - 1 and not _is_ended(lines, above):  # an item of a list of what the document says
        return None
    if at + 1 < len(lines) and not LISTED.match((below := lines[at + 1]).text):
        goes_on = not below.is_apart and next(filter(str.isalnum, below.text), "").islower()
        return None if goes_on or below.text.lstrip().startswith("</") else line.read
    return line.read


def _is_ended(lines: Sequence[TextLine], at: int) -> bool:
    """Whether a line has ended what it says, so that the one below it does not go on with it: a sentence, or a list."""
    text = lines[at].text.rstrip("*_` ")
    if text.endswith((":", "：")) or LEADING.fullmatch(f"{text}:"):
        return LEADING.fullmatch(f"{text}:") is not None
    is_list = LISTED.match(text) and any(
        LISTED.match(other.text) for other in (*lines[max(at - 1, 0) : at], lines[at + 1])
    )
    return bool(is_list or STOPPED.search(text) or CONCLUDED.fullmatch(text)) or lines[at].read is not None


def _split_lines(text: str, scale: Sequence[Grade]) -> Iterator[TextLine]:
    """The lines with words, and the objects of JSON that fill lines, as one line each."""
    text = UNFINISHED.sub(
        lambda parsed: _join_next_line(parsed, scale),
        HEADED.sub(lambda parsed: _join_next_line(parsed, scale, ":"), text),
    )
    at, is_apart, fence, is_fresh = (
        0,
        True,
        "",
        False,
    )  # fresh is what stands just below the beginning of a fence
    straight, curly, is_comment = False, 0, False  # what is open
    while at < len(text):
        parsed = _parse_object(text, at)
        end = parsed[1] if parsed else text.find("\n", at) % (len(text) + 1)
        row = text[at:end]
        is_open = straight or curly > 0 or is_comment or "<!--" in row
        for sign in COMMENT.findall(row):
            is_comment = sign == "<!--"
        if parsed:
            is_alone = is_fresh and FENCE.match(text, end + 1) is not None
            yield TextLine(
                row, _grade_of_object(parsed[0], scale), is_open or (fence != "" and not is_alone), is_apart
            )
            is_apart = is_fresh = False
        elif FENCE.fullmatch(row):
            sign = row.strip()[:3]
            is_fresh, fence = not fence, sign if not fence else "" if fence == sign else fence
        elif any(char.isalnum() for char in row):
            straight = _has_open_quote(row, straight)
            curly = max(
                curly + sum((char in "“«「『") - (char in "”»」』") for char in row),
                0,
            )
            is_odd = (
                straight
                or curly > 0
                or any(row.rstrip().endswith(char) and row.count(char) % 2 for char in "'`")
            )
            is_quoted = is_open or is_odd or fence != "" or row.startswith(("    ", "\t"))
            yield TextLine(row, _grade_of_line(row, scale), is_quoted, is_apart)
            is_apart = is_fresh = False
        elif not row.strip():
            is_apart = True
        at = end + 1


def _has_open_quote(row: str, is_open: bool) -> bool:
    """Whether a straight quotation mark is open at the end of a line; behind a digit it begins none, as it stands for inches."""
    for quote in re.finditer('"', row):
        is_open = not is_open and not row[: quote.start()][-1:].isdigit()
    return is_open


def _join_next_line(match: re.Match[str], scale: Sequence[Grade], sign: str = "") -> str:
    """A name with its grade in the next line, as one line."""
    return (
        f"{match[1]}{sign} {match[2]}"
        if _parse_grade(match[2], scale, alone=True) not in (None, NONE)
        else match[0]
    )


def _parse_object(text: str, at: int) -> tuple[tuple[tuple[str, Any], ...], int] | None:
    """The pairs of an object of JSON that begins a line and ends one, and the end of that; None if there is none."""
    begin = at
    while text[begin : begin + 1] in (" ", "\t"):
        begin += 1
    if text[begin : begin + 1] != "{":
        return None
    try:
        # as pairs and not as a dict, in which the second of two grades would replace the first
        data, end = PAIRS.raw_decode(text, begin)
    except (ValueError, RecursionError):
        return None
    until = text.find("\n", end) % (len(text) + 1)
    return None if text[end:until].strip() else (data, until)


def _grade_of_object(data: Sequence[tuple[str, Any]], scale: Sequence[Grade]) -> Read | None:
    """The grade in the fields of an object; what is nested or there twice is none."""
    fields = [(name.strip().casefold(), value) for name, value in data]
    named = [(name, value) for name, value in fields if name in NAMES]
    if not named:
        return None
    if len({name for name, _ in named}) < len(named):
        return SEVERAL
    values = [value for _, value in named]
    if not all(isinstance(each, (str, int, Decimal)) and not isinstance(each, bool) for each in values):
        return NONE
    reads = {read for each in values if (read := _parse_grade(str(each), scale, alone=True)) is not None}
    return reads.pop() if len(reads) == 1 else SEVERAL if reads else NONE


def _grade_of_line(row: str, scale: Sequence[Grade]) -> Read | None:
    """What a line gives that begins with a grade; None if it begins with none."""
    item = LISTED.match(row)
    body = row[item.end() :] if item else row
    if any(body.count(closing) > body.count(opening) for opening, closing in ("()", "[]", "{}")):
        return None  # it ends what a line above began
    if tagged := TAGGED.fullmatch(row):
        return _parse_grade(tagged[2], scale, alone=True)
    if begun := BEGINNING.match(row):
        # a line that names two grades (“GRADE: 2, though a strict reader would say grade: 1”) is in doubt
        first, *others = _stated_grades(row[begun.end() :], scale, begins=True)
        if first is None or first.grade is None:
            return first
        return first if {read for read in others if read not in (None, NONE)} <= {first} else SEVERAL
    bare = BARE.match(row)
    return _parse_grade(row[bare.end() :], scale, alone=True) if bare else None


def _stated_grades(text: str, scale: Sequence[Grade], *, begins: bool = False) -> list[Read | None]:
    """What each name with a sign gives in a text, which perhaps begins just behind one."""
    places = [(0, 0)] * begins + [match.span() for match in STATED.finditer(text)]
    ends = [begin for begin, _ in places] + [len(text)]
    return [_parse_grade(text[at:end], scale) for (_, at), end in zip(places, ends[1:], strict=True)]


def _mentioned_grades(line: TextLine, scale: Sequence[Grade]) -> set[Read]:
    """The grades that a line names anywhere, whoever gave them."""
    reads = {
        line.read,
        *([] if line.text.lstrip().startswith("{") and line.read else _stated_grades(line.text, scale)),
    }
    reads |= {_parse_grade(line.text[read.end() :], scale) for read in TOLD.finditer(line.text)}
    return {read for read in reads if read not in (None, NONE, OUTSIDE)}


def _parse_grade(text: str, scale: Sequence[Grade], *, alone: bool = False) -> Read | None:
    """What a text gives as a grade that begins with its number or is its label; None if it begins with neither.

    After the number may stand what it is out of, the label, and unless it is ``alone`` a reason, behind a sign or ``because``.
    """
    text = text.lstrip(OPENING)
    number = NUMBER.match(text)
    if number is None:
        return _grade_of_label(text, scale)
    value, tail = Decimal(number[0]), text[number.end() :]
    on_scale = {Decimal(each.grade): each.grade for each in scale}
    if unit := UNIT.match(tail):
        tail = tail[unit.end() :]
    if of := OUT_OF.match(tail):
        # “2/3” on a scale to 3 is 2 of 3; on a scale to 4 it may be a fraction, or two grades
        if Decimal(of[2]) != max(on_scale):
            rest = tail[of.end() :].strip(EDGES)
            either = of[1] == "/" and Decimal(of[2]) in on_scale
            return SEVERAL if either else NONE if rest else OUTSIDE
        tail = tail[of.end() :]
    if (on := ON_SCALE.match(tail)) and (Decimal(on[1]), Decimal(on[2])) == (min(on_scale), max(on_scale)):
        tail = tail[on.end() :]
    if OTHERWISE.match(tail):
        return SEVERAL
    said = tail.strip(EDGES + "-–—:=/")
    labelled = {each.grade for each in scale if each.label and _is_same_label(each.label, said)}
    if said and not labelled:
        reason = None if alone else REASON.match(tail)
        if reason is None:
            return NONE
        if any(Decimal(each) in on_scale and Decimal(each) != value for each in OTHER.findall(tail)):
            return SEVERAL
        rest = tail[reason.end() :]
        if REVOKED.match(rest) or DISOWNED.search(rest) or (not reason["stop"] and DENIED.match(rest)):
            return NONE
    if value not in on_scale:
        return OUTSIDE
    return SEVERAL if labelled and on_scale[value] not in labelled else Read(on_scale[value])


def _grade_of_label(text: str, scale: Sequence[Grade]) -> Read | None:
    """The grade whose label a text is, perhaps with its number after it; None if it is none."""
    if len(text) > LONGEST:
        return None
    plain = text.strip(EDGES)
    beside = BESIDE.fullmatch(plain)
    for said, number in ((plain, None), (beside[1], int(beside[2])) if beside else ("", None)):
        grades = {option.grade for option in scale if option.label and _is_same_label(option.label, said)}
        # “relevant (1)”: the number must be that of the label
        if grades and number is not None:
            return Read(number) if number in grades else SEVERAL
        if len(grades) == 1:
            return Read(grades.pop())
    return None


def _is_same_label(label: str, said: str) -> bool:
    # NFKC, as a model may answer in full-width letters or with a ligature
    one, other = (unicodedata.normalize("NFKC", each).strip(EDGES).casefold() for each in (label, said))
    return one == other != ""


class GradeRow(TypedDict):
    """``Grade`` in a key."""

    grade: int
    label: str


class TaskRow(TypedDict):
    """``Task`` in a key."""

    pair: int
    is_repeat: bool


class Key(TypedDict):
    """What ``Prompts.to_dict`` gives."""

    key: str
    model: str
    prompt: str
    grades: list[GradeRow]
    pairs: list[tuple[str | int, ...]]
    tasks: list[TaskRow]
    asks: NotRequired[Literal["nuggets", "support"]]
    rows: NotRequired[list[RunRow]]


KEY = Kind(
    Key, "key to requests", "give the .key.json that was written beside the batch", "write the requests again, which gives the same key",
    ("kind", KIND),
)  # fmt: skip
LINE = Kind(
    AnswerLine,
    "answer",
    "each line is an object with custom_id, as the batch returned it",
    "give what the batch returned, unchanged",
)


@dataclass(frozen=True, eq=False, repr=False)
class Answers:
    """Judgements by a model: a grade per request that has one, and how many have none, by the reason; made by ``answers``."""

    assessor: Assessor
    grades: tuple[Grade, ...]
    rows: tuple[tuple[Any, ...], ...]  # query, item, for support the sentence, grade, is_repeat
    requests: int
    counts: Counter[str]
    failures: Counter[str]
    asks: str = ""  # nuggets or support, where each grade is a label of what an answer or a passage says
    cited: tuple[RunRow, ...] = ()  # the rows of the run whose support was asked about

    def __len__(self) -> int:
        return sum(not is_repeat for *_, is_repeat in self.rows)

    @property
    def repeats(self) -> int:
        """How many repeats have a grade; with the judgements and ``counts`` they are all requests."""
        return len(self.rows) - len(self)

    @property
    def self_agreement(self) -> float:
        """The share of repeats with the grade that the model gave first; NaN if none was asked and answered twice."""
        first = {tuple(pair): grade for *pair, grade, is_repeat in self.rows if not is_repeat}
        same = [
            grade == first[tuple(pair)]
            for *pair, grade, is_repeat in self.rows
            if is_repeat and tuple(pair) in first
        ]
        return float(np.mean(same)) if same else float("nan")

    def run(self) -> Run:
        """Return the assignments of nuggets, 1, 0.5 or 0, or the citations with their support, as a run, without repeats.

        UsageError if neither was asked about.
        """
        if not self.asks:
            raise UsageError("the requests asked about items, which gives no run; take qrels().")
        rows = self._run_rows()
        if self.asks == SUPPORT:
            query, part, item, support = (list(column) for column in zip(*rows, strict=True))
            return Run(query, item, part=part, support=support, name="model")
        query, item, score = ([row[at] for row in rows] for at in range(3))
        return Run(query, item, np.array(score, np.float64), name="model")

    def _run_rows(self) -> list[tuple[Any, ...]]:
        """The assignments of nuggets; or the rows of the cited answers, with the support that the model gave."""
        scores = [(*pair, grade / 2) for *pair, grade, is_repeat in self.rows if not is_repeat]
        if self.asks != SUPPORT:
            return scores
        said = {(query, part, item): score for query, item, part, score in scores}
        return [
            (query, part, item, said.get((query, part, item), support))
            for query, part, item, support in self.cited
        ]

    def qrels(self) -> Qrels:
        """Return the judgements, without repeats, and who made them; UsageError if they are of nuggets or citations."""
        if self.asks:
            raise UsageError(
                f"the requests asked about {self.asks}, which gives no judgements of items; take run()."
            )
        first_rows = [row for row in self.rows if not row[3]]
        query, item, grade = ([row[at] for row in first_rows] for at in range(3))
        return Qrels(query, item, np.array(grade, np.float64), assessor=self.assessor, name="model")

    def to_frame(self) -> pl.DataFrame:
        """Return a frame with a row per answer: query, item, for support the sentence (part), grade, is_repeat."""
        import polars as pl

        names = ["query", "item", *["part"] * (self.asks == SUPPORT), "grade", "is_repeat"]
        return pl.DataFrame(list(self.rows), schema=names, orient="row")

    def save(self, path: str | Path) -> None:
        """Write the judgements as a judging sheet exports them (``.csv``), which ``evaluate``, ``agreement`` and ``merge`` read, or for TREC.

        Assignments of nuggets are written as a run, a ``.csv`` with query, item and score; support of citations as one with query, part
        (the sentence), item and support.

        Raises
        ------
        RankwellError
            If the file ends in none of ``.csv``, ``.txt`` and ``.qrels``, there is no judgement, or the file cannot be written.
        """
        suffix = refuse_suffix(path)
        if not len(self):
            raise DataError(
                f"no answer gave a judgement, and {path} is not written: {'; '.join(self.notes())}."
            )
        if self.asks:
            if suffix != ".csv":
                raise UsageError(
                    f"{path}: {WHAT[self.asks]} are a run with columns, which is written as .csv."
                )
            _write_rows([CITED if self.asks == SUPPORT else ASSIGNED, *self._run_rows()], path)
            return
        if suffix == ".csv":
            judge, date = self._judge, self.assessor.date
            rows = [
                (query, item, grade, judge, date, order, str(is_repeat).lower(), "")
                for order, (query, item, grade, is_repeat) in enumerate(self.rows, 1)
            ]
            _write_rows([COLUMNS, *rows], path)
            return
        first_rows = [row for row in self.rows if not row[3]]
        write("\n".join(f"{query} 0 {item} {grade}" for query, item, grade, _ in first_rows), str(path))

    @property
    def _judge(self) -> str:
        also = {"prompt": self.assessor.prompt, "date": self.assessor.date}
        return ",".join(
            [f"model:{self.assessor.name}", *(f"{word}={text}" for word, text in also.items() if text)]
        )

    def notes(self) -> list[str]:
        """Return what gave no grade, as sentences."""
        notes = [f"{n:,} of {self.requests:,} requests {WHY[why]}" for why, n in self.counts.items() if n]
        return notes + [f"{n:,} × {why}" for why, n in self.failures.most_common(3)]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        same = self.self_agreement
        return {
            "model": self.assessor.name, "prompt": self.assessor.prompt, "date": self.assessor.date,
            "requests": self.requests, "judged": len(self), "repeats": self.repeats, "self_agreement": None if np.isnan(same) else same,
            "without_grade": {why: n for why, n in self.counts.items() if n},
            "rows": [list(row) for row in self.rows],
        }  # fmt: skip

    def __repr__(self) -> str:
        more = f", and {self.repeats:,} of repeats" if self.repeats else ""
        what = WHAT.get(self.asks, "judgements")
        return f"Answers of {self.assessor}: {len(self):,} {what} of {self.requests:,} requests{more}"


def _write_rows(rows: Iterable[Sequence[Any]], path: str | Path) -> None:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    write(text.getvalue().rstrip("\n"), str(path))


def refuse_suffix(path: str | Path) -> str:
    """Return the suffix of a file for judgements; UsageError if it is none."""
    suffix = Path(path).suffix.lower()
    if suffix not in (".csv", ".txt", ".qrels"):
        raise UsageError(f"{path}: judgements of a model are written as .csv, or for TREC as .txt or .qrels.")
    return suffix


@checked
def answers(key: str | Path, file: str | Path, /, *files: str | Path, date: str = "") -> Answers:
    r"""Return the judgements in what a model answered to requests that ``prompts`` wrote.

    Parameters
    ----------
    key
        The file that ``Prompts.save`` wrote beside the requests: batch.key.json.
    file, files
        The answers, one JSON object a line with the ``custom_id`` of its request: as the batches of OpenAI and Anthropic return them,
        or with an ``answer``. Several answers to one request are votes, of which the most frequent grade counts; ties give none.
    date
        The day on which the model answered, such as 2026-11-25: models change under one name.

    Returns
    -------
    Answers
        ``found.qrels()`` are judgements that carry model, prompt and date; ``found.save("model.csv")`` writes them; ``found.counts`` says
        what gave no grade: refusals, answers cut off, grades outside the scale, ties … Such pairs stay unjudged, and are never 0. Where
        nuggets or the support of citations were asked about, ``found.run()`` is the run of what the model said, and ``save`` writes it.

    Raises
    ------
    RankwellError
        If a file cannot be read, is empty or no such file, or holds answers to other requests; or the date is none.

    Examples
    --------
    >>> import json, pathlib, tempfile, rankwell as rw
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> texts = [{"item": "a", "text": "Masks filter droplets."}, {"item": "b", "text": "A virus of plants."}]
    >>> asked = rw.judging.prompts({"1": ["a", "b"]}, model="some-model", items=texts)
    >>> key = asked.save(folder / "batch.jsonl")
    >>> said = [{"custom_id": each["custom_id"], "answer": "GRADE: 2"} for each in asked.requests()[:1]]
    >>> _ = (folder / "out.jsonl").write_text("\n".join(map(json.dumps, said)))
    >>> found = rw.judging.answers(key, folder / "out.jsonl")
    >>> found.qrels(), found.notes()
    (Qrels 'model': 1 rows, judged by model some-model (prompt 0a2f9f1bba9e), ['1 of 2 requests were not answered'])
    """
    _refuse_date(date)
    batch = _read_key(key)
    scale = tuple(Grade(**row) for row in batch["grades"])
    pairs, tasks = batch["pairs"], batch["tasks"]
    votes: dict[int, Counter[int]] = defaultdict(Counter)
    reasons: dict[int, str] = {}
    failures: Counter[str] = Counter()
    for place, line in _read_lines([file, *files]):
        at = _number_of_task(line, batch["key"], len(tasks), place)
        reply = read_answer_line(line)
        if reply is None:
            raise DataError(
                f"{place}: no answer is there; give what the batch returned, or lines with custom_id and answer."
            )
        if reply.failed:
            reasons.setdefault(at, "failed")
            failures[reply.failed] += 1
            continue
        if reply.refused:
            reasons.setdefault(at, "refused")
        if reply.cut:
            reasons.setdefault(at, "cut")
        for text in reply.texts:
            read = grade_in(text, scale)
            if read.grade is None:
                reasons[at] = read.why
            else:
                votes[at][read.grade] += 1
    counts: Counter[str] = Counter()
    rows = []
    for at, task in enumerate(tasks):
        most = votes[at].most_common(2) if at in votes else []
        if not most:
            counts[reasons.get(at, "missing")] += 1
        # a tie is not broken: the middle of 0 and 3 would be a grade that no answer gave
        elif len(most) == 2 and most[0][1] == most[1][1]:
            counts["tied"] += 1
        else:
            rows.append((*pairs[task["pair"]], most[0][0], task["is_repeat"]))
    assessor = Assessor("model", batch["model"], prompt=batch["prompt"], date=date)
    asks, cited = batch.get("asks", ""), tuple(batch.get("rows", ()))
    return Answers(assessor, scale, tuple(rows), len(tasks), counts, failures, asks, cited)


def _refuse_date(text: str) -> None:
    try:
        if text:
            date_of_day.fromisoformat(text if DAY.fullmatch(text) else "")
    except ValueError:
        raise UsageError(f"date={brief(text)}: must be a date such as 2026-11-25.") from None


def _read_key(path: str | Path) -> Key:
    data = KEY.read(path)
    with KEY.checking(path):
        grades = [row["grade"] for row in data["grades"]]
        ensure(
            len(grades) > 1 and grades == sorted({*grades}) and {*grades} <= {*range(10)},
            "grades",
            "this is no scale",
        )
        asks = data.get("asks", "")
        labels = [label._asdict() for label in LABELS.get(asks, ())]
        ensure(not asks or data["grades"] == labels, "grades", f"these are not the labels of {asks}")
        width = 3 if asks == SUPPORT else 2
        ensure({*map(len, data["pairs"])} <= {width}, "pairs", f"one is not of {width} ids")
        ensure((asks == SUPPORT) == ("rows" in data), "rows", "they go with requests about support")
        first = [row["pair"] for row in data["tasks"] if not row["is_repeat"]]
        ensure(sorted(first) == [*range(len(data["pairs"]))], "tasks", "they do not ask for each pair once")
        again = {row["pair"] for row in data["tasks"] if row["is_repeat"]}
        ensure(again <= {*first}, "tasks", "one repeats a pair that there is not")
        ensure(len({*data["pairs"]}) == len(data["pairs"]), "pairs", "one stands there twice")
        rows = {(query, item, part) for query, part, item, _ in data.get("rows", ())}
        ensure(asks != SUPPORT or {*data["pairs"]} <= rows, "pairs", "one is no citation of its rows")
    return data


def _read_lines(files: list[str | Path]) -> Iterator[tuple[str, AnswerLine]]:
    names = [os.fspath(file) for file in files]
    if twice := [name for name in names if names.count(name) > 1]:
        raise UsageError(f"{twice[0]} is given twice; its answers would count twice.")
    for name in names:
        try:
            content = Path(name).read_text(encoding="utf-8-sig")
        except (OSError, ValueError) as error:
            raise InputError(
                f"{name}: cannot be read ({getattr(error, 'strerror', None) or error})."
            ) from error
        is_empty = True
        for number, line in enumerate(content.split("\n"), 1):
            if not line.strip():
                continue
            place, is_empty = f"{name}:{number}", False
            yield place, LINE.decode(line, place)
        if is_empty:
            raise DataError(f"{name}: the file is empty; give what the batch returned, one answer a line.")


def _number_of_task(line: AnswerLine, key: str, tasks: int, place: str) -> int:
    """The number of the request that a line answers."""
    name = line.get("custom_id")
    # from the right: the key is hexadecimal, and the number is all behind the last dash
    begin, _, number = str(name).rpartition("-")
    if begin != key or not number.isdecimal() or int(number) >= tasks:
        raise DataError(
            f"{place}: custom_id {brief(name)} is none of this batch, whose requests are {key}-0 to {key}-{tasks - 1}. Give the key that "
            f"was written beside its requests."
        )
    return int(number)
