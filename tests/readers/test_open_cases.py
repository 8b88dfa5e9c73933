"""What people met in public, by the number of the case: a right value, worked out by hand, or one clear error; never another number."""

from __future__ import annotations

import math
import re

import numpy as np
import pandas as pd
import pytest

import rankwell as rw
from rankwell.cli import run as command

REFUSED = None
THIRD = 1 / math.log2(3)  # the discount of rank 2
TEN, TWELVE = [str(i) for i in range(10)], [f"d{i}" for i in range(12)]
TRUTH = pd.DataFrame({"user": [1] * 3, "item": [1, 2, 3], "rating": [3.0, 5.0, 4.0]})
SURPRISE = pd.DataFrame({"uid": ["1", "1"], "iid": ["a", "b"], "r_ui": [5.0, 2.0], "est": [4.5, 4.8]})
TERRIER = pd.DataFrame(
    {"qid": ["1"], "docid": [7], "docno": ["d7"], "rank": [0], "score": [2.5], "query": ["what is it"]}
)
ONE, ONE_RUN = ("q.txt", "1 0 a 1\n"), ("r.run", "1 Q0 a 1 2 t\n")
ASKED = """[{"query_id": "1", "query": "what", "relevant_doc_ids": ["a"]},
{"query_id": "2", "query": "who", "relevant_doc_ids": ["b"]}]"""
BLANKS = "1 Q0 alpha report 1 9 t\n1 Q0 beta report 2 5 t\n1 Q0 gamma report 3 1 t\n"

# case: judgements and run as files, options of reading, the metric, and what is allowed
FILES = {
    "1": (
        ("q.txt", "27 0 rep,_1992 1\n27 0 c#3 1\n"),
        ("r.run", '27 Q0 rep,_1992 1 9.5 r\n27 Q0 he"x" 2 9.0 r\n27 Q0 c#3 3 8.0 r\n'),
        (), "ap", {5 / 6},
    ),
    "2": (("q.txt", "1 0 alpha 1\n1 0 beta 0\n1 0 gamma 0\n"), ("r.run", BLANKS), (), "rr", {REFUSED}),
    "3": (ONE, ("r.run", "1 Q0 b 2\n"), (), "rr", {REFUSED}),
    "4": (
        ("q.txt", "a 0 x 1\nb 0 z 1\n"), ("r.tsv", "a\tx\t9\na\ty\t5\nb\tz\t3\n"),
        ("--columns", "1=query,2=item,3=score"), "rr", {1.0},
    ),
    "4, by its first line": (
        ("q.txt", "a 0 x 1\nb 0 z 1\n"), ("r.tsv", "a\tx\t9\na\ty\t5\nb\tz\t3\n"),
        ("--columns", "a=query,x=item,9=score"), "rr", {1.0, REFUSED},
    ),
    "5": (("q.txt", "q1 0 b 1\n"), ("r.run", "q1 Q0 a 0 1.0 t\nq1 Q0 b 0 2.0 t\n"), (), "rr", {1.0}),
    "6": (("q.tsv", "query-id\tcorpus-id\tscore\n1\ta\t1\n"), ONE_RUN, (), "rr", {1.0}),
    "7": (("q.txt", "1 0 b 1\n"), ("r.run", "1\tQ0\ta\t1\t2.0\tt\r\n\r\n1\tQ0\tb\t2\t1.0\tt"), (), "rr", {0.5}),
    "8": (ONE, ("r.run", "1 Q0 a 1 2.0 t\n".encode("utf-16")), (), "rr", {1.0}),
    "9": (ONE, ("r.run", "qid Q0 docid rank score tag\n1 Q0 a 1 2 t\n"), (), "rr", {1.0, REFUSED}),
    "12": (
        ("q.txt", "1 0 c 1\n"), ("r.run", "1 Q0 a 1 1.5e-05 t\n1 Q0 b 2 -3.2E+01 t\n1 Q0 c 3 -2 t\n"), (), "rr", {0.5},
    ),
    "13": (ONE, ("r.run", "1 Q0 a 1 2.0\n"), (), "rr", {1.0, REFUSED}),
    "14": (("q.txt", "1 a 1\n"), ONE_RUN, (), "rr", {1.0, REFUSED}),
    "15": (ONE, ("r.json", '{"took": 3, "hits": {"hits": [{"_id": "a", "_score": 2}]}}'), (), "rr", {1.0, REFUSED}),
    "16": (ONE, ("r.csv", "customer_id,prediction\n1,b a c\n"), (), "rr", {0.5, REFUSED}),
    "17": (("q.txt", "2 qid:1 1:.5 2:0.1 #docid=a\n"), ONE_RUN, (), "rr", {1.0, REFUSED}),
    "48": (("q.tsv", "1\tbus_1\t1\n1\tbus_2\t0\n"), ("r.run", "1 Q0 bus_1 1 2 t\n"), (), "rr", {1.0, REFUSED}),
    "49": (
        ("q.tsv", "# made by hand\n# two lines\nq1\t0\td1\t2\nq1\t0\td2\t0\n"), ("r.run", "q1 Q0 d1 1 2 t\n"),
        (), "rr", {1.0, REFUSED},
    ),
    "50": (
        ("q.json", ASKED),
        ("r.run", "1 Q0 a 1 2 t\n2 Q0 b 1 2 t\n"), (), "rr", {1.0, REFUSED},
    ),
    "51": (("q.txt", "aca;pt 0 Q24 3\n"), ("r.run", "aca;pt Q0 Q24 1 2.0 t\n"), (), "rr", {1.0}),
    "52": (ONE, ("r.run", "1 Q0 Annual Bank of Things 1 2 t\n"), (), "rr", {REFUSED}),
}  # fmt: skip

