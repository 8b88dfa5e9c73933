"""The small languages of the command line: metrics with commas, ``column=word`` pairs, grades, names of runs."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

from rankwell.errors import UsageError, brief

# compiled where it is used: most commands print no message
COLUMNS = r"(?<!\w)((?:qrels_)?columns)=(\{(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^{}'\"])*\})"
METRICS = r"(?<!\w)metrics=(\['[^'\]]+'(?:, '[^'\]]+')*\])"
OTHERS = (
    "order", "format_in", "qrels_format", "query_ids", "items_in", "qrels_items_in", "scores_from",
    "items", "train", "users", "by", "weights", "slices", "rank_base", "encoding", "method", "norm", "metric", "qrels",
    "folds", "top", "text", "direction", "redact", "baseline", "primary", "lang", "noun",
    "documents", "topics", "since", "until", "engine", "memory", "resume", "remote", "pool", "aim", "budget", "budgets",
    "frame", "unanswered", "estimators", "every", "horizon",
    "candidates", "negatives", "drawn", "probabilities", "logged_ranks", "max_bias", "rank_by", "draw", "split", "languages", "ledger",
)  # fmt: skip

# options where they begin a message, with what was given; elsewhere these are words of something else, such as date= of an assessor
FIRST = (
    "alpha", "at", "at_least", "bounds", "correction", "date", "drop", "false_alarms", "flips", "fold_in", "form", "gap",
    "how", "of", "per_query", "power", "preset", "refill", "reference", "repeats", "resamples", "scale", "sd", "seed", "test",
    "threads", "tiers", "trials", "window",
)  # fmt: skip

# the words that the running command takes as word=value, with the option that takes them; asked for if there is a message
paired: ContextVar[Callable[[], Mapping[str, str]]] = ContextVar("paired", default=dict)
# what the running command has loaded, by path; the next one may be in another folder
loaded: ContextVar[dict[str, Any] | None] = ContextVar("loaded", default=None)
FLAGS = ("drop_own_query",)  # options without a value
RENAMED = {"documents": "items", "topics": "queries"}  # words of Python that are called otherwise here
BYTES = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}


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

    >>> as_options("is 'order' the score? columns={'order': 'score'}; or order='rows'")
    "is 'order' the score? --columns order=score; or --order rows"
    >>> as_options("Set duplicates='first' or 'drop', or rel=8 (45% of rows), or give items= with all of them: ap(rel=2)")
    'Set --duplicates first or drop, or --rel 8 (45% of rows), or give --items with all of them: ap(rel=2)'
    >>> as_options("is 'p buy' the score? columns={'p buy': 'score'}; or order='rows'")
    "is 'p buy' the score? --columns 'p buy=score'; or --order rows"
    >>> as_options("budget=-5: must be at least 1"), as_options("scale='yes,no': it needs two")
    ('--budget -5: must be at least 1', "--scale 'yes,no': it needs two")
    >>> as_options("one after the other: metrics=['ap(denom=R)@5', 'r@5'], then metrics=['serendipity@5'].")
    "one after the other: --metric 'ap(denom=R)@5,r@5', then --metric serendipity@5."
    >>> as_options("set drop_own_query=True")
    'set --drop-own-query'
    >>> as_options("ap needs judgements: give qrels=. Without qrels, …")
    'ap needs judgements: give a file of judgements in place of none. Without qrels, …'
    """
    message = message.replace("drop_own_query=True", typed_as("drop_own_query"))
    # the judgements are the first argument of most commands
    message = message.replace("give qrels=.", "give a file of judgements in place of none.")
    message = re.sub(r"(?<![\w-])columns=(?= (names|calls) )", typed_as("columns"), message)
    texts, at = list[str](), 0
    for found in re.finditer(COLUMNS, message):  # whose columns may be called as options are
        texts += [_other_options(message[at : found.start()]), _columns_option(found)]
        at = found.end()
    return "".join([*texts, _other_options(message[at:])])


def _other_options(message: str) -> str:
    message = _argument().sub(_option, re.sub(METRICS, _metrics_option, message))
    return re.sub(
        r"(?<![\w\"'`-])(?<!option: )--([a-z][a-z-]*[a-z])( (?=[\w'])|(?![\w-]))", _own_option, message
    )


def typed_as(word: str, value: str = "", sign: str = "") -> str:
    """Return what a user types for a word of Python: an option of its own, or a pair of an option that takes several words."""
    word = RENAMED.get(word, word)
    option = paired.get()().get(word)
    if option is None:
        return f"--{word.replace('_', '-')}{sign}{value}"
    return f"{option} {word}={value or 'true' * (word in FLAGS)}"


def _own_option(found: re.Match[str]) -> str:
    """An option of other commands that is a word of ``--policy`` or ``--read`` on this one."""
    word = found[1].replace("-", "_")
    if word not in paired.get()():
        return found[0]
    return typed_as(word) + found[2] * (word in FLAGS)


def _metrics_option(found: re.Match[str]) -> str:
    """The option that names metrics, quoted for a shell."""
    import shlex

    return f"--metric {shlex.quote(','.join(ast.literal_eval(found[1])))}"


