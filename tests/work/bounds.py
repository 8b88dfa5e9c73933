"""How much work each job may make: about an eighth more than it makes today. Lower a bound when the work becomes less.

``python -m tests.work.test_work`` prints what each job makes beside its bounds. Why each count is bounded:

calls            of our own Python, ours and built-in functions, on all threads: a loop over queries or rows shows here at once,
                 long before anybody can time it. The same on every machine; tests that ran before in the same process add up to
                 twenty where files are read, so two hundredths of air are the least there
files            opened by Python, run and judgements together: a file is opened to be recognised, and for each block that is read
threads          started; 2 are asked for, and blocks of a run in any order are packed on as many before
read %           bytes read and mapped, of the size of the files: more than 100 is reading twice. CSV and shuffled text are read twice
faults           pages of memory touched for the first time, after a small job has warmed up what is kept: memory made anew for
                 every batch shows here. The allocator and the size of a page have a say, so there is more air: which thread takes which block changes from run to run
traced kB        the most memory of arrays and objects at once, for files of 14 MB (TREC text), 1, 9 and 25 MB (Parquet, CSV, NDJSON)
ours, others     modules loaded by a command beyond those of NumPy: rankwell's own, and the standard library's and other packages', which differ
                 between versions of Python: a quarter of air
"""

from __future__ import annotations

BOUNDS: dict[str, dict[str, int]] = {
    # an evaluator reused with a new dict, with a Run made before; nothing reused, where the judgements are digested, too
    "1 x 10 dicts": {"dict": 183, "run": 156, "nothing reused": 442},
    # with a look at ids that no list holds
    "100 x 100 dicts": {"dict": 435, "run": 400, "nothing reused": 740},
    "TREC text": {
        "files": 13,
        "threads": 2,
        "read %": 115,
        "faults": 3_200,
        "calls": 2_350,
        "traced kB": 26_000,
    },
    "shuffled TREC text": {
        "files": 9,
        "threads": 4,
        "read %": 125,
        "faults": 11_000,
        "calls": 2_250,
        "traced kB": 62_000,
    },
    "Parquet": {
        "files": 7,
        "threads": 2,
        "read %": 125,
        "faults": 13_000,
        "calls": 4_640,  # one per metric and batch asks whether it has a budget, some ask more formats whose file it is
        "traced kB": 19_000,
    },
    "CSV": {
        "files": 9,
        "threads": 2,
        "read %": 225,
        "faults": 13_000,
        "calls": 4_370,
        "traced kB": 37_000,
    },
    "NDJSON": {
        "files": 9,
        "threads": 2,
        "read %": 225,
        "faults": 13_000,
        "calls": 11_700,
        "traced kB": 58_000,
    },
    "a segment per query": {"calls": 1_276, "traced kB": 14_200},
    "a thousand segments compared": {"calls": 159_000},
    "first evaluation of dicts": {"ours": 100, "others": 8, "threads": 0},
    "evaluate": {"ours": 129, "others": 14, "threads": 0},
    "trec_eval": {"ours": 135, "others": 18, "threads": 0},
    # with the faces of the two rooms that bring their own commands, which are names alone
    "help": {"ours": 19, "others": 8, "threads": 0},
    "help of evaluate": {"ours": 28, "others": 8, "threads": 0},
}
