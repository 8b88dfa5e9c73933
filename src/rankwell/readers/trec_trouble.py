"""What is wrong with a line that is no TREC text, in one sentence, with a remedy."""

from __future__ import annotations

from rankwell.errors import brief
from rankwell.kernels import trec_text
from rankwell.readers.column_names import NONE_GIVEN, Given, say
from rankwell.readers.text import NUL
from rankwell.readers.trec_columns import LEAST_TIME, Layout, is_number, split
from rankwell.tables.columns import known_word
from rankwell.tables.run_qrels import SWAPPED

TABLE = {6: "query,item,score", 4: "query,item,grade"}


def trouble(line: bytes, layout: Layout, status: int, sign: bytes, first: list[bytes]) -> str:
    """Return what is wrong with a line, by the status of the kernel.

    ``sign`` is what stands in place of ranks, ``first`` the words of the first line of data.
    """
    if b"\0" in line:
        return _with_form(NUL, layout)
    if status == trec_text.LONG_ID:
        return _with_form(
            f"an id of more than {trec_text.LONGEST_ID:,} bytes. Is this the right file?", layout
        )
    words = [word.decode(errors="replace") for word in split(line)]
    said = _said(words, line, layout, status, sign)
    if split(line) == first and (named := _names(words, layout)):
        return f"{said} The first line is a header. Remove it, or {table_of(named, layout.argument)}"
    if len(words) == len(first) and (numbered := _numbers(words, layout)):
        return f"{_with_form(said, layout)} If it is a table, {table_of(numbered, layout.argument)}"
    return _with_form(said, layout)


def _said(words: list[str], line: bytes, layout: Layout, status: int, sign: bytes) -> str:
    if _is_of_the_other(words, layout):
        return f"{_count(words, line, layout)} {SWAPPED}"
    if len(words) < layout.least:
        return _count(words, line, layout)
    if len(words) > layout.least and (
        layout.rule == trec_text.EXACT or sign or not _has_numbers(words, layout)
    ):
        return f"{_count(words, line, layout)} {_blanks(words, line, layout)}"
    if status in (trec_text.WRONG_RANK, trec_text.FRACTION):
        return _rank(words, line, layout, status, sign)
    return _number(words, layout, status)


def table_of(columns: dict[str, str], argument: str) -> str:
    """Return what to say of a file that is a table of white space; without an argument for it, its first line says it."""
    if argument:
        return f"say {say(Given(argument=argument), columns)}."
    return f"write it as CSV with the columns {','.join(columns.values())}."


def _names(words: list[str], layout: Layout) -> dict[str, str]:
    """What the columns hold that a header names; nothing if the line is none."""
    value = "grade" if layout.is_qrels else "score"
    named = {word: column for column in words if (word := known_word(column)) is not None}
    if layout.is_qrels and "score" in named:
        named.setdefault("grade", named["score"])
    if "topic" in named:
        named.setdefault("query", named["topic"])
    if len({*words}) < len(words) or any(map(is_number, words)) or not {"query", "item"} <= set(named):
        return {}
    if len(words) == layout.least:
        named.setdefault(value, words[layout.value])
    return {named[word]: word for word in ("query", "item", value) if word in named}


def _numbers(words: list[str], layout: Layout) -> dict[str, str]:
    """What the columns of a line may hold, by their numbers, if it has more or fewer than the format; nothing if it shows no table."""
    at = 2 if len(words) > 3 and words[1] in ("Q0", "0") else 1
    numbers = [place for place in range(at + 1, len(words)) if is_number(words[place])]
    if not 1 < len(words) < 6 or len(words) == layout.least or (numbers and numbers[0] > at + 1):
        return {}
    found = {"1": "query", str(at + 1): "item"}
    if not numbers:
        return found if len(words) == 2 else {}
    if layout.is_qrels:
        return found | {str(numbers[0] + 1): "grade"}
    # what follows a rank is the score, what follows a rating the time
    is_ranked = len(numbers) > 1 and words[numbers[0]].isdecimal() and float(words[numbers[1]]) < LEAST_TIME
    return found | {str(numbers[is_ranked] + 1): "score"}


def _with_form(said: str, layout: Layout) -> str:
    return f"{said} A line is: {layout.columns}."


def _count(words: list[str], line: bytes, layout: Layout) -> str:
    exactly = "exactly " if layout.is_qrels else ""
    seen = f"{len(words)} column{'s' * (len(words) != 1)}"
    return f"{seen}, expected {exactly}{layout.least} ({_shown(line)})."


def _shown(line: bytes) -> str:
    return repr(line.decode(errors="replace").strip()[:80])


def _blanks(words: list[str], line: bytes, layout: Layout) -> str:
    """What to do about blanks in an id, or in the tag of a run."""
    said = f"Ids cannot hold blanks in TREC text; use a table, such as CSV with the columns {TABLE[layout.least]}."
    if layout.is_qrels:
        if len(words) == 5 and is_number(words[4]) and not is_number(words[3]):
            said += " If these are preferences (query group subgroup item level), let the file's name end in .prefs."
        return said
    fields = [split(each) for each in line.split(b"\t")]
    if len(fields) == layout.least and all(fields) and len(fields[0]) + len(fields[2]) > 2:
        columns = {"1": "query", "3": "item", "5": "score"}
        return f"{said} These columns have tabs between them: say format_in='delimited', {say(NONE_GIVEN, columns)}."
    if _has_numbers(words, layout):
        said += " If it is the tag that holds blanks, say format_in='trec'."
    return said


def _has_numbers(words: list[str], layout: Layout) -> bool:
    """Whether a run's line has numbers where the rank and the score are expected."""
    return not layout.is_qrels and is_number(words[3]) and is_number(words[4])


def _rank(words: list[str], line: bytes, layout: Layout, status: int, sign: bytes) -> str:
    rank = brief(words[3])
    if status == trec_text.FRACTION:
        swapped = table_of({"1": "query", "3": "item", "4": "score"}, layout.argument)
        return f"the rank {rank} is not a whole number ({_shown(line)}). If rank and score are swapped, {swapped}"
    if sign:
        return (
            f"the rank is {rank}, but {brief(sign.decode(errors='replace'))} in the first line. Ranks do not count here: write a "
            f"number in every line, or the same word."
        )
    return (
        f"the rank {rank} is not a number ({_shown(line)}). Ids cannot hold blanks in TREC text; use a table, such as CSV "
        f"with the columns {TABLE[layout.least]}. If no id holds a blank, write - as the rank of every line."
    )


def _number(words: list[str], layout: Layout, status: int) -> str:
    number, word = ("grade" if layout.is_qrels else "score"), brief(words[layout.value])
    if status == trec_text.NAN:
        return f"the {number} is not a number (nan). Remove the line or fix the {number}."
    if status == trec_text.INEXACT:
        return f"the {number} {word} is too large to be kept exactly; whole numbers are up to 2^53."
    return f"the {number} {word} is not a number."


def _is_of_the_other(words: list[str], layout: Layout) -> bool:
    """Whether a line that should be a judgement is one of a run, or the reverse."""
    numbers = words[3:5] if layout.is_qrels else words[3:]
    return len(words) == (6 if layout.is_qrels else 4) and all(map(is_number, numbers))
