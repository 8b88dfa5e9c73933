"""Runs, judgements, evaluators and results pickle and deepcopy: what comes back is equal, and adds."""

from __future__ import annotations

import copy
import gc
import json
import pickle
import weakref

import joblib
import numpy as np
import polars as pl
import pytest
from scipy.sparse import csr_array
from tests.results.test_segments import ITEMS, METRICS, QRELS, RUN, USERS

import rankwell as rw

THROUGH = {"pickle": lambda value: pickle.loads(pickle.dumps(value)), "deepcopy": copy.deepcopy}
METHODS = ["ndcg@5", "ap", "rr"]
TRAIN = {query: list(items)[:4] for query, items in RUN.items()}
MATRIX = np.random.default_rng(3).random((6, 9))


def same(one, other):
    """Whether two results say the same, to the last bit."""
    return one.to_json(per_query=True) == other.to_json(per_query=True) and one.tie_range == other.tie_range


def frame(lists, number):
    rows = [(query, item, value) for query, row in lists.items() for item, value in row.items()]
    return pl.DataFrame(rows, schema=["query", "item", number], orient="row")


def write_trec(path, lists):
    is_run = path.suffix == ".run"
    lines = [
        f"{query} Q0 {item} 0 {value!r} tag" if is_run else f"{query} 0 {item} {value}"
        for query, row in lists.items()
        for item, value in row.items()
    ]
    path.write_text("\n".join(lines) + "\n")


def write_json(path, lists):
    path.write_text(json.dumps(lists))


FILES = {
    "trec": (".run", ".qrels", write_trec),
    "json": (".json", ".json", write_json),
    "csv": (".csv", ".csv", lambda path, lists: frame(lists, NUMBER[path.stem]).write_csv(path)),
    "ndjson": (".ndjson", ".ndjson", lambda path, lists: frame(lists, NUMBER[path.stem]).write_ndjson(path)),
    "parquet": (".parquet", ".parquet", lambda path, lists: frame(lists, NUMBER[path.stem]).write_parquet(path)),
    "arrow": (".arrow", ".arrow", lambda path, lists: frame(lists, NUMBER[path.stem]).write_ipc(path)),
}  # fmt: skip
NUMBER = {"run": "score", "qrels": "grade"}
VALUES = {
    "scores by query": (RUN, QRELS),
    "lists by query": ({query: sorted(row) for query, row in RUN.items()}, QRELS),
    "columns": (rw.Run(["q1", "q2"], ["a", "b"], [1.0, 2.0]), rw.Qrels(["q1", "q2"], ["a", "c"], [1, 2])),
    "Polars": (frame(RUN, "score"), frame(QRELS, "grade")),
    "pandas": (frame(RUN, "score").to_pandas(), frame(QRELS, "grade").to_pandas()),
    "records": (frame(RUN, "score").to_dicts(), frame(QRELS, "grade").to_dicts()),
    "item numbers": (np.argsort(-MATRIX)[:, :5], np.array([[1, 4], [2, -1], [0, 3], [5, 6], [7, -1], [8, 1]])),
    "matrix of scores": (MATRIX, csr_array((MATRIX > 0.7).astype(float))),
    "sparse scores": (csr_array(MATRIX), csr_array((MATRIX > 0.7).astype(float))),
    "masked scores": (np.ma.masked_less(MATRIX, 0.2), csr_array((MATRIX > 0.7).astype(float))),
}  # fmt: skip


@pytest.mark.parametrize("through", THROUGH.values(), ids=THROUGH)
@pytest.mark.parametrize("kind", VALUES)
def test_runs_and_qrels_of_values_come_back_the_same(kind, through):
    run, qrels = rw.read_run(VALUES[kind][0]), rw.read_qrels(VALUES[kind][1])
    expected = rw.evaluate(run, qrels, METHODS)
    again = through(run), through(qrels)
    assert same(rw.evaluate(*again, METHODS), expected)
    assert (again[0].name, again[0].source) == (run.name, run.source)
    places = [(run.rows.table().place, again[0].rows.table().place), (qrels.place, again[1].place)]
    assert all(one(row) == other(row) for one, other in places for row in (0, 1))


