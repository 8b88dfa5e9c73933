"""Evaluation part by part on one machine: time and memory as data grow, kills, and what that predicts for more.

    python -m benchmarks.scale [growth] [kills] [--users 10000000] [--memory 2GiB] [--folder FOLDER]

``growth`` makes lists of 10⁵, 10⁶ … users × 20 items with 10 judgements each, sorted and shuffled, evaluates five metrics in memory and
part by part, each in a process of its own, and holds the prediction made at a tenth of the users beside what was measured. ``kills``
kills an evaluation of sorted lists, and one of a tenth of the users in any order, at 20 random moments each, and goes on. The data are removed afterwards.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from polars.io.plugins import register_io_source

METRICS = ["ndcg@10", "ap", "rr", "p@10", "r@20"]
LISTED, JUDGED, ITEMS, STEP = 20, 10, 100_000, 200_000
GROUP = 1_048_576  # rows of a row group, as PyArrow writes them
PROGRAM = """
import resource, sys, time
import rankwell as rw
engine, memory, folder, run, out, resume = sys.argv[1:]
where = rw.Stream(memory, resume or None) if engine == "stream" else "memory"
begun = time.perf_counter()
res = rw.evaluate(f"{folder}/{run}.parquet", f"{folder}/qrels.parquet", METRICS, engine=where, per_query=out or False)
spent = time.perf_counter() - begun
print(repr((spent, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, list(res.mean.values()))))
""".replace("METRICS", repr(METRICS))
TOLD = """
import sys, time
import rankwell as rw
memory, folder, run, resume = sys.argv[1:]
def tell(what, done, total):
    print(f"{time.monotonic()} {what} {done}.", flush=True)
engine = rw.Stream(memory, resume, progress=tell)
res = rw.evaluate(f"{folder}/{run}.parquet", f"{folder}/qrels.parquet", METRICS, engine=engine, per_query=False)
print(f"means {list(res.mean.values())}.", flush=True)
""".replace("METRICS", repr(METRICS))


@dataclass(frozen=True)
class Measured:
    """Seconds, the peak memory of the process in MiB, and the means."""

    seconds: float
    peak: float
    means: list[float]


def items_of(rng: np.random.Generator, users: int, k: int) -> np.ndarray:
    """Return k different items for each user, popular ones more often."""
    steps = rng.integers(1, ITEMS // k, size=(users, k), dtype=np.int64)
    first = (ITEMS * rng.random((users, 1)) ** 2).astype(np.int64)
    return rng.permuted((first + np.cumsum(steps, axis=1)) % ITEMS, axis=1)


def runs(users: int) -> Iterator[pl.DataFrame]:
    """Yield the lists of some users at a time."""
    for low in range(0, users, STEP):
        n, rng = min(STEP, users - low), np.random.default_rng((7, low))
        listed = items_of(rng, n, LISTED)
        score = -np.sort(-rng.random((n, LISTED), dtype=np.float32), axis=1)
        query = np.repeat(np.arange(low, low + n), LISTED)
        yield pl.DataFrame({"query": query, "item": listed.ravel(), "score": score.ravel()})


def judgements(users: int) -> Iterator[pl.DataFrame]:
    """Yield the judgements of some users at a time: half of them of items that are listed."""
    for low in range(0, users, STEP):
        n, rng = min(STEP, users - low), np.random.default_rng((8, low))
        listed = items_of(np.random.default_rng((7, low)), n, LISTED)[:, : JUDGED // 2]
        judged = np.concatenate([listed, items_of(rng, n, JUDGED // 2)], axis=1).ravel()
        query, grade = (
            np.repeat(np.arange(low, low + n), JUDGED),
            rng.integers(0, 4, n * JUDGED, dtype=np.int8),
        )
        frame = pl.DataFrame({"query": query, "item": judged, "grade": grade})
        yield frame.unique(["query", "item"], keep="first", maintain_order=True)


def make(folder: Path, users: int, *, shuffle: bool) -> None:
    """Write the data; lists in any order too, if asked for: rows are dealt to files, and each of these is shuffled."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, pieces in (("run", runs), ("qrels", judgements)):
        if not (folder / f"{name}.parquet").exists():
            schema = next(pieces(1)).schema
            source = register_io_source(lambda *_, pieces=pieces: pieces(users), schema=schema)
            source.sink_parquet(folder / f"{name}.parquet", row_group_size=GROUP)
    if shuffle and not (folder / "shuffled.parquet").exists():
        rng, parts = np.random.default_rng(9), max(users // 500_000, 1)
        dealt = [folder / f"dealt-{n}" for n in range(parts)]
        for number, frame in enumerate(runs(users)):
            to = pl.Series(rng.integers(0, parts, len(frame)))
            for n, place in enumerate(dealt):
                place.mkdir(exist_ok=True)
                frame.filter(to == n).write_parquet(place / f"{number}.parquet")
        rest = register_io_source(lambda *_: shuffled(dealt), schema=next(runs(1)).schema)
        rest.sink_parquet(folder / "shuffled.parquet", row_group_size=GROUP)


def shuffled(folders: list[Path]) -> Iterator[pl.DataFrame]:
    """Yield the rows dealt to each folder, shuffled."""
    for number, folder in enumerate(folders):
        yield pl.read_parquet(folder / "*.parquet").sample(fraction=1, shuffle=True, seed=number)
        shutil.rmtree(folder)


def measure(
    engine: str, folder: Path, run: str, memory: str, out: Path | None = None, limit: int = 0
) -> Measured:
    """Evaluate in a new process, whose memory for data may be limited by the system."""

    def limited() -> None:
        if limit:
            resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))

    command = [sys.executable, "-c", PROGRAM, engine, memory, str(folder), run, str(out or ""), ""]
    found = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=limited)
    if found.returncode:
        raise SystemExit(f"{engine} {run}: {found.stderr.strip().splitlines()[-1]}")
    seconds, peak, means = eval(found.stdout, {"nan": float("nan")})
    return Measured(seconds, peak, means)


