"""Run the tools that have presets on one fixture, store what they say in tests/data/presets, and make docs/elsewhere.md.

    python -m tools.make_preset_values              all tools
    python -m tools.make_preset_values rectools     only this one; the others keep what is stored

Each tool gets an environment of its own by pip (benchmarks/peers.py, in build/peers) and runs in it
(benchmarks/programs/peer_presets.py); with all of them, of which six bring PyTorch, build/peers has some 36 GB. A tool that does not install or run keeps what is stored of it, and the script says so and ends with 1.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.programs.peer_presets import REPEATING, Case, given

import rankwell as rw
from rankwell.metrics import metric_of

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests" / "data" / "presets"
CACHE = ROOT / "build" / "peers"
PROGRAM = ROOT / "benchmarks" / "programs" / "peer_presets.py"

# tools and the environments that they run in
TOOLS = {
    "rectools": "rectools", "microsoft": "microsoft", "lenskit": "lenskit", "recbole": "recbole", "recpack": "recpack",
    "recmetrics": "recmetrics", "implicit": "implicit", "replay": "replay", "rs_metrics": "rs_metrics", "jurity": "jurity",
    "torchmetrics": "torchmetrics", "sklearn": "sklearn", "ranx": "ranx", "ir_measures": "ir_measures", "gdeval": "ir_measures",
    "pytrec_eval": "pytrec_eval", "trec_eval_9": "pytrec_eval", "beir": "beir", "spark": "spark", "xgboost": "xgboost",
    "lightgbm": "lightgbm", "catboost": "catboost", "mlflow": "mlflow", "llamaindex": "llamaindex", "haystack": "haystack",
    "trulens": "trulens", "deepeval": "deepeval", "ragas": "ragas",
}  # fmt: skip
# how far a number may be off where a tool rounds
DIGITS = {
    ("recmetrics", "p"): (5e-5, "4 digits per user"), ("recmetrics", "r"): (5e-5, "4 digits per user"),
    ("recmetrics", "coverage"): (5.1e-5, "percent with 2 digits"), ("beir", ""): (5.1e-6, "5 digits"), ("gdeval", ""): (5.1e-6, "5 digits per query"),
    ("ir_measures", "err"): (5.1e-6, "5 digits per query"), ("torchmetrics", ""): (1e-6, "single precision"),
    ("ragas", "ap"): (2e-10, "hits + 1e-10 below the line"),
}  # fmt: skip
# numbers of tools that no package index has, and the tests that hold the presets to them
ELSEWHERE = {
    ("chroma", ""): "equal: run on made-up spans (tests/evaluation/test_chroma.py)",
    ("alce", ""): "refused, with the formula on made-up verdicts (tests/evaluation/test_alce.py)",
    ("nuggetizer", ""): "equal: run on made-up records (tests/evaluation/test_nuggetizer.py)",
    ("trec_eval", ""): "equal in 4 digits: NIST's expected output of the program",
    (
        "recmetrics",
        "ap",
    ): "equal in 6 digits on a small example: no release has it yet (tests/evaluation/test_survey.py)",
    ("elasticsearch", ""): "equal: what its own tests expect (tests/evaluation/test_presets_rag.py)",
    ("opensearch", ""): "equal in 2 digits: what its own tests expect (tests/evaluation/test_presets_rag.py)",
}
# what was taken out of the fixture, in words
TAKEN = {
    "filled": "no empty lists", "long": "no lists shorter than k", "untied": "no equal scores", "text": "ids as text", "numbers": "users as numbers",
    "meant": "no empty lists of users who want nothing", "wanting": "only users who have a list and want something",
    "met": "only users who have a list and judgements",
    "rows": "only rows that are in a list; those that nobody judged are 0",
    "several": "no lists of one item", "seen": "no items that are not in train", "judged": "no lists of users without judgements",
    "answered": "no judged users without a list", "described": "no items without topics", "binary": "grades of 0 and 1",
}  # fmt: skip

# scores fall down each list, those that are equal are ties
SMALL: dict[str, Any] = {
    "k": 5,
    "lists": {
        "ann": "b10 5, b9 4, c1 4, d1 3, a1 3, e1 3, b2 2, f1 1",  # ties at the top and across the cut-off
        "bob": "d1 2, e1 1",  # short, and all that he wants
        "cat": "x1 9, y1 8, z1 7, b10 6, b9 5",  # no hit
        "eve": "a1 5, b2 4, c1 3, d1 2, e1 1",  # nobody judged anything for her
        "fay": "",  # an empty list
        "gus": "c1 1",  # one item, and no row of his in train
        "hal": "n1 6, a1 5, n2 4, p1 3, f1 2, b2 1",  # n1 and n2 are not in train, n2 and p1 have no topic
        "ida": "a1 2, c1 1, y1 0.5",  # everything judged for her is not wanted
        "jon": "c1 3, b2 3, a1 3, y1 3, x1 3",  # all tied
        "lea": "p1 4, b9 3, z1 2",  # short, a hit at the last rank
        "Zoë": "y1 0.25, z1 0.125, b10 0.0625, f1 0.03125, e1 0.015625, d1 0.0078125",
    },
    "grades": {
        "ann": "b9 2, d1 1, e1 4, f1 1, c1 0, g1 1, g2 3, g3 1, x1 1, y1 0",  # more wanted than the cut-off
        "bob": "d1 1, e1 3",
        "cat": "a1 2, g1 1, x1 0",
        "dan": "a1 1, c1 2",  # no list
        "fay": "b2 1",
        "gus": "c1 4, y1 0",
        "hal": "n1 1, n2 2, q1 1, b2 0",  # q1 is nowhere else
        "ida": "a1 0, y1 0",
        "jon": "b2 1, x1 2, z1 1",
        "lea": "z1 1",
        "Zoë": "b10 2, a1 1, d1 1",
    },
    "train": {
        "ann": "a2 c2 y1", "bob": "a1 b10 y1 z1", "cat": "a1 b2 c1 d1", "dan": "b10 y1", "eve": "y1 z1 x1",
        "fay": "a1 y1", "hal": "y1 x1 z1 b9", "ida": "b10 x1", "jon": "d1 e1 g1", "kim": "a1 c1 f1 g1 p1 y1",
        "lea": "b2 y1", "mia": "g1 g2 g3 y1 z1", "Zoë": "a2 x1",
    },
    "topics": {
        "a1": "War", "a2": "War", "b2": "Drama War", "b9": "Comedy", "b10": "Drama", "c1": "Comedy Drama", "c2": "War", "d1": "Crime",
        "e1": "Crime Drama", "f1": "Comedy Crime War", "g1": "Drama", "g2": "War", "g3": "Crime", "n1": "Drama", "n2": "", "p1": "",
        "q1": "War", "u1": "Comedy", "u2": "Drama", "x1": "Crime", "y1": "Drama Crime", "z1": "War Comedy",
    },
}  # fmt: skip


def small() -> dict[str, Any]:
    """The fixture with text ids: lists, grades and train rows of every kind that the tools treat in ways of their own."""

    def cells(text: str, number: type) -> list[list[Any]]:
        return [[name, number(value)] for name, value in map(str.split, filter(None, text.split(", ")))]

    return {
        "k": SMALL["k"],
        "lists": [[user, cells(text, float)] for user, text in SMALL["lists"].items()],
        "grades": [[user, cells(text, int)] for user, text in SMALL["grades"].items()],
        "train": [[user, text.split()] for user, text in SMALL["train"].items()],
        "topics": [[item, text.split()] for item, text in SMALL["topics"].items()],
    }


def drawn(seed: int = 47) -> dict[str, Any]:
    """The fixture with ids that are numbers: 200 users and 300 items, drawn."""
    draw = random.Random(seed).random

    def some(n: int, of: list[int], lean: float = 1.0) -> list[int]:
        """Different items, the first ones more often the higher ``lean`` is."""
        found: dict[int, None] = {}
        while len(found) < n:
            found[of[int(len(of) * draw() ** lean)]] = None
        return list(found)

    items = sorted(range(1, 301), key=lambda _: draw())
    topics = ["Comedy", "Crime", "Drama", "Horror", "Music", "Romance", "War", "Western"]
    in_train = items[:270]  # the last ones are unseen
    lists, grades, train = [], [], []
    for user in range(101, 301):
        if user % 10 != 1:
            train.append([user, some(1 + int(draw() * 25), in_train, 3.0)])
        known = set(train[-1][1]) if train and train[-1][0] == user else set()
        others = [item for item in items if item not in known]  # nothing that the user has in train already
        if user % 7:
            scores = sorted((int(draw() * 24) / 4 for _ in range(int(draw() * 16))), reverse=True)
            lists.append(
                [user, [list(row) for row in zip(some(len(scores), others, 4.0), scores, strict=True)]]
            )
        if user % 9:
            rated = some(1 + int(draw() * 14), others, 4.0)
            grades.append([user, [[item, int(5 * draw() ** 2)] for item in rated]])
    of_items = [[item, sorted(topics[n] for n in some(int(draw() * 4), list(range(8))))] for item in items]
    return {"k": 10, "lists": lists, "grades": grades, "train": train, "topics": of_items}


# of passages that a retriever gives back: some are there twice, and no list is longer than the cut-off
COPIES: dict[str, tuple[str, str]] = {
    "one of five": ("a", "a 1, b 1, c 1, d 1, e 1"),
    "a hit twice": ("a x a b", "a 1, b 1, c 1"),
    "a miss twice": ("x x y x z", "z 2, y 0"),
    "nothing else": ("a a a a a", "a 3, b 1"),
    "graded": ("b a b d a", "b 1, d 3, a 2, e 3"),
    "nothing": ("", "a 1"),
    "nothing wanted": ("x y x", "z 0"),
}


def copies(seed: int = 49) -> dict[str, Any]:
    """The fixture of lists that repeat an item, for the tools that take them."""
    rng = random.Random(seed)
    lists = {user: shown.split() for user, (shown, _) in COPIES.items()}
    grades = {
        user: {cell.split()[0]: int(cell.split()[1]) for cell in row.split(", ")}
        for user, (_, row) in COPIES.items()
    }
    for n in range(200):
        lists[f"q{n}"] = rng.choices("abcdefgh", k=rng.randint(0, 5))
        wanted = rng.sample("abcdefgh", rng.randint(1, 7))
        grades[f"q{n}"] = dict(zip(wanted, rng.choices(range(4), k=len(wanted)), strict=True))
    return {
        "k": 5,
        "lists": [[user, [[item, float(-n)] for n, item in enumerate(row)]] for user, row in lists.items()],
        "grades": [[user, [list(cell) for cell in row.items()]] for user, row in grades.items()],
        "train": [],
        "topics": [],
    }  # fmt: skip


def fixture() -> dict[str, Any]:
    """Return all cases."""
    return {"small": small(), "drawn": drawn(), "copies": copies()}


def ours(tool: str, metric: str, case: Case) -> float:
    """The number of the preset for what the tool was given."""
    rows = case.given(given(tool, metric))
    run: Any = {user: dict(row) for user, row in rows.lists.items()}
    if tool in REPEATING:  # the order says it all, and a list may hold an item twice
        run = rows.items
    train = {user: dict.fromkeys(row, 1) for user, row in rows.train.items()}
    items = [{"item": item, "topics": "|".join(topics)} for item, topics in rows.topics.items()]
    policy = rw.Policy(grades="judgements")
    res = rw.evaluate(run, rows.grades, metric, preset=tool, policy=policy, items=items, train=train)
    return next(iter(res.mean.values()))


def digits(tool: str, metric: str) -> tuple[float, str]:
    """How far our number may be off, and why."""
    name = metric_of(metric).name
    return DIGITS.get((tool, name)) or DIGITS.get((tool, "")) or (1e-9, "")


def stored() -> dict[str, Any]:
    """What the tools said."""
    return json.loads((FOLDER / "values.json").read_text(encoding="utf-8"))


def main() -> int:
    """Run the tools."""
    sys.path.insert(0, str(ROOT / "benchmarks"))  # where they find each other
    from peers import COMPARED, PEERS, python_of

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tools", nargs="*", metavar="TOOL")
    chosen = parser.parse_args()
    cases = FOLDER / "fixture.json"
    cases.write_text(json.dumps(fixture(), ensure_ascii=False) + "\n", encoding="utf-8")
    values, failed = stored(), []
    for tool in chosen.tools or TOOLS:
        peer = TOOLS[tool]
        try:
            python = python_of(peer, CACHE)
            said = subprocess.run(
                [str(python), str(PROGRAM), tool, str(cases)], capture_output=True, text=True, check=True
            )
        except subprocess.CalledProcessError as error:
            print(
                f"{tool} keeps what is stored: {(error.stderr or str(error)).strip()[-2000:]}",
                file=sys.stderr,
            )
            failed.append(tool)
            continue
        found = json.loads(said.stdout.splitlines()[-1])
        values[tool] = {
            "package": (PEERS | COMPARED)[peer].distribution,
            "run": str(dt.datetime.now(dt.UTC).date()),
            **found,
        }
        print(f"{tool}: {found['version']}", file=sys.stderr)
    text = json.dumps(dict(sorted(values.items())), ensure_ascii=False, indent=1)
    (FOLDER / "values.json").write_text(text + "\n", encoding="utf-8")
    return int(bool(failed))


if __name__ == "__main__":
    raise SystemExit(main())
