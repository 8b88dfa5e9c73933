"""The small languages of the command line: metrics with commas, ``column=word`` pairs, grades, names of runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields
from functools import cache
from pathlib import Path

from rankwell.errors import UsageError, brief

TABLES = (
    "items",
    "train",
    "users",
    "by",
    "weights",
    "slices",
    "rank_base",
    "encoding",
    "text",
    "direction",
    "top",
)


def split(text: str) -> list[str]:
    """Split metrics at commas outside brackets.

    >>> split("ndcg@10,ap(denom=R,rel=2)@5, rr")
    ['ndcg@10', 'ap(denom=R,rel=2)@5', 'rr']
    """
    parts, depth = [""], 0
    for sign in text:
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts if part.strip()]


def as_options(message: str) -> str:
    """Write arguments of Python in a message as options of the command line.

    >>> as_options("Set duplicates='first' or 'drop', or rel=8 (45% of rows), or give items= with all of them: ap(rel=2)")
    'Set --duplicates first or drop, or --rel 8 (45% of rows), or give --items with all of them: ap(rel=2)'
    """
    return _argument().sub(_option, message)


@cache
def _argument() -> re.Pattern[str]:
    """The pattern of name=word, name='word' or 'other', name= ; not inside of brackets, as in ap(rel=2)."""
    # loaded here, because the list of commands needs no policy, and a policy loads NumPy
    from rankwell.judge.policy import Policy

    names = "|".join([*(each.name for each in fields(Policy)), *TABLES])
    word = r"'[\w-]+'"
    return re.compile(rf"(?<![\w(,])({names})=((?:{word}(?:, {word})*(?: (?:or|and) {word})?|[\d.]*\d)?)")


def _option(found: re.Match[str]) -> str:
    value = found[2].replace("'", "")
    return f"--{found[1].replace('_', '-')}{' ' * bool(value)}{value}"


def pairs(given: Sequence[str] | None, option: str) -> dict[str, str]:
    """Read ``column=word`` pairs, several of them separated by commas."""
    found = [part.rpartition("=") for text in given or () for part in text.split(",")]
    for column, sign, word in found:
        if not (column and sign and word):
            raise UsageError(f"{option} takes pairs such as userNo=query, not {brief(column + sign + word)}.")
    return {column.strip(): word.strip() for column, _, word in found}


def files(given: Sequence[str] | None, option: str) -> dict[str, str]:
    """Read ``name=file`` pairs."""
    found = [text.partition("=") for text in given or ()]
    for name, sign, path in found:
        if not (name.strip() and sign and path):
            raise UsageError(
                f"{option} takes a name and a file such as head=head.csv, not {brief(name + sign + path)}."
            )
    names = [name.strip() for name, _, _ in found]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"{option}: the name {brief(name)} is given twice.")
    return dict(zip(names, (path for _, _, path in found), strict=True))


def numbers(text: str | None, option: str) -> list[float] | None:
    """Read numbers separated by commas."""
    if text is None:
        return None
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"{option} takes numbers such as 1,2,3, not {brief(text)}.") from None


def named_numbers(given: Sequence[str] | None, option: str) -> dict[str, float] | float | None:
    """Read one number for all, or ``name=number`` pairs.

    >>> named_numbers(["ndcg@10=0.01", "ap(denom=R)@5=.02"], "--margin"), named_numbers([".01"], "--margin")
    ({'ndcg@10': 0.01, 'ap(denom=R)@5': 0.02}, 0.01)
    """
    found: dict[str, float] = {}
    for text in given or ():
        name, _, value = text.rpartition("=")
        try:
            found[name] = float(value)
        except ValueError:
            raise UsageError(f"{option} takes 0.01 or ndcg@10=0.01, not {brief(text)}.") from None
    if "" in found and len(found) > 1:
        raise UsageError(f"{option}: give one number for all metrics, or one for each, not both.")
    return found.get("", found) if found else None


def run_names(paths: Sequence[str]) -> list[str]:
    """Return the name of each run: that of its file, or the path where several files share the name.

    >>> run_names(["a/bm25.run", "b/bm25.run", "a/dense.run"])
    ['a/bm25.run', 'b/bm25.run', 'dense.run']
    """
    names = [Path(path).name for path in paths]
    return [
        path if names.count(name) > 1 else name for path, name in zip(map(str, paths), names, strict=True)
    ]
