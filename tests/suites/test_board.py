"""Boards: the worked numbers, plain second versions of what ranks, and what is said where little can be known."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import polars as pl
import pytest
import scipy.stats
import yaml
from tests.evidence import PACKED
from tests.suites import second

import rankwell as rw
from rankwell.errors import DataError, UsageError
from rankwell.statistics.families import Cell, exact_max_t
from rankwell.suites.board import SCORES, _ranks

CASES = {
    case["id"]: case
    for case in json.loads((PACKED / "worked_next.json").read_text(encoding="utf-8"))["cases"]
    if case["id"].startswith("b.")
}


def made(values, **options):
    """A suite of values by system."""
    of = len(next(iter(values.values())))
    return rw.suite(
        {f"t{t + 1}": {name: own[t] for name, own in values.items()} for t in range(of)}, **options
    )


def with_queries(systems=4, sizes=(30, 50, 12), seed=0):
    """A suite of results with values per query, and the values by task."""
    rng = np.random.default_rng(seed)
    tables, results = {}, {}
    for at, n in enumerate(sizes):
        qrels = {f"q{q}": {f"d{d}": 1 for d in range(3)} for q in range(n)}
        hard = rng.random(n)
        own = {}
        for system in range(systems):
            run = {
                q: sorted((f"d{d}" for d in range(12)), key=lambda _: rng.random() + 0.1 * system * hard[0])
                for q in qrels
            }
            own[f"s{system}"] = rw.evaluate(run, qrels, ["ndcg@5"])
        results[f"t{at + 1}"] = own
        tables[f"t{at + 1}"] = {name: res.per_query["ndcg@5"].to_numpy() for name, res in own.items()}
    return rw.suite(results), tables


def test_the_worked_board_comes_out():
    case = CASES["b.board"]
    board = made(case["input"]["values"]).board()
    for word in SCORES:
        for system, value in case["expected"][word].items():
            assert getattr(board[system], word) == pytest.approx(value, abs=1e-12)
    assert {row.system: row.place for row in board.rows} == case["expected"]["place by mean"]
    left_out = {row.system: [row.place_low, row.place_high] for row in board.rows}
    assert left_out == case["expected"]["places with each task left out"]


def test_the_worked_flips_of_one_pair_come_out():
    values = CASES["b.flips"]["input"]["values"]
    for pair, p in CASES["b.flips"]["expected"].items():
        table = np.array([values[name] for name in pair.split("-")])
        found = exact_max_t(Cell(table, np.array([[0], [1]]), np.arange(5, dtype=np.uint64)))
        assert found.p.tolist() == found.adjusted.tolist() == [pytest.approx(p, abs=1e-12)]


def test_a_board_is_that_of_plain_loops():
    board = second.board()
    for name, ends in second.rank_intervals(second.VALUES).items():
        assert (board[name].rank_low, board[name].rank_high) == ends
    p = second.adjusted(second.VALUES)
    for first, other in itertools.pairwise(board.rows):
        key = (first.system, other.system)
        assert first.p == pytest.approx(p[key] if key in p else p[key[::-1]], abs=1e-12)


def test_the_worked_difference_comes_out():
    case = CASES["b.difference"]["expected"]
    suite = made(CASES["b.flips"]["input"]["values"])
    found = suite.difference("m1", "m3")
    expected = case["tasks"]
    assert found.value == pytest.approx(case["difference"], abs=1e-12)
    assert [found.se, found.df, found.low, found.high] == pytest.approx(
        [expected["se"], expected["df"], *expected["interval"]], abs=1e-9
    )
    rows = []
    for t, (d, sd, n) in enumerate(zip(*CASES["b.difference"]["input"].values(), strict=True)):
        x = np.random.default_rng(t).normal(size=n)
        x = d + sd * (x - x.mean()) / x.std(ddof=1)  # n differences with exactly this mean and deviation
        for name, values in ("m1", x), ("m3", np.zeros(n)):
            rows += [{"task": str(t), "system": name, "query": q, "value": v} for q, v in enumerate(values)]
    found = rw.suite(pl.DataFrame(rows)).difference("m1", "m3")
    expected = case["queries"]
    assert [found.value, found.se, found.df, found.low, found.high] == pytest.approx(
        [case["difference"], expected["se"], expected["df"], *expected["interval"]], abs=1e-9
    )


def test_the_worked_rank_intervals_of_given_pairs_come_out():
    names = ["m1", "m2", "m3", "m4"]
    sure = np.zeros((4, 4), bool)
    for pair in CASES["b.given_pairs"]["input"]["sure"]:
        better, worse = (names.index(name) for name in pair.split(">"))
        sure[better, worse] = sure[worse, better] = True
    low, high = _ranks(sure, np.array([0.5, 0.5, 0.454, 0.35]))
    expected = CASES["b.given_pairs"]["expected"]
    assert {name: [low[at], high[at]] for at, name in enumerate(names)} == expected


def test_five_tasks_cannot_separate_any_pair():
    case = CASES["b.five_tasks"]
    board = made(case["input"]["values"]).board(draw="tasks")
    assert {row.system: [row.rank_low, row.rank_high] for row in board.rows} == case["expected"][
        "rank intervals"
    ]
    assert case["expected"]["said"] in board.notes()
    assert all(math.isnan(row.p) for row in board.rows)


@pytest.mark.parametrize(("level", "least"), [(0.9, 5), (0.95, 6), (0.99, 8), (0.75, 4), (0.5, 3)])
def test_how_many_tasks_can_separate_pairs(level, least):
    # the least p-value of T tasks is 2^(1 − T), which must be below 1 − level
    assert 2.0 ** (1 - least) < 1 - level <= 2.0 ** (2 - least)
    apart = {"a": [0.9 + t / 1000 for t in range(least)], "b": [0.1] * least}
    assert made(apart).board(level=level)["b"].rank_low == 2
    short = {name: own[:-1] for name, own in apart.items()}
    if least > 2:
        board = made(short).board(level=level)
        assert board["b"].rank_low == 1
        assert f"{least} can" in board.notes()[1]


def test_the_worked_max_t_comes_out():
    case = CASES["b.maxt"]
    board = made(case["input"]["values"]).board()
    ranks = {row.system: [row.rank_low, row.rank_high] for row in board.rows}
    assert ranks == case["expected"]["rank intervals"]
    adjusted = case["expected"]["adjusted p"]
    assert [board["a"].p, board["b"].p] == pytest.approx([adjusted["a-b"], adjusted["b-c"]], abs=1e-9)
    assert board.best == ["a", "b"]


def test_ties_within_1e_9_come_out():
    case = CASES["b.ties"]
    board = made(case["input"]["values"]).board()
    for word in SCORES:
        for system, value in case["expected"][word].items():
            assert getattr(board[system], word) == pytest.approx(value, abs=1e-9)
    assert {row.system: row.place for row in board.rows} == case["expected"]["place by mean"]
    left_out = {row.system: [row.place_low, row.place_high] for row in board.rows}
    assert left_out == case["expected"]["places with each task left out"]


def test_a_missing_cell_is_refused_or_its_task_left_out_and_never_filled():
    case = CASES["b.missing"]
    values = case["input"]["values"]
    suite = rw.suite({t: {name: own.get(t) for name, own in values.items()} for t in ("t1", "t2", "t3")})
    with pytest.raises(DataError) as error:
        suite.board()
    assert str(error.value) == case["expected"]["refuse"]["error"]
    board = suite.board(missing="shared")
    assert list(board.tasks) == case["expected"]["shared"]["tasks"]
    for name, mean in case["expected"]["shared"]["mean"].items():
        assert board[name].mean == pytest.approx(mean, abs=1e-12)
    assert "the 2 tasks that all systems have; left out: t2" in board.notes()
    alone = rw.suite({"t1": {"a": 0.1, "b": None}, "t2": {"a": None, "b": 0.2}})
    with pytest.raises(DataError, match="no task that all systems have"):
        alone.board(missing="shared")


def test_the_worked_group_is_one_task():
    case = CASES["b.group"]
    own, expected = case["input"], case["expected"]
    rows = []
    parts = [("g1", "g", 0), ("g2", "g", 1), ("g3", "g", 2), ("t2", "t2", None)]
    for task, group, at in parts:
        mean, n, sd = (own["t2"], own["t2 n"], own["t2 sd"]) if at is None else (own["g"][at], own["n"][at], own["sd"][at])  # fmt: skip
        x = np.random.default_rng(n).normal(size=n)
        x = mean + sd * (x - x.mean()) / x.std(ddof=1)
        rows += [
            {"task": task, "group": group, "system": name, "query": q, "value": v + lift}
            for name, lift in (("a", 0.0), ("b", -0.1))
            for q, v in enumerate(x)
        ]
    suite = rw.suite(pl.DataFrame(rows))
    board = suite.board()
    assert board.tasks == ("g", "t2")
    assert board.sizes == {"g": 3}
    assert board.values[0, 0] == pytest.approx(expected["value of g"], abs=1e-12)
    assert board["a"].mean == pytest.approx(expected["mean"], abs=1e-12)
    df = scipy.stats.t
    a = np.array([(s / 3) ** 2 / n for s, n in zip(own["sd"], own["n"], strict=True)] + [own["t2 sd"] ** 2 / own["t2 n"]]) / 4  # fmt: skip
    assert a[:3].sum() * 4 == pytest.approx(expected["s2/n of g"], abs=1e-12)
    assert math.sqrt(a.sum()) == pytest.approx(expected["se, draw=queries"], abs=1e-12)
    nu = a.sum() ** 2 / (a**2 / (np.array([*own["n"], own["t2 n"]]) - 1)).sum()
    reach = df.ppf(0.975, nu) * math.sqrt(a.sum())
    assert board["a"].mean_high - board["a"].mean == pytest.approx(reach, abs=1e-9)


def test_a_mean_of_two_metrics_is_refused_and_borda_works():
    rows = {"task": ["t1", "t1", "t2", "t2"], "system": ["a", "b", "a", "b"], "value": [0.5, 0.4, 0.9, 0.8],
            "metric": ["ndcg@10", "ndcg@10", "accuracy", "accuracy"]}  # fmt: skip
    suite = rw.suite(rows)
    expected = CASES["b.mixed"]["expected"]["by=mean"]["error"]
    with pytest.raises(UsageError) as error:
        suite.board()
    assert str(error.value) == expected.replace("by='borda'", "rank_by='borda'")
    board = suite.board("borda")
    assert [(row.system, row.borda) for row in board.rows] == [("a", 2.0), ("b", 0.0)]
    assert math.isnan(board["a"].mean)
    assert "mean ↑" not in board.to_text(500)


def test_a_metric_that_rankwell_does_not_know_is_named():
    values = {"a": [1.0, 0.9], "b": [2.0, 1.9]}
    for metric, said in ("rsme", True), ("rmse", False), (None, False):
        board = made(values, metric=metric).board()
        assert board.rows[0].system == ("a" if metric == "rmse" else "b")
        assert ("rankwell does not know rsme, so larger values count as better" in board.notes()) is said


def plain_borda(table):
    """Borda, mean rank and place of systems (rows) on tasks, pair by pair."""
    n, of = table.shape
    borda = [
        sum(1.0 if table[i, t] > table[j, t] + 1e-9 else 0.5 if table[i, t] > table[j, t] - 1e-9 else 0.0
            for t in range(of) for j in range(n) if j != i)
        for i in range(n)
    ]  # fmt: skip
    return np.array(borda), [1 + sum(other > own + 1e-9 for other in borda) for own in borda]


def mteb_borda(table):
    """What MTEB's leaderboard does: n less the average rank on each task, summed; its rank is the least of equals."""
    counts = len(table) - scipy.stats.rankdata(-table, method="average", axis=0)
    total = counts.sum(axis=1)
    return total, scipy.stats.rankdata(-total, method="min").astype(int)


