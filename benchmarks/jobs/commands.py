"""Commands that several families measure: what users type, and how its output is read. Standard library only."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from typing import Any

import peers
from harness import Command, Output, nothing
from workload import Setting

FIVE = ("ap", "ndcg@10", "p@10", "r@100", "rr")
FIVE_AT_10 = ("ap(denom=R)@10", "ndcg@10", "p@10", "r@10", "rr@10")
IN_TREC_EVAL = {
    "ap": "map",
    "ndcg@10": "ndcg_cut_10",
    "p@10": "P_10",
    "r@100": "recall_100",
    "rr": "recip_rank",
}
TREC_EVAL = "-m map -m ndcg_cut.10 -m P.10 -m recall.100 -m recip_rank"


def documents(text: str) -> list[Any]:
    """JSON documents that stand one after the other."""
    found, at, decoder = [], 0, json.JSONDecoder()
    while text[at:].strip():
        document, at = decoder.raw_decode(text, at + len(text[at:]) - len(text[at:].lstrip()))
        found.append(document)
    return found


def means(text: str, metrics: tuple[str, ...]) -> Output:
    """The means of each run that `rankwell evaluate --format json` printed, under the names that were asked for."""
    runs = [run for document in documents(text) for run in document["runs"]]
    values = {}
    for number, run in enumerate(runs):
        of = f"run {number}, " if len(runs) > 1 else ""
        pairs = zip(metrics, run["mean"].values(), strict=True)
        values |= {f"{of}{metric}": float(value) for metric, value in pairs}
    return Output(values)


def evaluate(
    setting: Setting, qrels: str, runs: list[str], metrics: tuple[str, ...] = FIVE, *, more: tuple[str, ...] = (), label: str = "rankwell evaluate"
) -> Command:  # fmt: skip
    """`rankwell evaluate` with these metrics, on files in the folder of data."""
    asked = [word for metric in metrics for word in ("-m", metric)]
    files = [in_data(name) for name in (qrels, *runs)]
    argv = (str(setting.rankwell), "evaluate", *files, *asked, *more, "--format", "json")
    return Command(label, argv, lambda text: means(text, metrics))


def as_trec_eval_prints(text: str) -> Output:
    """The means in trec_eval's lines of name, topic and value, under our names; one run after the other."""
    ours = {theirs: name for name, theirs in IN_TREC_EVAL.items()}
    rows = [line.split() for line in text.splitlines()]
    found = [(ours[name], float(value)) for name, topic, value in rows if topic == "all" and name in ours]
    several = len(found) > len(ours)
    return Output({
        (f"run {place // len(ours)}, " if several else "") + name: value
        for place, (name, value) in enumerate(found)
    })  # fmt: skip


def trec_eval(setting: Setting, qrels: str, run: str) -> tuple[Command, ...]:
    """NIST's program on the five measures, which prints four decimals; nothing where it is not to be had."""
    found = peers.trec_eval(setting.cache)
    if found is None:
        return ()
    program, label = found
    argv = (str(program), *TREC_EVAL.split(), in_data(qrels), in_data(run))
    return (Command(label, argv, as_trec_eval_prints, digits=4),)


def trec_eval_loop(setting: Setting, qrels: str, pattern: str) -> tuple[Command, ...]:
    return tuple(loop(command, pattern) for command in trec_eval(setting, qrels, "$run"))


def loop(command: Command, pattern: str) -> Command:
    """The same command for each run of a pattern, one after the other in a shell; $run is the run."""
    words = " ".join(word if word == "$run" else shlex.quote(word) for word in command.argv)
    script = f"for run in {{data}}/{pattern}; do {words} || exit; done"
    return replace(command, label=f"{command.label}, in a shell loop", argv=("sh", "-c", script))


def in_data(name: str) -> str:
    """A file in the folder of data, unless it is a variable of the shell."""
    return name if name.startswith("$") else f"{{data}}/{name}"


def c_program(setting: Setting, qrels: str, *runs: str) -> Command | None:
    """Python's start, and a program in C that does the whole job; None where there is no compiler."""
    program = peers.limit_text(setting.cache)
    if program is None:
        return None
    start = (setting.python, "-c", "import os, sys; os.execv(sys.argv[1], sys.argv[1:])")
    return Command("Python's start, then C", (*start, str(program), *map(in_data, (qrels, *runs))))


def import_numpy(setting: Setting) -> Command:
    return Command("import numpy", (setting.python, "-c", "import numpy"), nothing)


def polars(setting: Setting, *files: str) -> Command:
    """What Polars needs to be imported, and to read the columns that are needed."""
    return Command(
        "Polars imported, and reading", setting.script("limit_polars.py", *map(in_data, files)), nothing
    )


def in_sql(setting: Setting, truth: str, rec: str) -> Command:
    """DuckDB's answer to one statement, which checks nothing."""
    return setting.peer("duckdb", "peer_duckdb.py", in_data(truth), in_data(rec), label=", SQL")


def in_sql_checked(setting: Setting, truth: str, rec: str) -> Command:
    """The same, after a look for repeated items in both tables."""
    label = ", SQL and a check for duplicates"
    return setting.peer("duckdb", "peer_duckdb.py", in_data(truth), in_data(rec), "--checked", label=label)


def by_hand(setting: Setting, truth: str, rec: str) -> tuple[Command, ...]:
    """What people write themselves: SQL, and twenty lines of Polars and of NumPy."""
    files = in_data(truth), in_data(rec)
    return (
        in_sql(setting, truth, rec),
        in_sql_checked(setting, truth, rec),
        setting.peer("polars", "peer_polars.py", *files, label=", twenty lines"),
        setting.peer("numpy", "peer_numpy.py", *files, label=", twenty lines"),
    )