@pytest.mark.parametrize("kind", FILES)
def test_runs_and_qrels_of_files_come_back_without_their_files(tmp_path, kind):
    end, end_of_qrels, write = FILES[kind]
    paths = tmp_path / f"run{end}", tmp_path / f"qrels{end_of_qrels}"
    for path, lists in zip(paths, (RUN, QRELS), strict=True):
        write(path, lists)
    run, qrels = rw.read_run(paths[0]), rw.read_qrels(paths[1])
    expected = rw.evaluate(run, qrels, METHODS)
    pickled = pickle.dumps((run, qrels))
    for path in paths:
        path.unlink()
    again = pickle.loads(pickled)
    assert same(rw.evaluate(*again, METHODS), expected)


def test_several_files_come_back_as_one_run(tmp_path):
    half = len(RUN) // 2
    for number, queries in enumerate((list(RUN)[:half], list(RUN)[half:])):
        write_trec(tmp_path / f"{number}.run", {query: RUN[query] for query in queries})
    run = rw.read_run(str(tmp_path / "*.run"))
    again = pickle.loads(pickle.dumps(run))
    here, there = (rw.evaluate(each, QRELS, METHODS).to_dict(per_query=True) for each in (run, again))
    assert here == there  # the parts were two batches and are one, so that counts may stand in another order


def test_messages_of_a_pickled_run_still_name_the_line(tmp_path):
    file = tmp_path / "twice.run"
    file.write_text("q1 Q0 a 1 2.0 t\nq1 Q0 b 2 1.5 t\nq1 Q0 a 3 1.0 t\n")
    run = pickle.loads(pickle.dumps(rw.read_run(file)))
    with pytest.raises(rw.RankwellError, match=r"twice\.run:3: query 'q1' lists item 'a' twice"):
        rw.evaluate(run, {"q1": {"a": 1}}, ["ap"])


def test_messages_of_a_pickled_table_name_the_row(tmp_path):
    file = tmp_path / "twice.csv"
    file.write_text("query,item,score\nq1,a,2\nq1,a,1\n")
    run = pickle.loads(pickle.dumps(rw.read_run(file)))
    with pytest.raises(rw.RankwellError, match=r"twice\.csv:3: query 'q1' lists item 'a' twice"):
        rw.evaluate(run, {"q1": {"a": 1}}, ["ap"])


WHOLE = USERS.vstack(USERS[:6].with_columns(user_id=pl.Series([f"q{number}" for number in range(30, 36)])))
TABLE = pl.DataFrame(
    {"item": ITEMS, "genre": [["x"], ["x", "y"], ["y"]] * (len(ITEMS) // 3) + [["x"]] * (len(ITEMS) % 3)}
)
TIED = {query: {item: round(score, 1) for item, score in row.items()} for query, row in RUN.items()}
PROPENSITIES = frame(QRELS, "grade").with_columns(propensity=0.5)
KINDS = {
    "plain": (RUN, QRELS, METRICS, {"items": ITEMS}),
    "segments and weights": (RUN, QRELS, METRICS, {"items": ITEMS, "users": WHOLE, "by": ["tier", "country"], "weights": "spent"}),
    "slices": (RUN, QRELS, ["ap", "num_rel"], {"users": WHOLE, "weights": "spent", "slices": {"head": ITEMS[:5]}}),
    "equal scores": (TIED, QRELS, ["rr", "ndcg@5", "ap"], {}),
    "lists alone": (RUN, None, ["coverage", "personalization@5", "gini@5"], {"items": ITEMS}),
    "no catalogue": (RUN, None, ["personalization@5"], {}),
    "training data": (RUN, QRELS, ["arp", "msi", "serendipity@5", "epc@5"], {"train": TRAIN, "items": ITEMS}),
    "features": (RUN, QRELS, ["ild@5", "calibration"], {"train": TRAIN, "items": TABLE}),
    "propensities": (RUN, PROPENSITIES, ["snips(metric=ndcg@5)", "ips(metric=p@5)"], {}),
    "no values of queries": (RUN, QRELS, ["ap"], {"per_query": False}),
    "other rules": (RUN, QRELS, ["ap", "ndcg@5"], {"policy": rw.Policy(ties="expected", missing="skip")}),
}  # fmt: skip


def evaluator(kind):
    _, qrels, metrics, options = KINDS[kind]
    return rw.Evaluator(qrels, metrics, **options)


@pytest.mark.parametrize("through", THROUGH.values(), ids=THROUGH)
@pytest.mark.parametrize("kind", KINDS)
def test_results_and_evaluators_come_back_the_same(kind, through):
    ev, run = evaluator(kind), KINDS[kind][0]
    res = ev.evaluate(run)
    again = through(res)
    assert same(again, res)
    assert again.per_query.equals(res.per_query)
    assert str(again.to_table()) == str(res.to_table())
    assert (again.counts, again.undefined, again.diagnostics) == (res.counts, res.undefined, res.diagnostics)
    assert again.slices.keys() == res.slices.keys()
    assert all(same(again.slices[name], part) for name, part in res.slices.items())
    if res.has_segments:
        assert again.segments.to_frame().equals(res.segments.to_frame())
    assert same(through(ev).evaluate(run), res)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "no catalogue"])