def _columns_option(found: re.Match[str]) -> str:
    """The option that says what columns hold, quoted for a shell; the message as it is where a name is cut."""
    import shlex

    try:
        named = ast.literal_eval(found[2])
    except (SyntaxError, ValueError):
        return found[0]
    said = ",".join(f"{column}={word}" for column, word in named.items())
    quoted = (
        f"'{said}'" if re.fullmatch(r"=[\w.=,-]+", said) else shlex.quote(said)
    )  # zsh reads =query as a program
    return typed_as(found[1], quoted, "=" if said.startswith("-") else " ")


@cache
def _argument() -> re.Pattern[str]:
    """The pattern of name=word, name='word' or 'other', name= and what follows at once; not inside of brackets, as in ap(rel=2)."""
    # loaded here, because the list of commands needs no policy, and a policy loads NumPy
    from rankwell.matching.policy import Policy

    names = "|".join([*(each.name for each in fields(Policy)), *OTHERS])
    first = "|".join(FIRST)
    word = r"'[\w@.-]+'"
    return re.compile(
        rf"(?:(?<![\w(,])(?<!--policy )(?<!--read )({names})|^({first}))=((?:{word}(?:, {word})*(?: (?:or|and) {word})?|[\d.]*\d)?)(?=(.?))"
    )


def _option(found: re.Match[str]) -> str:
    """The option; between it and a value of whatever kind is a space."""
    value = found[3].replace("'", "")
    follows = value or (found[4] and re.match(r"[^\s,.;:)]", found[4]))
    return typed_as(found[1] or found[2], value, " " * bool(follows))


def pairs(given: Sequence[str] | None, option: str) -> dict[str, str]:
    """Read ``column=word`` pairs, several of them separated by commas."""
    found: dict[str, str] = {}
    for text in given or ():
        column = ""
        for number, part in enumerate(
            text.split(",")
        ):  # a comma may stand in a name, whose pair goes on behind it
            column += part if number == 0 or column else part.lstrip()
            name, sign, word = column.rpartition("=")
            if sign and word:  # the first column of a table of pandas has no name
                if found.setdefault(name, word.strip()) != word.strip():
                    raise UsageError(
                        f"{option}: the column {brief(name)} is said to hold {found[name]} and {word.strip()}. Say one of them."
                    )
                column = ""
            else:
                column += ","
        if column:
            raise UsageError(
                f"{option} takes pairs such as userNo=query, not {brief(column.removesuffix(','))}."
            )
    return found


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
        raise UsageError(
            f"{option} takes numbers such as 1,2,3, not {brief(text)}.{without_units(text)}"
        ) from None


def without_units(text: str) -> str:
    """Return a question whether numbers are meant without the letters behind them; "" if other things stand there.

    >>> without_units("40t,80t"), without_units("ten")
    (' Did you mean 40,80?', '')
    """
    found = re.fullmatch(r"\d[\d.]*[a-zA-Z%]+(,\d[\d.]*[a-zA-Z%]*)*", text)
    return f" Did you mean {re.sub('[a-zA-Z%]', '', text)}?" if found else ""


def whole_numbers(text: str | None, option: str) -> list[int] | None:
    """Read whole numbers separated by commas."""
    found = numbers(text, option)
    if found is None:
        return None
    if not all(each.is_integer() for each in found):
        raise UsageError(f"{option} takes whole numbers such as 1,2,3, not {brief(text)}.")
    return [int(each) for each in found]


def named_texts(given: Sequence[str] | None, option: str) -> dict[str, str] | str | None:
    """Read one amount for all metrics, or ``metric=amount`` pairs.

    >>> named_texts(["ndcg@10=1%", "ap(denom=R)@5=.02"], "--margin"), named_texts([".01"], "--margin")
    ({'ndcg@10': '1%', 'ap(denom=R)@5': '.02'}, '.01')
    """
    found: dict[str, str] = {}
    for text in given or ():
        name, sign, value = text.rpartition("=")
        if not value.strip() or (sign and not name.strip()):
            raise UsageError(f"{option} takes 0.01 or ndcg@10=0.01, not {brief(text)}.")
        found[name.strip()] = value.strip()
    if "" in found and len(found) > 1:
        raise UsageError(f"{option}: give one number for all metrics, or one for each, not both.")
    return found.get("", found) if found else None


def named_numbers(given: Sequence[str] | None, option: str) -> dict[str, float] | float | None:
    """Read one number for all metrics, or ``metric=number`` pairs.

    >>> named_numbers(["ndcg@10=0.01"], "--margin"), named_numbers([".01"], "--margin")
    ({'ndcg@10': 0.01}, 0.01)
    """
    found = named_texts(given, option)
    if isinstance(found, dict):
        return {name: _amount(text, f"{name}={text}", option) for name, text in found.items()}
    return None if found is None else _amount(found, found, option)


def _amount(text: str, said: str, option: str) -> float:
    try:
        return float(text)
    except ValueError:
        # an experiment file may hold one, as the gate's margins may be shares
        share = " A share of the baseline's mean is for `rankwell gate`." if text.endswith("%") else ""
        raise UsageError(f"{option} takes 0.01 or ndcg@10=0.01, not {brief(said)}.{share}") from None


