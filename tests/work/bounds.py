"""How much work each job may make: about an eighth more than it makes today. Lower a bound when the work becomes less.

``python -m tests.work.test_work`` prints what each job makes beside its bounds. Why each count is bounded:

calls            of our own Python, ours and built-in functions, on all threads: a loop over queries or rows shows here at once,
                 long before anybody can time it. The same on every machine
files            opened by Python while a job runs: a file is opened to be recognised, and once to be read
threads          started; 2 are asked for
read %           bytes read and mapped, of the size of the files: more than 100 is reading twice. CSV and shuffled text are read twice
faults           pages of memory touched for the first time, after a small job has warmed up what is kept: memory made anew for
                 every batch shows here. The allocator and the size of a page have a say, so there is a quarter of air
traced kB        the most memory of arrays and objects at once, for files of 14 MB (TREC text), 1 and 9 MB (Parquet, CSV)
ours, others     modules loaded by a command beyond those of NumPy: rankwell's own, and the standard library's and other packages', which differ
                 between versions of Python: a quarter of air
"""

from __future__ import annotations

BOUNDS: dict[str, dict[str, int]] = {
    # an evaluator reused with a new dict, with a Run made before; nothing reused
    "1 x 10 dicts": {"dict": 330, "run": 245, "nothing reused": 735},
    "100 x 100 dicts": {"dict": 855, "run": 430, "nothing reused": 1_620},
    "TREC text": {
        "files": 22,
        "threads": 2,
        "read %": 115,
        "faults": 4_800,
        "calls": 2_600,
        "traced kB": 25_000,
    },
    "shuffled TREC text": {
        "files": 20,
        "threads": 2,
        "read %": 155,
        "faults": 12_000,
        "calls": 2_950,
        "traced kB": 56_000,
    },
    "Parquet": {
        "files": 8,
        "threads": 2,
        "read %": 125,
        "faults": 18_000,
        "calls": 7_800,
        "traced kB": 25_000,
    },
    "CSV": {
        "files": 8,
        "threads": 2,
        "read %": 225,
        "faults": 41_000,
        "calls": 2_950,
        "traced kB": 65_000,
    },
    "first evaluation of dicts": {"ours": 107, "others": 30, "threads": 0},
    "evaluate": {"ours": 145, "others": 110, "threads": 0},
    "trec_eval": {"ours": 135, "others": 36, "threads": 0},
    "help": {"ours": 115, "others": 350, "threads": 0},
    "help of evaluate": {"ours": 106, "others": 365, "threads": 0},
}