def test_pickled_results_add_as_fresh_ones_do(kind):
    ev, run = evaluator(kind), KINDS[kind][0]
    half = len(run) // 2
    policy = rw.Policy(missing="skip")
    if KINDS[kind][1] is not None and "policy" not in KINDS[kind][3]:
        ev = rw.Evaluator(*KINDS[kind][1:3], **KINDS[kind][3], policy=policy)
    left, right = (
        ev.evaluate({query: run[query] for query in queries})
        for queries in (list(run)[:half], list(run)[half:])
    )
    fresh = left + right
    came_back = pickle.loads(pickle.dumps((left, right)))
    assert same(came_back[0] + right, fresh)
    assert same(left + came_back[1], fresh)
    assert same(came_back[0] + came_back[1], fresh)
    with pytest.raises(rw.RankwellError, match="is on both sides"):
        left + came_back[0]


def test_pickled_results_of_other_data_do_not_add():
    run, other = {"q1": RUN["q1"]}, {"q2": RUN["q2"]}

    def results(lists, **options):
        return pickle.loads(pickle.dumps(rw.evaluate(lists, None, ["arp"], **options)))

    left = results(run, train=TRAIN, items=ITEMS)
    for options, message in (
        ({"train": TRAIN, "items": ITEMS[::-1]}, "different training data"),
        ({"train": {"q1": ITEMS[:2]}, "items": ITEMS}, "different training data"),
        ({"train": TRAIN, "items": [*ITEMS, "new"]}, "different catalogues"),
        ({"train": TRAIN, "items": ITEMS, "policy": rw.Policy(depth=3)}, "different policies"),
    ):
        with pytest.raises(rw.RankwellError, match=message):
            left + results(other, **options)


def test_evaluators_and_runs_go_to_other_processes_and_results_come_back():
    ev = evaluator("segments and weights")
    runs = {"a": rw.read_run(RUN), "b": rw.read_run(frame(RUN, "score"), name="b")}
    here = [ev.evaluate(run) for run in runs.values()]
    there = joblib.Parallel(n_jobs=2, backend="loky")(
        joblib.delayed(rw.Evaluator.evaluate)(ev, run) for run in runs.values()
    )
    assert all(same(one, other) for one, other in zip(here, there, strict=True))


@pytest.mark.parametrize("metrics", [["ndcg@10", "ap"], ["ap", "personalization@10"]])
def test_results_keep_no_run_alive_and_are_small(tmp_path, metrics):
    rng = np.random.default_rng(5)
    queries, depth = 1_000, 50
    score = rng.random(queries * depth)
    lines = [
        f"q{row // depth} Q0 item{(7 * row) % 4_001} 1 {score[row]:.6f} tag\n"
        for row in range(queries * depth)
    ]
    (tmp_path / "a.run").write_text("".join(lines))
    columns = rw.read_run(tmp_path / "a.run").rows.table()
    run = rw.Run(columns.query, columns.item, columns.key)
    qrels = {f"q{query}": {f"item{(7 * query * depth + 7) % 4_001}": 1} for query in range(queries)}
    res = rw.evaluate(run, qrels, metrics, policy=rw.Policy(outside="ignore"))
    alive = [weakref.ref(each) for each in (run, run.rows, columns.item, columns.item.text)]
    del run, columns
    gc.collect()
    assert [ref() for ref in alive] == [None] * 4
    assert res.n["ap"] == queries
    values = 8 * queries * (1 + len(res.part.values))
    states = 16 * 4_001
    assert len(pickle.dumps(res)) < values + states + 40 * queries


def test_an_evaluator_cannot_be_changed():
    ev = rw.Evaluator(QRELS, ["ap"])
    for name in ("metrics", "policy", "task", "plan", "other"):
        with pytest.raises(AttributeError):
            setattr(ev, name, None)