def named_groups(given: Sequence[str] | None, option: str, runs: Sequence[str] = ()) -> dict[str, list[str]]:
    """Read ``name=member,member`` words; a member is the name of a run, its path, or the name of its file.

    >>> named_groups(["bert=bert-1,a/bert-2.run,bert-3.run"], "--seeds", ["bert-1.run", "a/bert-2.run", "a/bert-3.run"])
    {'bert': ['bert-1', 'bert-2', 'bert-3']}
    """
    named = split_names(runs)
    found: dict[str, list[str]] = {}
    for text in given or ():
        name, _, members = text.partition("=")
        if not name or not members or name in found:
            raise UsageError(
                f"{option} takes a new name and its runs, such as A=A-1,A-2,A-3, not {brief(text)}."
            )
        found[name] = [named_as(each, *named) or each for each in split(members)]
    return found


def _is_there(path: str) -> bool:
    from rankwell.readers.bytes.paths import STDIN
    from rankwell.results.saving.days import exists

    return path == STDIN or exists(path)


def split_names(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the names and the paths of runs: ``name=file`` gives a name, if there is no such file but the one behind it.

    The file may be a pattern, or a window of days in a folder of saved results.

    >>> split_names(["a/bm25.run", "nowhere=b/bm25.run"])
    (['a/bm25', 'nowhere=b/bm25'], ['a/bm25.run', 'nowhere=b/bm25.run'])
    """
    parts = [word.partition("=") for word in words]
    is_named = [
        bool(sign) and not Path(word).exists() and _is_there(path)
        for word, (_, sign, path) in zip(words, parts, strict=True)
    ]
    paths = [
        path if named else word for word, named, (_, _, path) in zip(words, is_named, parts, strict=True)
    ]
    own = run_names(paths)
    names = [
        name if named else plain for plain, named, (name, _, _) in zip(own, is_named, parts, strict=True)
    ]
    return names, paths


def refuse_twice(names: Sequence[str]) -> None:
    """Raise UsageError if two runs have one name."""
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(f"two runs are called {brief(twice)}; give each a name of its own: name=file.")


def run_names(paths: Sequence[str]) -> list[str]:
    """Return the name of each run: that of its file without known suffixes, and with what tells files apart.

    >>> run_names(["a/bm25.run", "b/bm25.run", "a/dense.run"])
    ['a/bm25', 'b/bm25', 'dense']
    """
    from rankwell.readers.bytes.paths import names_of

    return names_of(paths)


def named_as(word: str, names: Sequence[str], paths: Sequence[str]) -> str | None:
    """Return the name of the system that a word calls by its name, its path, or the name of its file; None if none is.

    >>> [named_as(word, ["bm25"], ["runs/bm25.run"]) for word in ("bm25", "runs/bm25.run", "bm25.run", "dense")]
    ['bm25', 'bm25', 'bm25', None]
    """
    if word in names:
        return word
    for same in (Path(word).__eq__, lambda path: path.name == word):
        found = [name for name, path in zip(names, paths, strict=True) if same(Path(path))]
        if len(found) == 1:
            return found[0]
    return None


def with_command(arguments: Sequence[str]) -> list[str]:
    """Return the arguments of a command that keeps the command line itself, unless they say what to keep, or ask for help.

    The folders of absolute paths are left out: they tell of a machine, not of an evaluation.

    >>> with_command(["report", "/home/me/qrels.txt", "runs/a b.run", "-o", "out.html"])[-1]
    "rankwell report qrels.txt 'runs/a b.run' -o out.html"
    """
    import shlex

    if {"--command", "--help", "-h"} & set(arguments) or any(
        word.startswith("--command=") for word in arguments
    ):
        return list(arguments)
    shown = [re.sub(r"(^|=)/(?:[^/=,]*/)*", r"\1", word) for word in arguments]
    return [*arguments, "--command", shlex.join(["rankwell", *shown])]


def share_of(text: str, option: str) -> float:
    """Return a share such as ``10%`` or ``0.1``; UsageError if it is none."""
    number, is_percent = text.strip().removesuffix("%"), text.strip().endswith("%")
    try:
        value = float(number) / (100 if is_percent else 1)
    except ValueError as error:
        raise UsageError(f"{option} {brief(text)}: write a share such as 10% or 0.1.") from error
    if not 0 <= value <= 1:
        raise UsageError(f"{option} {brief(text)}: must be from 0% to 100%; 1 in 10 is 10%, or 0.1.")
    return value


def bytes_of(text: str | None, option: str) -> int | None:
    """Read an amount of memory.

    >>> bytes_of("1.5K", "--memory"), bytes_of(None, "--memory")
    (1536, None)
    """
    if text is None:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([KMG]?)B?", text.strip().upper())
    if found is None:
        raise UsageError(f"{option} takes bytes, such as 500M or 4G, not {brief(text)}.")
    return int(float(found[1]) * BYTES[found[2]])
