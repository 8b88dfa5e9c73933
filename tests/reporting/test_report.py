"""The report: what it takes, what it returns and writes, and that its page says what its data say."""

from __future__ import annotations

import hashlib
import json
import pickle
from importlib.resources import files

import pytest
from tests.efficiency.made import made
from tests.reporting.lists import qrels_of, run_of
from tests.reporting.pages import numbers_in, values_of

import rankwell as rw
from rankwell.errors import InputError, NeededError, RankwellError, UsageError
from rankwell.reporting.report import STATISTICS
from rankwell.reporting.section import section_kinds

FILMS = files("rankwell") / "data" / "movietweetings"
GOOD = [1, 1, 1, 2, 1, 1, 3, 1, 1, 2, 1, 1]
BAD = [2, 3, 4, 3, 2, 5, 4, 2, 3, 4, 3, 2]
FULL = (
    "answer",
    "leaderboard",
    "uncertainty",
    "unjudged",
    "segments",
    "curves",
    "tradeoffs",
    "costs",
    "longtail",
    "explorer",
    "quality",
    "definitions",
)


@pytest.fixture(scope="module")
def films():
    """Three recommenders with training data, a catalogue and segments."""
    return rw.report(
        {name: FILMS / f"{name}.parquet" for name in ("popular", "als", "random")},
        FILMS / "test.parquet",
        ["ndcg@10", "hit@10", "coverage@10", "msi@10"],
        train=FILMS / "train.parquet",
        items=FILMS / "items.parquet",
        baseline="popular",
        rel=8,
        resamples=199,
        flips=999,
    )


@pytest.fixture(scope="module")
def pair():
    return rw.report({"A": run_of(BAD), "B": run_of(GOOD)}, qrels_of(12), ["rr", "p@1"], baseline="A")


@pytest.mark.parametrize("name", ["films", "pair"])
def test_every_number_of_the_page_is_one_of_the_json(name, request):
    found = request.getfixturevalue(name)
    shown, known = values_of(found.to_html()), numbers_in(json.loads(found.to_json()))
    assert len(shown) >= 20
    assert set(shown) <= known


def test_sections_come_in_the_order_of_the_page(films):
    names = [each.name for each in films.sections]
    order = [part.name for part in section_kinds()]
    assert names == [name for name in order if name in names]
    assert [name for name in order if name in FULL] == list(FULL)
    page = films.to_html()
    assert [name for name in order if f'<section id="{name}"' in page] == names


def test_numbers_are_those_of_compare(films):
    names = ("popular", "als", "random")
    own = rw.compare(
        {name: FILMS / f"{name}.parquet" for name in names}, FILMS / "test.parquet", ["ndcg@10", "hit@10", "coverage@10", "msi@10"],
        train=FILMS / "train.parquet", items=FILMS / "items.parquet", baseline="popular", rel=8, resamples=199, flips=999,
    )  # fmt: skip
    for row in films.section("leaderboard").data["rows"]:
        for cell, metric in zip(row["cells"], own.metrics, strict=True):
            mean = own.mean(row["system"], metric)
            assert (cell["mean"], cell["n"]) == (mean.mean, mean.n)
            assert cell["low"] in (None, mean.low)


def test_results_and_saved_results_give_the_same_numbers_as_runs(pair, tmp_path):
    results = {
        name: rw.evaluate(run_of(ranks), qrels_of(12), ["rr", "p@1"])
        for name, ranks in {"A": BAD, "B": GOOD}.items()
    }
    results["B"].save(tmp_path / "b.parquet")
    found = rw.report({"A": results["A"], "B": tmp_path / "b.parquet"}, baseline="A")
    assert found.answer == pair.answer
    assert found.section("leaderboard").data["rows"] == pair.section("leaderboard").data["rows"]


def test_runs_beside_results_are_evaluated(pair):
    results = rw.evaluate(run_of(BAD), qrels_of(12), ["rr", "p@1"])
    found = rw.report({"A": results, "B": run_of(GOOD)}, qrels_of(12), ["rr", "p@1"], baseline="A")
    assert found.answer == pair.answer