@pytest.mark.parametrize("seed", range(5))
def test_borda_is_a_count_of_pairs_and_that_of_mteb(seed):
    rng = np.random.default_rng(seed)
    table = np.round(rng.random((9, 7)), 1)  # rounded, so that there are ties
    board = made({f"s{at}": row.tolist() for at, row in enumerate(table)}).board("borda")
    for plain, places in (plain_borda(table), mteb_borda(table)):
        assert [board[f"s{at}"].borda for at in range(9)] == pytest.approx(plain, abs=1e-9)
        assert [board[f"s{at}"].place for at in range(9)] == list(places)
    ranks = [board[f"s{at}"].mean_rank for at in range(9)]
    assert ranks == pytest.approx(9 - plain_borda(table)[0] / 7, abs=1e-9)
    by_rank = made({f"s{at}": row.tolist() for at, row in enumerate(table)}).board("mean_rank")
    assert [(row.system, row.place, row.rank_low, row.rank_high) for row in by_rank.rows] == [
        (row.system, row.place, row.rank_low, row.rank_high) for row in board.rows
    ]


def test_lower_is_better_where_the_metric_says_so():
    values = {"a": [1.0, 0.9, 1.1, 1.2, 0.8, 1.0, 0.9], "b": [2.0, 1.9, 2.2, 2.1, 1.8, 2.1, 1.8]}
    board = made(values, metric="rmse").board()
    assert [(row.system, row.place, row.rank_low, row.rank_high) for row in board.rows] == [
        ("a", 1, 1, 1),
        ("b", 2, 2, 2),
    ]
    assert board["a"].mean == pytest.approx(6.9 / 7)
    assert board["a"].ahead > 0
    assert made(values).board().rows[0].system == "b"


