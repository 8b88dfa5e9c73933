"""What is wrong with a line that is no TREC text, in one sentence, with a remedy."""

from __future__ import annotations

from rankwell.errors import brief
from rankwell.kernels import trec_text
from rankwell.readers.trec_columns import QRELS, Layout, is_number, split
from rankwell.tables.run_qrels import SWAPPED

TABLE = {6: "query,item,score", 4: "query,item,grade"}
NUL = "a NUL byte; the file is damaged, binary, or UTF-16 without its mark. Text is UTF-8."


def trouble(line: bytes, layout: Layout, status: int, sign: bytes) -> str:
    """Return what is wrong with a line, by the status of the kernel; ``sign`` is what stands in place of ranks."""
    if b"\0" in line:
        return _with_form(NUL, layout)
    if status == trec_text.LONG_ID:
        return _with_form(
            f"an id of more than {trec_text.LONGEST_ID:,} bytes. Is this the right file?", layout
        )
    words = [word.decode(errors="replace") for word in split(line)]
    if _is_of_the_other(words, layout):
        return f"{_with_form(_count(words, line, layout), layout)} {SWAPPED}"
    if len(words) < layout.least:
        return _with_form(_count(words, line, layout), layout)
    if len(words) > layout.least and (
        layout.rule == trec_text.EXACT or sign or not _has_numbers(words, layout)
    ):
        return _with_form(f"{_count(words, line, layout)} {_blanks(words, line, layout)}", layout)
    if status == trec_text.WRONG_RANK:
        return _with_form(_rank(words, line, layout, sign), layout)
    return _with_form(_number(words, layout, status), layout)


def _with_form(said: str, layout: Layout) -> str:
    return f"{said} A line is: {layout.columns}."


def _count(words: list[str], line: bytes, layout: Layout) -> str:
    exactly = "exactly " if layout is QRELS else ""
    seen = f"{len(words)} column{'s' * (len(words) != 1)}"
    return f"{seen}, expected {exactly}{layout.least} ({_shown(line)})."


def _shown(line: bytes) -> str:
    return repr(line.decode(errors="replace").strip()[:80])


def _blanks(words: list[str], line: bytes, layout: Layout) -> str:
    """What to do about blanks in an id, or in the tag of a run."""
    said = f"Ids cannot hold blanks in TREC text; use a table, such as CSV with the columns {TABLE[layout.least]}."
    if layout is QRELS:
        if len(words) == 5 and is_number(words[4]) and not is_number(words[3]):
            said += " If these are preferences (query group subgroup item level), let the file's name end in .prefs."
        return said
    fields = [split(each) for each in line.split(b"\t")]
    if len(fields) == layout.least and all(fields) and len(fields[0]) + len(fields[2]) > 2:
        columns = {"1": "query", "3": "item", "5": "score"}
        return f"{said} These columns have tabs between them: say format_in='delimited', columns={columns}."
    if _has_numbers(words, layout):
        said += " If it is the tag that holds blanks, say format_in='trec'."
    return said


def _has_numbers(words: list[str], layout: Layout) -> bool:
    """Whether a run's line has numbers where the rank and the score are expected."""
    return layout is not QRELS and is_number(words[3]) and is_number(words[4])


def _rank(words: list[str], line: bytes, layout: Layout, sign: bytes) -> str:
    rank = brief(words[3])
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
    number, word = ("grade" if layout is QRELS else "score"), brief(words[layout.value])
    if status == trec_text.NAN:
        return f"the {number} is not a number (nan). Remove the line or fix the {number}."
    if status == trec_text.INEXACT:
        return f"the {number} {word} is too large to be kept exactly; whole numbers are up to 2^53."
    return f"the {number} {word} is not a number."


def _is_of_the_other(words: list[str], layout: Layout) -> bool:
    """Whether a line that should be a judgement is one of a run, or the reverse."""
    numbers = words[3:5] if layout is QRELS else words[3:]
    return len(words) == (6 if layout is QRELS else 4) and all(map(is_number, numbers))