def test_a_comparison_alone_has_its_values(pair):
    runs = {"A": run_of(BAD), "B": run_of(GOOD)}
    found = rw.report(rw.compare(runs, qrels_of(12), ["rr", "p@1"], baseline="A"))
    assert found.answer == pair.answer
    assert found.section("leaderboard").data == pair.section("leaderboard").data
    for part in ("same", "differs", "grades"):
        assert found.section("definitions").data[part] == pair.section("definitions").data[part]


def test_one_run_is_shown_with_its_intervals():
    found = rw.report(rw.read_run(run_of(GOOD), name="bm25"), qrels_of(12), ["rr", "p@1"])
    own = rw.evaluate(run_of(GOOD), qrels_of(12), ["rr", "p@1"])
    (row,) = found.section("leaderboard").data["rows"]
    assert row["system"] == "bm25"
    for cell, metric in zip(row["cells"], own.metrics, strict=True):
        interval = own.interval(metric)
        assert (cell["mean"], cell["low"], cell["high"]) == (interval.mean, interval.low, interval.high)


def test_one_saved_result_is_a_system(tmp_path):
    rw.evaluate(run_of(GOOD), qrels_of(12), ["rr"]).save(tmp_path / "b.json")
    assert rw.report(str(tmp_path / "b.json")).answer.startswith("b has rr 0.8611, between ")


def test_a_file_of_several_results_is_several_systems(tmp_path, capsys):
    from rankwell.cli import run

    saved = str(tmp_path / "all.json")
    paths = [str(FILMS / f"{name}.parquet") for name in ("popular", "als")]
    assert (
        run(
            [
                "evaluate",
                str(FILMS / "test.parquet"),
                *paths,
                "-m",
                "rr",
                "--rel",
                "8",
                "--per-query",
                "-o",
                saved,
            ]
        )
        == 0
    )
    found = rw.report({"all": saved}, resamples=99, flips=99)
    assert {row["system"] for row in found.section("leaderboard").data["rows"]} == {
        "popular",
        "als",
    }


def test_queries_without_a_value_in_one_system_are_shown_as_n():
    short = {q: each for q, each in run_of(GOOD).items() if q != "q3"}
    found = rw.report({"A": run_of(BAD), "B": short}, qrels_of(12), ["rr"], missing="skip")
    rows = {row["system"]: row["cells"][0]["n"] for row in found.section("leaderboard").data["rows"]}
    assert rows == {"A": 12, "B": 11}
    assert 'class="count"' in found.to_html()


def test_it_writes_the_page_or_its_data_by_the_suffix(pair, tmp_path):
    pair.save(tmp_path / "x.html")
    pair.save(tmp_path / "x.json")
    assert (tmp_path / "x.html").read_text(encoding="utf-8") == pair.to_html().rstrip("\n") + "\n"
    data = json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))
    assert data["kind"] == "report"
    assert data["sections"] == json.loads(json.dumps(pair.to_dict()["sections"]))
    with pytest.raises(UsageError, match=r"a report is \.html, \.htm or \.json"):
        pair.save(tmp_path / "x.pdf")


def test_a_suffix_that_cannot_be_written_is_refused_before_anything_is_read():
    with pytest.raises(UsageError, match="unknown suffix"):
        rw.report({"a": "no-such-file"}, "no-such-file", "rr", path="report.docx")


def test_it_shows_in_a_notebook_as_a_page_of_its_own(pair):
    shown = pair._repr_html_()
    assert shown.startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;')
    assert shown.count("<") == 2
    assert 'sandbox="allow-scripts"' in shown


def test_it_says_what_it_is(pair):
    assert repr(pair).startswith("Report 'B compared with A': answer, leaderboard, ")
    assert pair.answer in repr(pair)
    assert pickle.loads(pickle.dumps(pair)).to_dict() == pair.to_dict()


def test_it_names_the_files_it_was_made_from(films, tmp_path):
    named = {each["role"]: each for each in films.section("definitions").data["files"]}
    content = (FILMS / "test.parquet").read_bytes()
    assert named["qrels"] == {
        "role": "qrels", "name": "test.parquet", "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest(),
    }  # fmt: skip
    assert set(named) == {"qrels", "train", "items", "popular", "als", "random"}
    assert str(FILMS) not in films.to_html()