def test_intervals_of_drawn_queries_are_students_of_the_tasks():
    suite, tables = with_queries()
    board = suite.board()
    assert board.draw == "queries"
    for name in suite.systems:
        columns = [own[name] for own in tables.values()]
        a = np.array([column.var(ddof=1) / len(column) for column in columns]) / 9
        df = a.sum() ** 2 / sum(own**2 / (len(column) - 1) for own, column in zip(a, columns, strict=True))
        mean = np.mean([column.mean() for column in columns])
        reach = scipy.stats.t.ppf(0.975, df) * math.sqrt(a.sum())
        row = board[name]
        assert [row.mean, row.mean_low, row.mean_high] == pytest.approx([mean, mean - reach, mean + reach])
        assert math.isnan(row.borda_low)
    assert board.queries == 92
    # the hashes of queries and tasks, not their order, make the draws
    again = rw.suite(
        pl.DataFrame(
            [
                {"task": task, "system": name, "query": q, "value": value}
                for task, own in reversed(tables.items())
                for name, column in reversed(own.items())
                for q, value in reversed(
                    [*zip(sorted(f"q{n}" for n in range(len(column))), column, strict=True)]
                )
            ]
        ),
        metric="ndcg@5",
    ).board()
    in_order = [row.system for row in board.rows if row.p == row.p]
    assert [again[name].p for name in in_order] == [board[name].p for name in in_order]


