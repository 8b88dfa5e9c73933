"""Small runs for the gate: a drop, none, one that nobody can see, lost and new queries, a damaged baseline."""

from __future__ import annotations

from pathlib import Path

from rankwell.cli import run

QUERIES = 150
ON = ["-m", "ndcg@5", "--max-drop", "0.02"]
GATES = {
    "gate_pass.txt": ["qrels.txt", "same.run", "--baseline", "old.json", *ON],
    "gate_fail.txt": ["qrels.txt", "worse.run", "--baseline", "old.json", *ON],
    "gate_fail_junit.txt": ["qrels.txt", "worse.run", "--baseline", "old.run", *ON, "--format", "junit"],
    "gate_inconclusive.txt": ["qrels.txt", "noisy.run", "--baseline", "old.json", *ON],
    "gate_inconclusive_strict.txt": ["qrels.txt", "noisy.run", "--baseline", "old.json", *ON, "--strict"],
    "gate_cannot_be_seen.txt": [
        *["qrels.txt", "noisy.run", "--baseline", "old.json", "-m", "ndcg@5", "--max-drop", "0.001"],
        *["--mode", "non-inferiority"],
    ],
    "gate_missing_query.txt": ["qrels.txt", "lost.run", "--baseline", "old.json", *ON],
    "gate_new_query.txt": ["more.txt", "more.run", "--baseline", "old.json", *ON],
    "gate_other_baseline.txt": [
        *["qrels.txt", "same.run", "--baseline", "old.json", *ON, "--baseline-hash", "sha256:00000000"],
    ],
    "gate_corrupted_baseline.txt": ["qrels.txt", "same.run", "--baseline", "corrupt.json", *ON],
}


def write_gate_files() -> None:
    """Write runs, judgements and saved results into the current folder."""
    queries = range(QUERIES)
    judged = [f"{q} 0 d{item} {1 + (q + item) % 2}\n" for q in queries for item in range(3)]
    Path("qrels.txt").write_text("".join(judged))
    Path("more.txt").write_text("".join([*judged, f"{QUERIES} 0 d0 1\n"]))
    old = {q: [f"d{(q * 7 + place) % 6}" for place in range(5)] for q in queries}
    worse = {q: each if q % 3 else ["x", *each[:4]] for q, each in old.items()}
    noisy = {q: [*each[::-1]] if q % 2 else each for q, each in old.items()}
    lost = {q: each for q, each in old.items() if q % 30}
    runs = {
        "old": old,
        "same": old,
        "worse": worse,
        "noisy": noisy,
        "lost": lost,
        "more": old | {QUERIES: ["d0"]},
    }
    for name, lists in runs.items():
        rows = [
            f"{q} Q0 {item} {rank} {10 - rank} {name}\n"
            for q, each in lists.items()
            for rank, item in enumerate(each)
        ]
        Path(f"{name}.run").write_text("".join(rows))
    assert run(["evaluate", "qrels.txt", "old.run", "-m", "ndcg@5", "--per-query", "-o", "old.json"]) == 0
    Path("corrupt.json").write_text(Path("old.json").read_text(encoding="utf-8")[:500], encoding="utf-8")