def test_what_is_in_memory_has_no_file(pair):
    assert pair.section("definitions").data["files"] == []


def test_the_rules_other_than_the_default_are_named(films, pair):
    assert [each["rule"] for each in films.section("definitions").data["changed"]] == ["rel"]
    assert pair.section("definitions").data["changed"] == []


def test_a_title_is_made_or_given(pair, films):
    assert (pair.title, films.title) == ("B compared with A", "3 systems compared")
    own = rw.report({"A": run_of(BAD)}, qrels_of(12), "rr", title="<b>Mine</b>")
    assert "<title>&lt;b&gt;Mine&lt;/b&gt;</title>" in own.to_html()


def test_korean_pages_are_korean():
    found = rw.report({"A": run_of(BAD), "B": run_of(GOOD)}, qrels_of(12), "rr", lang="ko")
    assert '<html lang="ko">' in found.to_html()
    assert found.section("leaderboard").title == "순위표"


@pytest.mark.parametrize(
    ("what", "given", "error", "message"),
    [
        ({}, {}, UsageError, "at least one system"),
        ({"a": run_of(GOOD)}, {"qrels": qrels_of(12)}, UsageError, "ndcg@10"),
        ({"a": run_of(GOOD)}, {"metrics": "rr"}, NeededError, "give qrels="),
        ({"a": run_of(GOOD)}, {"qrels": qrels_of(12), "metrics": "rr", "baseline": "a"}, UsageError, "baseline= is for several"),
        ({"a": run_of(GOOD), "b": run_of(BAD)}, {"qrels": qrels_of(12), "metrics": "rr", "baseline": "c"}, UsageError, "baseline='c'"),
        ({"a": run_of(GOOD)}, {"qrels": qrels_of(12), "metrics": "rr", "lang": "fr"}, UsageError, "lang='fr': must be en or ko"),
        ({"a": "nowhere.run"}, {"qrels": qrels_of(12), "metrics": "rr"}, InputError, "nowhere.run"),
        ({"a": run_of(GOOD)}, {"qrels": qrels_of(12), "metrics": "rr", "no_such": 1}, RankwellError, "no_such"),
        ({"a": run_of(GOOD)}, {"qrels": qrels_of(12), "metrics": "rr", "text": "title"}, UsageError, "text= names a column of items="),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_refused(what, given, error, message):
    with pytest.raises(error, match=message):
        rw.report(what, **given)


def test_a_comparison_is_not_evaluated_again():
    found = rw.compare({"A": run_of(BAD), "B": run_of(GOOD)}, qrels_of(12), ["rr"])
    with pytest.raises(UsageError, match="a comparison is evaluated already, so qrels= means nothing"):
        rw.report(found, qrels_of(12))


def test_a_system_may_have_the_name_of_a_table(tmp_path):
    import polars as pl

    for name, ranks in {"a": BAD, "b": GOOD}.items():
        rows = [(q, item, -at) for q, items in run_of(ranks).items() for at, item in enumerate(items)]
        pl.DataFrame(rows, ["query", "item", "score"], orient="row").write_csv(tmp_path / f"{name}.csv")
    runs = {"train": tmp_path / "a.csv", "qrels": tmp_path / "b.csv"}
    found = rw.report(runs, qrels_of(12), "rr", resamples=99, flips=99)
    assert [(each["role"], each["name"]) for each in found.section("definitions").data["files"]] == [
        ("train", "a.csv"),
        ("qrels", "b.csv"),
    ]


def test_a_comparison_is_refused_beside_judgements_of_any_kind():
    import polars as pl

    found = rw.compare({"A": run_of(BAD), "B": run_of(GOOD)}, qrels_of(12), ["rr"])
    with pytest.raises(UsageError, match="qrels= means nothing"):
        rw.report(found, pl.DataFrame({"query": ["q1"], "item": ["good"]}))


def test_without_the_extra_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(
        "rankwell.reporting.chart.charts.find_spec", lambda name: None if name == "jinja2" else object()
    )
    with pytest.raises(UsageError, match=r"need jinja2: pip install 'rankwell\[report\]'"):
        rw.report({"a": run_of(GOOD)}, qrels_of(12), "rr")


def test_the_arguments_of_compare_are_known():
    import inspect

    own = inspect.signature(rw.compare).parameters
    keywords = {name for name, each in own.items() if each.kind is each.KEYWORD_ONLY}
    assert set(STATISTICS) == keywords - {"by", "users", "threads"}


def test_what_is_no_file_cannot_be_written():
    with pytest.raises(UsageError, match=r"path=.*must be the file to write, such as 'report\.html'"):
        rw.report({"A": run_of(GOOD)}, path=qrels_of(12))


@pytest.mark.parametrize("name", ["page.html", "page.HTM", "page.json"])
@pytest.mark.parametrize("is_there", [False, True])
def test_the_file_in_the_place_of_judgements_is_told_the_call_that_works(tmp_path, name, is_there):
    path, runs, qrels = tmp_path / name, {"A": run_of(GOOD)}, qrels_of(12)
    res = rw.evaluate(run_of(GOOD), qrels, ["rr"])
    if is_there:
        rw.report(res, path=path.with_suffix(path.suffix.lower())).save(path)
    for call in (
        lambda: rw.report(res, path),
        lambda: rw.report(res, str(path)),
        lambda: rw.report(runs, path, qrels=qrels, metrics=["rr"]),
        lambda: rw.report(what=runs, qrels=qrels, metrics=["rr"]),
        lambda: rw.report(runs, qrels, ["rr"], path),
        lambda: rw.report(rw.compare({"A": res, "B": res}), path),
    ):
        with pytest.raises(UsageError, match=r"rw\.report\(runs, qrels, metrics, path='report\.html'\)"):
            call()
    rw.report(runs, qrels, ["rr"], path=path)


def test_judgements_in_a_json_file_are_no_page(tmp_path):
    path = tmp_path / "qrels.json"
    path.write_text(json.dumps({query: {"good": 1} for query in qrels_of(12)}))
    assert rw.report({"A": run_of(GOOD)}, path, ["rr"]).answer.startswith("A has rr ")
    res = rw.evaluate(run_of(GOOD), path, ["rr"])
    assert rw.report(res, path).answer.startswith("run has rr ")
    with pytest.raises(rw.RankwellError, match=r"nowhere\.json"):
        rw.report({"A": run_of(GOOD)}, tmp_path / "nowhere.json", ["rr"])


def test_methods_with_seeds_are_what_the_page_compares():
    ranks = {"A": BAD, "B": GOOD}
    runs = {f"{name}{at}": run_of([*own[at:], *own[:at]]) for name, own in ranks.items() for at in range(3)}
    seeds = {name: [f"{name}{at}" for at in range(3)] for name in ranks}
    found = rw.report(runs, qrels_of(12), "rr", seeds=seeds)
    assert found.title == "B compared with A"
    assert found.section("answer").data["compared"][0]["value"] == ["A", "B"]


def test_systems_whose_lists_are_judged_alike_have_one_share():
    found = rw.report({"A": run_of(GOOD), "B": run_of(GOOD)}, qrels_of(12), "rr")
    (share,) = [each for each in found.section("answer").data["compared"] if each["kind"] == "shares"]
    assert len(share["value"]) == 1


def test_a_comparison_brings_its_own_costs():
    runs = {"A": run_of(BAD), "B": run_of(GOOD)}
    seconds = [[0.001 * (1 + at) for at in range(12)]] * 3
    own = {"seconds": seconds, "memory": [1, 1, 1], "index": [1], "throughput": [9, 9, 9]}
    costs = made({"A": own, "B": own})
    found = rw.compare(runs, qrels_of(12), ["rr"], costs=costs)
    with pytest.raises(UsageError, match="a comparison is evaluated already, so costs= means nothing"):
        rw.report(found, costs=costs)
    with pytest.raises(UsageError, match="costs=: expected what rankwell"):
        rw.report({"A": run_of(GOOD)}, qrels_of(12), "rr", costs=3)
