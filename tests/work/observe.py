"""What one job makes the machine do, counted in a fresh Python: JOB FOLDER. Prints a JSON object; times play no part."""

from __future__ import annotations

import io
import json
import os
import resource
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

METRICS = ["ap", "ndcg@10", "p@10", "r@100", "rr"]
COMPREHENSIONS = {"<listcomp>", "<dictcomp>", "<setcomp>"}  # calls until Python 3.11, none later
KEPT = "__get__"  # of a cached property, which is the library's in other versions of Python
Job = Callable[[], object]


def calls_of(job: Job, home: str) -> int:
    """How many functions our own Python calls, ours and built-in ones, on all threads."""
    counts: Counter[int] = Counter()  # a key per thread: no two threads add to one

    def seen(frame: Any, event: str, _argument: object) -> None:
        code = frame.f_code
        if (
            code.co_filename.startswith(home)
            and code.co_name != KEPT
            and (event == "c_call" or (event == "call" and code.co_name not in COMPREHENSIONS))
        ):
            counts[threading.get_ident()] += 1

    threading.setprofile(seen)
    sys.setprofile(seen)
    try:
        job()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return sum(counts.values())


def traced_peak(job: Job) -> int:
    """The most memory that Python objects and arrays held at once, beyond what they held before."""
    import tracemalloc

    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    job()
    peak = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    return peak


def bytes_read() -> int:
    """What this process has read through system calls, on any thread."""
    lines = Path("/proc/self/io").read_text().splitlines()
    return int(lines[0].removeprefix("rchar: "))


@contextmanager
def threads_counted(counts: Counter[str]) -> Iterator[None]:
    """Count the threads of Python that are started."""
    start = threading.Thread.start

    def counted(thread: threading.Thread) -> None:
        counts["threads"] += 1
        start(thread)

    threading.Thread.start = counted  # type: ignore[method-assign]
    try:
        yield
    finally:
        threading.Thread.start = start  # type: ignore[method-assign]


def watched(job: Job, files: Iterable[Path]) -> dict[str, int]:
    """How often the files are opened, bytes read and mapped, threads started and pages touched anew while the job runs."""
    events: Counter[str] = Counter()
    names = {str(path) for path in files}
    on = True

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if not on:
            return
        if event == "open" and str(arguments[0]) in names:
            events["files"] += 1
        elif event == "mmap.__new__":
            events["mapped"] += arguments[1]

    sys.addaudithook(hook)
    events.update(files=0, threads=0, mapped=0)
    bytes_before, faults = bytes_read(), resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    with threads_counted(events):
        job()
    faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - faults
    found = dict(events)
    on = False
    return found | {
        "read": bytes_read() - bytes_before - len(Path("/proc/self/io").read_text()),
        "faults": faults,
    }


def of_files(qrels: Path, run: Path, metrics: list[str]) -> Job:
    import rankwell as rw

    return lambda: rw.evaluate(str(run), str(qrels), metrics, threads=2, per_query=False).mean


def evaluation_of_a_file(folder: Path, suffix: str, metrics: list[str]) -> dict[str, int]:
    """Counts of a second evaluation, when all modules are loaded; memory relative to the file."""
    files = folder / f"qrels{suffix}", folder / f"run{suffix}"
    few = of_files(*(path.with_stem(f"{path.stem}_few") for path in files), metrics)
    job = of_files(*files, metrics)
    few()
    size = sum(path.stat().st_size for path in files)
    seen = watched(job, files)  # the first time at this size: what is kept for later is touched now
    seen["read %"] = round(100 * (seen.pop("read") + seen.pop("mapped")) / size)
    seen["calls"] = calls_of(job, home())
    seen["traced kB"] = round(traced_peak(job) / 1e3)
    return seen


def home() -> str:
    import rankwell

    return str(Path(rankwell.__file__).parent) + os.sep


def dicts(queries: int, depth: int) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, int]]]:
    """Lists of which every tenth item and one more are judged."""
    run = {f"q{q}": {f"d{q}-{i}": float(depth - i) for i in range(depth)} for q in range(queries)}
    qrels = {
        f"q{q}": {f"d{q}-{i}": i % 3 for i in range(0, depth + 10, 10)} | {"other": 1} for q in range(queries)
    }
    return run, qrels


def calls_on_dicts(queries: int, depth: int, metrics: list[str]) -> dict[str, int]:
    """Calls with an evaluator that is reused, dicts new every time; with a Run made before; with nothing reused."""
    import rankwell as rw

    def new() -> dict[str, dict[str, float]]:
        return dicts(queries, depth)[0]

    _, qrels = dicts(queries, depth)
    evaluator = rw.Evaluator(qrels, metrics)
    for run in (new(), rw.read_run(new())):
        evaluator.evaluate(run).mean  # noqa: B018 - the first time loads what is loaded once
    rw.evaluate(new(), qrels, metrics).mean  # noqa: B018
    given = [new(), rw.read_run(new()), new()]
    return {
        "dict": calls_of(lambda: evaluator.evaluate(given[0]).mean, home()),
        "run": calls_of(lambda: evaluator.evaluate(given[1]).mean, home()),
        "nothing reused": calls_of(
            lambda: rw.evaluate(given[2], dicts(queries, depth)[1], metrics).mean, home()
        ),
    }