def test_intervals_of_drawn_tasks_are_students_of_the_task_means():
    suite, _ = with_queries(sizes=(12,) * 7)
    board = suite.board(draw="tasks")
    table = np.array([part.means for part in suite.parts]).T
    for at, name in enumerate(suite.systems):
        expected = scipy.stats.t.interval(0.95, 6, table[at].mean(), scipy.stats.sem(table[at]))
        assert [board[name].mean_low, board[name].mean_high] == pytest.approx(expected)
        ranks = [1 + sum(table[:, t] > own + 1e-9) + sum(abs(table[:, t] - own) < 1e-9) / 2 - 0.5 for t, own in enumerate(table[at])]  # fmt: skip
        low, high = scipy.stats.t.interval(0.95, 6, np.mean(ranks), scipy.stats.sem(ranks))
        found = board[name].mean_rank_low, board[name].mean_rank_high
        assert found == pytest.approx((max(low, 1), min(high, 4)))
        low, high = scipy.stats.t.interval(0.95, 6, np.mean(ranks), scipy.stats.sem(ranks))
        found = board[name].borda_low, board[name].borda_high
        assert found == pytest.approx((max(7 * (4 - high), 0), min(7 * (4 - low), 21)))


def test_ranks_on_tasks_have_no_interval_where_queries_are_drawn():
    suite, _ = with_queries()
    board = suite.board("borda", "queries")
    assert not board.has_ranks
    assert board.best == []
    assert any("no interval where queries are drawn" in note for note in board.notes())
    assert "–" in board.to_text()


def test_queries_cannot_be_drawn_of_means():
    suite = made({"a": [0.1, 0.2], "b": [0.2, 0.3]})
    with pytest.raises(UsageError, match=r"t1 has none of all systems.*draw='tasks'"):
        suite.board(draw="queries")


def test_what_would_tell_neighbours_apart_has_the_power_of_a_t_test():
    values = {"a": [0.61, 0.55, 0.72, 0.48, 0.66, 0.59, 0.7], "b": [0.6, 0.56, 0.7, 0.49, 0.65, 0.57, 0.71]}
    needed = made(values).board()["a"].needed
    d = np.subtract(*map(np.array, values.values()))
    sd = d.std(ddof=1) * math.sqrt(6 / scipy.stats.chi2.ppf(0.2, 6))  # its upper 80 % bound

    def power(n):
        critical = scipy.stats.t.ppf(0.975, n - 1)
        shift = d.mean() / sd * math.sqrt(n)
        own = scipy.stats.nct(n - 1, shift)
        return own.sf(critical) + own.cdf(-critical)

    assert power(needed) >= 0.8 > power(needed - 1)
    assert made({"a": [0.5] * 7, "b": [0.5] * 7}).board().rows[0].needed is None
    # no fewer tasks than could ever separate two
    clear = {"a": [0.9, 0.91, 0.9, 0.92, 0.9, 0.9, 0.9], "b": [0.1] * 7}
    assert made(clear).board()["a"].needed == 6