# case: run, judgements, metric, options, and what is allowed
VALUES = {
    "11": (
        {"q": {"a": 0.9, "b": 0.5}}, {"q": {"a": 0.25, "b": 0.75}}, "ndcg@10", {},
        {(0.25 + 0.75 * THIRD) / (0.75 + 0.25 * THIRD)},
    ),
    "18": ({"q": {10: 1.0, "11": 0.5}}, {"q": {"11": 1}}, "rr", {}, {REFUSED}),
    "21": (TERRIER, pd.DataFrame({"qid": ["1"], "docno": ["d7"], "label": [1]}), "rr", {}, {1.0, REFUSED}),
    "22": ({"q": TWELVE}, {"q": TWELVE}, "ndcg@10", {}, {1.0}),
    "23": ({"q": TWELVE[:3]}, {"q": dict.fromkeys(TWELVE[:3], 1)}, "ndcg@10", {}, {1.0}),
    "24": ({"0": {i: 1 - n / 100 for n, i in enumerate(TEN)}}, {"0": dict.fromkeys(TEN, 1)}, "p@10", {}, {1.0}),
    "25": ({"q": dict.fromkeys("abc", 1)}, {"q": {"c": 1}}, "rr", {"ties": "expected"}, {11 / 18}),
    "26": (
        {"q1": ["a"], "q2": ["a"], "q3": ["b"]}, {"q1": {"a": 1}, "q2": {}, "q3": {"b": 1}}, "rr", {}, {1.0},
    ),
    "27": (np.array([[0.1, 0.2]]), np.array([[-1, 2]]), "ndcg", {}, {REFUSED}),
    "28, ÷ min(R, k)": ({"u": list("abc")}, {"u": list("abcde")}, "ap@3", {}, {1.0}),
    "28, ÷ R": ({"u": list("abc")}, {"u": list("abcde")}, "ap(denom=R)@3", {}, {0.6}),
    "28, ÷ k": ({"u": list("abc")}, {"u": list("abcde")}, "p@10", {}, {0.3}),
    "29": ({"u": list("abc")}, {"u": list("abcde")}, "p(denom=n)@10", {}, {1.0}),
    "30, an empty list": ({"u1": ["a"], "u2": []}, {"u1": ["a"], "u2": ["b"]}, "ndcg@3", {}, {0.5}),
    "30, no list": ({"u1": ["a"]}, {"u1": ["a"], "u2": ["b"]}, "ndcg@3", {}, {0.5}),
    "31": ({"q": ["a", "a"]}, {"q": ["a"]}, "r@2", {}, {REFUSED}),
    "31, the first": ({"q": ["a", "a"]}, {"q": ["a"]}, "r@2", {"duplicates": "first"}, {1.0}),
    "33": ({f"q{i}": ["a"] for i in range(10)}, {f"q{i}": ["a"] for i in range(1000)}, "rr", {}, {0.01}),
    "35": (
        pd.DataFrame({"user": [1, 1], "item": [1, 2]}), TRUTH, "ndcg@2", {"grades": "judgements"},
        {(3 + 5 * THIRD) / (5 + 4 * THIRD)},
    ),
    "36": ({"q": ["x", "a"], "z": ["b"]}, {"q": {"a": 1}, "z": {"b": 0}}, "ndcg", {}, {THIRD}),
    "36, as one": (
        {"q": ["x", "a"], "z": ["b"]}, {"q": {"a": 1}, "z": {"b": 0}}, "ndcg", {"undefined": "one"}, {(THIRD + 1) / 2},
    ),
    "39": ({"q1": ["a"], "q3": ["c"]}, {"q1": ["a"], "q2": ["b"]}, "rr", {}, {0.5}),
    "40": (SURPRISE, SURPRISE, "ndcg@2", {"rel": 4}, {(2 + 5 * THIRD) / (5 + 2 * THIRD), REFUSED}),
    "46": ({"q": ["a"]}, (row for row in [("q", "a", 1)]), "rr", {}, {REFUSED}),
}  # fmt: skip


