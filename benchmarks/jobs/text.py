"""TREC text: one large run, in order and shuffled; twenty runs; all measures of trec_eval; reading alone."""

from __future__ import annotations

import json

from harness import Command, Output, nothing
from workload import Maker, Setting, Workload, at_least, at_most

from jobs.commands import c_program, evaluate, loop, trec_eval, trec_eval_loop

TWENTY = "w2_*.run"


def pytrec_eval(setting: Setting, qrels: str, run: str) -> Command:
    return setting.peer("pytrec_eval", "peer_text.py", f"{{data}}/{qrels}", f"{{data}}/{run}")


def w1(setting: Setting) -> Workload:
    setting.data("w1")
    limit = c_program(setting, "w1.qrels", "w1.run")
    return Workload(
        "TREC text, 6,980 queries × 1,000 rows",
        evaluate(setting, "w1.qrels", ["w1.run"]),
        (pytrec_eval(setting, "w1.qrels", "w1.run"), *trec_eval(setting, "w1.qrels", "w1.run")),
        limit,
        (limit,) if limit else (),
        inputs=("w1.run", "w1.qrels"),
        bars=(at_least("ratio", 20), at_least("share", 0.7), at_most("memory", 0.45)),
    )


def w1_shuffled(setting: Setting) -> Workload:
    setting.data("w1", "w1_shuffled")
    return Workload(
        "the same lines in random order",
        evaluate(setting, "w1.qrels", ["w1_shuffled.run"]),
        (pytrec_eval(setting, "w1.qrels", "w1_shuffled.run"),),
        inputs=("w1_shuffled.run", "w1.qrels"),
        bars=(at_least("ratio", 10), at_most("memory", 1.3)),
    )


def read_run(setting: Setting) -> Workload:
    setting.data("w1")
    return Workload(
        "the same, read and kept (`read_run`)",
        Command("rw.read_run", setting.script("ours_read.py", "{data}/w1.run")),
        inputs=("w1.run",),
        bars=(at_most("memory", 1.3),),
    )


def lint(setting: Setting) -> Workload:
    setting.data("w1")
    words = (str(setting.rankwell), "lint", "{data}/w1.qrels", "{data}/w1.run")
    return Workload(
        "the same, checked (`rankwell lint`)",
        Command("rankwell lint", words, nothing),
        limit=evaluate(setting, "w1.qrels", ["w1.run"]),
        inputs=("w1.run", "w1.qrels"),
        bars=(at_least("share", 0.5), at_most("memory", 0.5)),
    )


def all_trec(setting: Setting) -> Workload:
    setting.data("w1")
    files = ("{data}/w1.qrels", "{data}/w1.run")
    call = (str(setting.rankwell), "trec_eval", "--version-of", "9", "-m", "all_trec", *files)
    return Workload(
        "the same, all measures of trec_eval (`rankwell trec_eval -m all_trec`)",
        Command("rankwell trec_eval", call, all_means, digits=4),
        (
            setting.peer(
                "pytrec_eval", "peer_all_trec.py", *files, label=", all_trec", read=rounded_means, digits=4
            ),
        ),
        c_program(setting, "w1.qrels", "w1.run"),
        inputs=("w1.run", "w1.qrels"),
        bars=(at_least("ratio", 12),),
    )


def all_means(text: str) -> Output:
    """What trec_eval prints of all topics, in four decimals."""
    rows = [line.split() for line in text.splitlines()]
    return Output({name: float(value) for name, _, value in rows if name not in ("runid", "num_q")})


def rounded_means(text: str) -> Output:
    """The values of the other tool as trec_eval prints them."""
    values = json.loads(text)["values"]
    return Output({name: float(f"{value:.4f}") for name, value in values.items()})


def twenty_runs(setting: Setting) -> list[str]:
    return sorted(path.name for path in setting.data("w2")[0].glob(TWENTY))


def w2(setting: Setting) -> Workload:
    runs = twenty_runs(setting)
    files = ["{data}/w2.qrels", *(f"{{data}}/{run}" for run in runs)]
    limit = c_program(setting, "w2.qrels", *runs)
    return Workload(
        "20 runs of 250 queries × 1,000 rows, one command",
        evaluate(setting, "w2.qrels", runs),
        (
            setting.peer("pytrec_eval", "peer_text.py", *files),
            *trec_eval_loop(setting, "w2.qrels", TWENTY),
        ),
        limit,
        (limit,) if limit else (),
        inputs=("w2.qrels", *runs),
        bars=(at_least("ratio", 10),),
    )


def w2_loop(setting: Setting) -> Workload:
    runs = twenty_runs(setting)
    limit = c_program(setting, "w2.qrels", "$run")
    return Workload(
        "the same, twenty commands in a shell loop",
        loop(evaluate(setting, "w2.qrels", ["$run"]), TWENTY),
        trec_eval_loop(setting, "w2.qrels", TWENTY),
        loop(limit, TWENTY) if limit else None,
        inputs=("w2.qrels", *runs),
        bars=(at_least("ratio", 1.5),),
    )


WORKLOADS: dict[str, Maker] = {
    "w1": w1,
    "w1_shuffled": w1_shuffled,
    "read_run": read_run,
    "lint_w1": lint,
    "all_trec": all_trec,
    "w2": w2,
    "w2_loop": w2_loop,
}