def test_thirteen_tasks_are_drawn_and_twelve_are_tried():
    rng = np.random.default_rng(0)
    table = {f"s{at}": (0.5 + 0.02 * at + rng.normal(0, 0.02, 13)).tolist() for at in range(4)}
    assert made(table).board().flips == 10_000
    assert made({name: own[:12] for name, own in table.items()}).board().flips == 0
    drawn = made(table).board(flips=999)
    assert "999 random patterns of signs" in " ".join(drawn.notes())
    assert (drawn.rows[0].p * 1000) == pytest.approx(round(drawn.rows[0].p * 1000))


def test_one_system_has_rank_1():
    board = made({"a": [0.1, 0.2, 0.3]}).board()
    assert [(row.place, row.rank_low, row.rank_high) for row in board.rows] == [(1, 1, 1)]
    assert rw.report(board).answer == "a is the only system on 3 tasks; there is none to compare it with."


def test_every_form_holds_the_board(tmp_path):
    board = made(CASES["b.maxt"]["input"]["values"], metric="ndcg@10").board()
    for suffix in ("json", "csv", "tex", "md", "html", "parquet"):
        board.save(tmp_path / f"board.{suffix}")
    saved = json.loads((tmp_path / "board.json").read_text(encoding="utf-8"))
    assert saved["kind"] == "board"
    assert [row["system"] for row in saved["rows"]] == ["a", "b", "c"]
    assert saved["values"] == board.values.tolist()
    assert pl.read_csv(tmp_path / "board.csv")["rank_high"].to_list() == [2, 2, 3]
    with pytest.raises(UsageError, match="boards are written as"):
        board.save(tmp_path / "board.doc")


def test_a_card_is_a_model_index():
    board = made(CASES["b.maxt"]["input"]["values"], metric="ndcg@10").board()
    _, head, body = board.to_card("b").split("---\n", 2)
    (model,) = yaml.safe_load(head)["model-index"]
    assert model["name"] == "b"
    values = {each["dataset"]["name"]: each["metrics"][0]["value"] for each in model["results"]}
    assert list(values.values()) == CASES["b.maxt"]["input"]["values"]["b"]
    assert model["results"][0] == {
        "task": {"type": "retrieval"},
        "dataset": {"type": "t1", "name": "t1"},
        "metrics": [{"type": "ndcg_at_10", "name": "ndcg@10", "value": 0.6}],
    }
    assert body.strip() == board.to_markdown()
    everybody = yaml.safe_load(board.to_card().split("---\n")[1])["model-index"]
    assert [each["name"] for each in everybody] == ["a", "b", "c"]
    with pytest.raises(UsageError, match="no system 'd'"):
        board.to_card("d")
    strange = made({'a: "b" # c': [0.1], "[x]\n": [0.2]}).board()
    names = [each["name"] for each in yaml.safe_load(strange.to_card().split("---\n")[1])["model-index"]]
    assert names == ["[x]\n", 'a: "b" # c']


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"level": 1.0}, "between 0 and 1"),
        ({"flips": 0}, "at least 1"),
        ({"rank_by": "median"}, "mean, borda"),
    ],
)
def test_options_are_checked(options, said):
    with pytest.raises(UsageError, match=said):
        made({"a": [0.1], "b": [0.2]}).board(**options)


@pytest.mark.parametrize(("level", "least"), [(0.95, 20), (0.99, 100), (0.999, 1000)])
def test_too_few_flips_for_a_level_are_refused_with_the_number_that_works(level, least):
    table = {name: [value + t / 1000 for t in range(30)] for name, value in (("a", 0.5), ("b", 0.1))}
    with pytest.raises(UsageError, match=rf"flips={least - 1}: no p-value is below .* say flips={least}"):
        made(table).board(level=level, flips=least - 1)
    assert made(table).board(level=level, flips=least)["b"].rank_low == 2
    twelve = {name: own[:12] for name, own in table.items()}
    assert made(twelve).board(level=level, flips=1)["b"].rank_low == 2  # nothing is drawn


def test_of_many_missing_cells_the_first_are_named():
    suite = rw.suite({f"t{t}": {"a": 0.5, "b": 0.4 if t == 0 else None} for t in range(7)})
    with pytest.raises(
        DataError, match=r"b has no value for t3; 3 more cells are missing; missing='shared' uses the 1 task"
    ):
        suite.board()


def test_an_unknown_system_is_named():
    board = made({"bm25": [0.1], "dense": [0.2]}).board()
    with pytest.raises(UsageError, match=r"no system 'bm26'.*Did you mean bm25"):
        board["bm26"]
    with pytest.raises(UsageError, match="Did you mean dense"):
        made({"bm25": [0.1], "dense": [0.2]}).difference("bm25", "dence")