def value_of(run, qrels, metric, **options):
    """The value, or None and nothing else for one line of error."""
    said = ""
    try:
        [value] = rw.evaluate(run, qrels, [metric], **options).mean.values()
    except rw.RankwellError as error:
        said, value = str(error), REFUSED
    assert "\n" not in said
    return value


def is_allowed(value, allowed):
    return any(
        value is each or (value and each and math.isclose(value, each, abs_tol=1e-4)) for each in allowed
    )


@pytest.mark.parametrize("case", FILES)
def test_a_file_has_its_value_or_is_refused_in_python_and_in_a_shell(case, tmp_path, monkeypatch, capsys):
    qrels, run, words, metric, allowed = FILES[case]
    monkeypatch.chdir(tmp_path)
    for name, content in (qrels, run):
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    columns = dict(pair.split("=") for pair in words[1].split(",")) if words else None
    value = value_of(run[0], qrels[0], metric, columns=columns)
    assert is_allowed(value, allowed)
    code = command(["evaluate", qrels[0], run[0], "-m", metric, *words])
    out, err = capsys.readouterr()
    if value is REFUSED:
        assert code in (2, 3)
        assert err.count("\n") == 1
    else:
        assert code == 0
        assert is_allowed(float(re.search(rf"^{metric} \S +([0-9.]+)", out, re.MULTILINE)[1]), allowed)


@pytest.mark.parametrize("case", VALUES)
def test_values_in_memory_are_right_or_refused(case):
    run, qrels, metric, options, allowed = VALUES[case]
    assert is_allowed(value_of(run, qrels, metric, **options), allowed)


@pytest.mark.parametrize(
    ("ours", "theirs"), [("msmarco_7", "7"), ("caf\u00e9", "cafe\u0301")]
)  # cases 19 and 20
def test_one_item_that_does_not_meet_is_said(ours, theirs, tmp_path, capsys):
    (tmp_path / "r.run").write_text(f"1 Q0 {ours} 1 2.0 t\n", encoding="utf-8")
    (tmp_path / "q.txt").write_text(f"1 0 {theirs} 1\n", encoding="utf-8")
    code = command(["evaluate", str(tmp_path / "q.txt"), str(tmp_path / "r.run"), "-m", "rr"])
    assert code in (2, 3) or "no judged item is in any list" in capsys.readouterr().err


def test_a_file_that_is_not_there_is_refused(tmp_path, capsys):  # case 10
    (tmp_path / "q.txt").write_text("1 0 a 1\n")
    assert command(["evaluate", str(tmp_path / "q.txt"), str(tmp_path / "no.run"), "-m", "rr"]) in (2, 3)
    assert capsys.readouterr().err.count("\n") == 1
