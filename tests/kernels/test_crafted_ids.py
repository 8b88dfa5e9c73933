"""Ids that were chosen to share a slot of a look-up table cost no more than others, and hashes leave no process."""

from __future__ import annotations

import pickle
import subprocess
import sys
import time

import numpy as np

import rankwell as rw
from rankwell.tables.ids import Ids, Known

MASK = (1 << 64) - 1
FACTOR = 0x2545F4914F6CDD1D


def without_shift(value, shift):
    """The number whose exclusive or with itself, shifted, is the value."""
    found = value
    for _ in range(64 // shift + 1):
        found = value ^ (found >> shift)
    return found


def crafted(rows, key=0):
    """Numbers that a product with a known factor sends to one slot; no addition of a secret changes that for the second half."""
    inverse = pow(FACTOR, -1, 1 << 64)
    half = rows // 2
    sent = [without_shift(without_shift(number << 40, 29) * inverse & MASK, 32) for number in range(half)]
    alike = [without_shift(number << 47, 32) for number in range(half)]
    return np.array([*sent, *alike], np.uint64).view(np.int64)


def seconds(work):
    """The processor time of some work, whatever else the machine does."""
    best = []
    for _ in range(3):
        start = time.process_time()
        work()
        best.append(time.process_time() - start)
    return min(best)


def test_crafted_integers_cost_no_more_than_others():
    rows = 60_000
    others = np.random.default_rng(0).integers(-(2**62), 2**62, rows)

    def work(items):
        ids = Ids.of_integers(items)
        assert len(ids.group()[1]) == len(np.unique(items))
        run = rw.Run(query=np.zeros(rows, np.int64), item=items, score=-np.arange(rows, dtype=float))
        qrels = rw.Qrels(query=np.zeros(rows, np.int64), item=items, grade=np.ones(rows))
        rw.evaluate(run, qrels, "p@10", duplicates="first", duplicate_grades="max")

    assert seconds(lambda: work(crafted(rows))) < 15 * seconds(lambda: work(others)) + 0.05


def test_hashes_of_text_are_others_in_each_process_and_numbers_are_the_same():
    code = (
        "import rankwell as rw, sys; from rankwell.tables.ids import Ids; print(Ids.of_strings(['a', 'b']).keys.tolist());"
        "run = {str(q): {f'd{i}': float(i % 3) for i in range(q, q + 9)} for q in range(99)};"
        "res = rw.evaluate(run, {q: {'d7': 1, 'd9': 2} for q in run}, ['ndcg', 'ap'], ties='item-asc');"
        "print(res.to_json(), file=sys.stderr)"
    )
    said = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert said[0].stdout != said[1].stdout
    assert said[0].stderr == said[1].stderr


def test_pickled_ids_are_found_in_another_process():
    ids = Ids.of_strings([f"d{number}" for number in range(1000)])
    assert len(ids.keys) == 1000
    evaluator = rw.Evaluator(
        {"q": {"d1": 1, "d2": 2}, "r": {"d3": 1}}, ["ndcg", "coverage"], items=[f"d{n}" for n in range(9)]
    )
    run = rw.read_run({"q": {"d2": 3.0, "d1": 2.0}, "r": {"d0": 2.0, "d3": 1.0}})
    here = evaluator.evaluate(run)
    packed = pickle.dumps((Known(ids), ids, evaluator, run, here))
    code = (
        "import pickle, sys; known, ids, evaluator, run, there = pickle.load(sys.stdin.buffer);"
        "assert known.find(ids).tolist() == list(range(1000));"
        "from rankwell.tables.ids import Ids; assert known.find(Ids.of_strings(['d7', 'x'])).tolist() == [7, -1];"
        "here = evaluator.evaluate(run); assert here.mean == there.mean;"
        "import rankwell as rw; other = evaluator.evaluate({'s': {'d1': 1.0}}) if 0 else None; print(here.to_json())"
    )
    said = subprocess.run([sys.executable, "-c", code], input=packed, capture_output=True, check=False)
    assert (said.returncode, said.stderr) == (0, b"")
    assert said.stdout.decode().strip() == here.to_json()


def test_results_of_two_processes_add():
    code = (
        "import rankwell as rw, sys, pickle; name = sys.argv[1];"
        "ev = rw.Evaluator({name: {'d1': 1}}, ['rr', 'coverage'], items=['d1', 'd2', 'd3'], train={'u': ['d1', 'd2']});"
        "sys.stdout.buffer.write(pickle.dumps(ev.evaluate({name: ['d1']})))"
    )
    parts = [
        pickle.loads(
            subprocess.run([sys.executable, "-c", code, name], capture_output=True, check=True).stdout
        )
        for name in "qr"
    ]
    assert (parts[0] + parts[1]).mean["rr"] == 1.0