def a_segment_per_query() -> dict[str, int]:
    """Counts of the means of 50,000 queries, each in a segment of its own, which nobody looks at."""
    import numpy as np
    import polars as pl

    import rankwell as rw

    query = np.arange(50_000)
    users = pl.DataFrame({"query": query, "segment": query * 7_919 % 1_000_003})
    run, qrels = (
        pl.DataFrame({"query": query, "item": query}),
        {"query": query, "item": query, "grade": query % 2},
    )

    def evaluated() -> dict[str, float]:
        return rw.evaluate(run, pl.DataFrame(qrels), ["rr"], users=users, by="segment").mean

    evaluated()
    return {"calls": calls_of(evaluated, home()), "traced kB": round(traced_peak(evaluated) / 1e3)}


def a_thousand_segments_compared() -> dict[str, int]:
    """Counts of the tests, intervals and margins of two runs in 1,000 segments of 20 queries."""
    import numpy as np

    import rankwell as rw

    rng, query = np.random.default_rng(20), np.repeat(np.arange(20_000), 2)
    item = np.tile([0, 1], 20_000)
    runs = {name: {"query": query, "item": item, "score": rng.random(40_000)} for name in "ab"}
    qrels = {"query": query, "item": item, "grade": rng.integers(0, 4, 40_000)}
    users = {"query": np.arange(20_000), "segment": np.arange(20_000) // 20}

    def compared() -> object:
        return rw.compare(runs, qrels, ["ndcg@2"], users=users, by="segment", margins=0.001, threads=1)

    compared()
    return {"calls": calls_of(compared, home())}


def modules_of(job: Job) -> dict[str, Any]:
    """The modules that a job loads beyond those of NumPy, ours and others' apart; threads that it starts."""
    import numpy  # noqa: F401, ICN001 - what NumPy loads is not ours to bound

    before = set(sys.modules)
    counts = Counter(threads=0)
    with threads_counted(counts), redirect_stdout(io.StringIO()):
        job()
    loaded = sorted(set(sys.modules) - before)
    ours = [name for name in loaded if name.split(".")[0] == "rankwell"]
    others = [name for name in loaded if name.split(".")[0] != "rankwell"]
    return {"ours": len(ours), "others": len(others), "threads": counts["threads"], "names": loaded}


def command(*arguments: str) -> Job:
    def run() -> None:
        from rankwell.__main__ import main

        try:
            code = main(list(arguments))
        except SystemExit as end:
            code = end.code
        assert not code, code

    return run


def first_evaluation() -> None:
    """What a program does that evaluates dicts and nothing else."""
    import rankwell as rw

    run, qrels = dicts(1, 10)
    assert rw.evaluate(run, qrels, ["ap", "ndcg@10"]).mean


def jobs(folder: Path) -> dict[str, Callable[[], dict[str, Any]]]:
    small = [str(folder / "qrels_few.run"), str(folder / "run_few.run")]
    asked = [word for metric in METRICS for word in ("-m", metric)]
    at_10 = ["ap@10", "ndcg@10", "p@10", "r@10", "rr@10"]
    return {
        "1 x 10 dicts": lambda: calls_on_dicts(1, 10, ["ndcg@10", "ap"]),
        "100 x 100 dicts": lambda: calls_on_dicts(100, 100, METRICS),
        "TREC text": lambda: evaluation_of_a_file(folder, ".run", METRICS),
        "shuffled TREC text": lambda: evaluation_of_a_file(folder / "shuffled", ".run", METRICS),
        "Parquet": lambda: evaluation_of_a_file(folder, ".parquet", at_10),
        "CSV": lambda: evaluation_of_a_file(folder, ".csv", at_10),
        "NDJSON": lambda: evaluation_of_a_file(folder, ".jsonl", at_10),
        "a segment per query": a_segment_per_query,
        "a thousand segments compared": a_thousand_segments_compared,
        "first evaluation of dicts": lambda: modules_of(first_evaluation),
        "evaluate": lambda: modules_of(command("evaluate", *small, *asked)),
        "trec_eval": lambda: modules_of(command("trec_eval", *small)),
        "help": lambda: modules_of(command("--help")),
        "help of evaluate": lambda: modules_of(command("evaluate", "--help")),
    }


if __name__ == "__main__":
    print(json.dumps(jobs(Path(sys.argv[2]))[sys.argv[1]]()))