def growth(folder: Path, most: int, memory: str) -> None:
    """Print time and memory from 10⁵ users on, and the predictions made from a hundredth and a tenth."""
    print(
        f"{'users':>12} {'engine':18} {'seconds':>8} {'ns a row':>9} {'peak MiB':>9} {'predicted':>10} {'error':>7}"
    )
    before: dict[str, list[tuple[int, Measured]]] = {}
    users = 100_000
    while users <= most:
        place = folder / str(users)
        make(place, users, shuffle=True)
        found = {
            "memory": measure("memory", place, "run", memory) if users <= 1_000_000 else None,
            "stream": measure("stream", place, "run", memory, place / "values.parquet"),
            "stream, unsorted": measure("stream", place, "shuffled", memory),
        }
        wanted = found["stream"]
        assert wanted is not None
        for name, each in found.items():
            if each is None:
                continue
            if not np.allclose(each.means, wanted.means, rtol=1e-12):
                raise SystemExit(f"{name}: {each.means} in place of {wanted.means}")
            said, error = "", ""
            known = before.setdefault(name, [])
            if len(known) > 1:  # a line through the last two: what is fixed, and what each user takes
                (few, least), (more, last) = known[-2:]
                predicted = last.seconds + (last.seconds - least.seconds) / (more - few) * (users - more)
                said, error = f"{predicted:.1f}", f"{each.seconds / predicted - 1:+.0%}"
            known.append((users, each))
            per_row = each.seconds / (users * LISTED) * 1e9
            print(
                f"{users:12,} {name:18} {each.seconds:8.2f} {per_row:9.0f} {each.peak:9,.0f} {said:>10} {error:>7}",
                flush=True,
            )
        shutil.rmtree(place)
        users *= 10


def kills(folder: Path, users: int, memory: str, times: int = 20) -> None:
    """Kill an evaluation at random moments, go on each time, and print the result, the work and what is left over.

    What is left to do at a kill is what an evaluation that nobody kills has left when it has done as much; since the last thing that was
    told to be done, time counts as work. Machines become slower and faster by a third within minutes: an evaluation that nobody kills
    is timed before and after each pair of a kill and the rest, and their mean is what the rest is compared with.
    """
    kept, rng = folder / "kept", random.Random(11)
    make(folder / "few", 100, shuffle=True)  # what takes as long is start-up
    for run, number in (("run", users), ("shuffled", users // 10)):
        place = folder / str(number)
        make(place, number, shuffle=run == "shuffled")
        command = [sys.executable, "-c", TOLD, memory, str(place), run, str(kept)]
        few = [str(folder / "few") if each == str(place) else each for each in command[:-1]]
        start = min(ended([*few, str(folder / "kept-few")]).seconds for _ in range(3))
        before = ended(command)
        ratios, same = [], True
        while len(ratios) < times:
            killed = ended(command, rng.uniform(start, before.seconds))
            if killed.said:  # it was faster than usual
                continue
            rest = ended(command)
            after = ended(command)
            left = (left_to_do(before, killed, start) + left_to_do(after, killed, start)) / 2
            same = same and rest.said == before.said == after.said
            ratios.append((rest.seconds - start) / max(left, 0.05 * before.seconds))
            before = after
        left_over = [each.name for each in folder.iterdir() if each not in (place, folder / "few")]
        print(
            f"{run}: {times} kills of an evaluation of {number:,} users, {before.seconds:.1f} s (start-up {start:.1f}); the rest took "
            f"{np.median(ratios):.2f} × what was left to do (at most {max(ratios):.2f}; {', '.join(f'{each:.2f}' for each in sorted(ratios))}), "
            f"same values: {same}, left over: {left_over or 'nothing'}",
            flush=True,
        )
        shutil.rmtree(place)
    shutil.rmtree(folder / "few")


@dataclass(frozen=True)
class Ended:
    """What a process printed at its end, if it came so far, its seconds, and when it told that something was done."""

    said: str
    seconds: float
    told: list[float]


def left_to_do(whole: Ended, killed: Ended, start: float) -> float:
    """Return the seconds that a whole evaluation had left when it had done what a killed one had."""
    done = len(killed.told)  # the same things in the same order
    before, at = (whole.told[done - 1], killed.told[-1]) if done else (start, start)
    return whole.seconds - before - max(killed.seconds - at, 0.0)


def ended(command: list[str], moment: float | None = None) -> Ended:
    """Run a program that tells what it has done; it may be killed at a moment."""
    begun = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            said, _ = process.communicate(timeout=moment)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            said, _ = process.communicate()
        if moment is None and process.returncode:
            raise SystemExit(f"{command[3:]} failed")
    seconds = time.monotonic() - begun
    lines = [line.split(" ", 1) for line in said.splitlines() if line.endswith(".")]
    told = [float(at) - begun for at, _ in lines if at != "means"]
    return Ended("".join(event for at, event in lines if at == "means"), seconds, told)


def main() -> None:
    """Run the parts asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", default=["growth", "kills"])
    parser.add_argument("--users", type=int, default=10_000_000)
    parser.add_argument("--memory", default="2GiB")
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="rankwell-scale-", dir=given.folder))
    print(f"load {os.getloadavg()[0]:.1f}, {len(os.sched_getaffinity(0))} cores, memory={given.memory}")
    try:
        for part in given.parts:
            if part == "growth":
                growth(folder, given.users, given.memory)
            else:
                kills(folder, given.users, given.memory)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
