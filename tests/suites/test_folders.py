"""Folders that a suite is read from: MTEB's of both shapes, runs and judgements, saved results; and what is refused."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import scipy.stats

import rankwell as rw
from rankwell.cli.main import run
from rankwell.errors import DataError, InputError, RankwellError

QRELS = "query-id\tcorpus-id\tscore\nq1\ta\t1\nq2\tb\t1\nq3\tc\t1\n"


def entry(value, subset="default", languages=("eng-Latn",), **others):
    return {
        "ndcg_at_10": value,
        "map_at_10": value,
        "main_score": value,
        "hf_subset": subset,
        "languages": [*languages],
        **others,
    }


def mteb(folder, model, task, *entries, revision="r1", split="test", **others):
    """A file as MTEB writes it since version 1.11."""
    path = folder / model.replace("/", "__") / revision
    path.mkdir(parents=True, exist_ok=True)
    (path / "model_meta.json").write_text(json.dumps({"name": model, "revision": revision}))
    splits = split if isinstance(split, dict) else {split: list(entries)}
    content = {
        "dataset_revision": "0",
        "task_name": task,
        "mteb_version": "2.1.0",
        "scores": splits,
        "evaluation_time": 1.5,
        **others,
    }
    file = path / f"{others.pop('file', task)}.json"
    file.write_text(json.dumps(content))
    return file


def old(folder, model, task, scores, split="test", revision="0"):
    """A file as MTEB wrote it before version 1.11."""
    path = folder / model.replace("/", "__")
    path.mkdir(parents=True, exist_ok=True)
    content = {
        "dataset_revision": revision,
        "mteb_dataset_name": task,
        "mteb_version": "1.0.2",
        split: scores,
    }
    (path / f"{task}.json").write_text(json.dumps(content))


def values(suite):
    return {part.name: dict(zip(suite.systems, part.means.tolist(), strict=True)) for part in suite.parts}


def test_new_and_old_files_of_mteb_are_read_together(tmp_path):
    mteb(tmp_path, "org/a", "News", entry(0.61))
    mteb(tmp_path, "org/a", "Code", entry(0.5))
    (tmp_path / "org__a" / "r1" / "News_predictions.json").write_text("{}")
    old(tmp_path, "org/b", "News", {"ndcg_at_10": 0.4, "evaluation_time": 2.0})
    old(tmp_path, "org/b", "Code", {"ndcg_at_10": None, "evaluation_time": 2.0})
    suite = rw.read_suite(tmp_path, "ndcg@10")
    found = values(suite)
    assert found["News"] == {"org/a": 0.61, "org/b": 0.4}
    assert found["Code"]["org/a"] == 0.5
    assert math.isnan(found["Code"]["org/b"])  # null is missing, and never 0
    assert suite.notes == ("split test; languages: eng-Latn",)
    assert [part.metric for part in suite.parts] == ["ndcg@10"] * 2
    # the repository of results has them one folder deeper
    inner = tmp_path / "whole"
    inner.mkdir()
    (inner / "results").mkdir()
    (tmp_path / "org__a").rename(inner / "results" / "org__a")
    assert rw.read_suite(inner, "ndcg@10").systems == ("org/a",)


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ("ndcg@10", "ndcg@10"),
        ("ndcg_at_10", "ndcg@10"),
        ("ap(denom=R)@10", "ap(denom=R)@10"),
        ("map_at_10", "ap(denom=R)@10"),
    ],
)
def test_metrics_have_the_names_of_mteb_or_of_rankwell(tmp_path, asked, named):
    mteb(tmp_path, "a", "News", entry(0.25))
    suite = rw.read_suite(tmp_path, asked)
    assert suite.parts[0].metric == named
    assert values(suite) == {"News": {"a": 0.25}}


def test_ap_over_r_and_k_is_not_what_mteb_calls_map(tmp_path):
    mteb(tmp_path, "a", "News", entry(0.25))
    with pytest.raises(DataError, match=r"News has no map@10"):
        rw.read_suite(tmp_path, "map@10")


def test_subsets_are_a_group_and_languages_choose_some(tmp_path):
    for model, low in ("a", 0.1), ("b", 0.2):
        entries = [
            entry(low, "en"),
            entry(low + 0.4, "ko", ["kor-Hang"]),
            entry(low + 0.2, "de-en", ["deu-Latn", "eng-Latn"]),
        ]
        mteb(tmp_path, model, "Many", *entries)
        mteb(tmp_path, model, "One", entry(0.5))
    board = rw.read_suite(tmp_path, "ndcg@10").board()
    assert board.tasks == ("Many", "One")
    assert board.sizes == {"Many": 3}
    assert board["a"].mean == pytest.approx(((0.1 + 0.5 + 0.3) / 3 + 0.5) / 2)
    for languages, names in (
        ("kor", ["Many"]),
        (["eng-Latn"], ["Many: en", "Many: de-en", "One"]),
        ("ko", ["Many"]),
    ):
        suite = rw.read_suite(tmp_path, "ndcg@10", languages=languages)
        assert [part.name for part in suite.parts] == names
    assert values(rw.read_suite(tmp_path, "ndcg@10", languages="kor")) == {
        "Many": {"a": 0.5, "b": pytest.approx(0.6)}
    }


def test_languages_of_old_files_are_their_subsets(tmp_path):
    old(tmp_path, "a", "Many", {"en": {"ndcg_at_10": 0.1}, "ko": {"ndcg_at_10": 0.3}, "evaluation_time": 1.0})
    assert values(rw.read_suite(tmp_path, "ndcg@10")) == {"Many: en": {"a": 0.1}, "Many: ko": {"a": 0.3}}
    assert values(rw.read_suite(tmp_path, "ndcg@10", languages=["ko"])) == {"Many": {"a": 0.3}}


def test_similarities_of_old_files_have_the_names_of_new_ones(tmp_path):
    similarities = {
        "cos_sim": {"pearson": 0.8, "spearman": 0.7},
        "euclidean": {"pearson": 0.6, "spearman": 0.5},
    }
    old(tmp_path, "a", "STS", {**similarities, "evaluation_time": 1.0})
    old(tmp_path, "a", "STSes", {"en": similarities, "ko": {"cos_sim": {"spearman": 0.1}}})
    mteb(tmp_path, "b", "STS", {"hf_subset": "default", "cosine_spearman": 0.9})
    found = values(rw.read_suite(tmp_path, "cosine_spearman"))
    assert found["STS"] == {"a": 0.7, "b": 0.9}
    assert [found[f"STSes: {name}"]["a"] for name in ("en", "ko")] == [0.7, 0.1]
    # the mean of several similarities is none
    with pytest.raises(
        DataError, match=r"STS has no spearman in its subset default\. Did you mean cosine_spearman"
    ):
        rw.read_suite(tmp_path, "spearman")


def test_old_and_new_files_of_a_model_are_two_systems(tmp_path):
    old(tmp_path, "org/a", "News", {"ndcg_at_10": 0.3})
    mteb(tmp_path, "org/a", "News", entry(0.4))
    assert values(rw.read_suite(tmp_path, "ndcg@10")) == {"News": {"org/a": 0.3, "org/a@r1": 0.4}}


def test_a_subset_that_a_system_lacks_is_a_missing_cell(tmp_path):
    mteb(tmp_path, "a", "Many", entry(0.1, "en"), entry(0.2, "ko"))
    mteb(tmp_path, "b", "Many", entry(0.1, "en"))
    for model in "ab":
        mteb(tmp_path, model, "One", entry(0.5))
    suite = rw.read_suite(tmp_path, "ndcg@10")
    with pytest.raises(
        DataError, match="b has no value for Many: ko; missing='shared' uses the 1 task that all have"
    ):
        suite.board()
    assert suite.board(missing="shared").tasks == ("One",)


def test_revisions_and_experiments_are_systems_of_their_own(tmp_path):
    for revision, value in ("abcdef0123456789", 0.1), ("fedcba", 0.2), ("fedcba/experiments/fp16", 0.3):
        mteb(tmp_path, "org/a", "News", entry(value), revision=revision)
    mteb(tmp_path, "org/b", "News", entry(0.4), revision="no_revision_available")
    found = values(rw.read_suite(tmp_path, "ndcg@10"))
    assert found == {
        "News": {"org/a@abcdef01": 0.1, "org/a@fedcba": 0.2, "org/a@fedcba/fp16": 0.3, "org/b": 0.4}
    }
    mteb(tmp_path, "org/a", "News", entry(0.5), revision="abcdef0199999999")
    names = rw.read_suite(tmp_path, "ndcg@10").systems
    assert [name for name in names if name.startswith("org/a@abc")] == [
        "org/a@abcdef01",
        "org/a@abcdef0199999999",
    ]


def test_borda_of_mteb_comes_out(tmp_path):
    """A made-up excerpt in MTEB's shape, ranked as its leaderboard does it: n less the average rank, summed; ties share the least rank."""
    rng = np.random.default_rng(4)
    table = np.round(rng.random((8, 6)), 1)
    for model, row in enumerate(table):
        for task, value in enumerate(row):
            mteb(tmp_path, f"org/m{model}", f"Task{task}", entry(float(value)))
    counts = (len(table) - scipy.stats.rankdata(-table, method="average", axis=0)).sum(axis=1)
    places = scipy.stats.rankdata(-counts, method="min")
    for metric in "main_score", "ndcg_at_10":
        board = rw.read_suite(tmp_path, metric).board("borda")
        for model in range(8):
            row = board[f"org/m{model}"]
            assert (row.borda, row.place) == (pytest.approx(counts[model], abs=1e-9), places[model])


def test_a_mean_of_main_scores_is_refused(tmp_path):
    for task in "News", "Code":
        mteb(tmp_path, "a", task, entry(0.5))
    with pytest.raises(RankwellError, match="main_score is the metric that each task's authors chose"):
        rw.read_suite(tmp_path, "main_score").board()


def test_the_split_has_to_be_said_where_there_are_several(tmp_path):
    mteb(tmp_path, "a", "News", split={"dev": [entry(0.1)], "test": [entry(0.2)]})
    with pytest.raises(RankwellError, match=r"News has 2 splits \(dev, test\): say split='test'"):
        rw.read_suite(tmp_path, "ndcg@10")
    suite = rw.read_suite(tmp_path, "ndcg@10", split="dev")
    assert values(suite) == {"News": {"a": 0.1}}
    assert suite.notes[0].startswith("split dev")


REFUSED = {
    "no metric": (lambda folder: mteb(folder, "a", "News", entry(0.5)), None, "say the metric, such as metric='ndcg@10'"),
    "no such metric": (
        lambda folder: mteb(folder, "a", "News", entry(0.5)),
        "ndcg@11",
        "News has no ndcg_at_11 in its subset default. Did you mean ndcg_at_10?",
    ),
    "damaged": (lambda folder: mteb(folder, "a", "News", entry(0.5)).write_text('{"task_name"'), "ndcg@10", "News.json: this is no result of MTEB ("),
    "another JSON": (lambda folder: mteb(folder, "a", "News").write_text("{}"), "ndcg@10", "News.json: this is no result of MTEB, which has task_name"),
    "entries that are none": (
        lambda folder: mteb(folder, "a", "News", split={"test": ["default"]}),
        "ndcg@10",
        "News.json: this is no result of MTEB, which has task_name and scores",
    ),
    "a task twice": (
        lambda folder: [mteb(folder, "a", "News", entry(0.5)), mteb(folder, "a", "News", entry(0.5), file="News (copy)")],
        "ndcg@10",
        "the task News is in ",
    ),
    "a subset twice": (lambda folder: mteb(folder, "a", "News", entry(0.5), entry(0.4)), "ndcg@10", "the subset default of News is there twice"),
    "unequal splits": (
        lambda folder: [mteb(folder, "a", "News", entry(0.5)), mteb(folder, "b", "News", entry(0.4), split="dev")],
        "ndcg@10",
        "News: a has the split test, b dev: these are different tasks; say split=.",
    ),
    "mixed revisions": (
        lambda folder: [mteb(folder, "a", "News", entry(0.5)), mteb(folder, "b", "News", entry(0.4), dataset_revision="1")],
        "ndcg@10",
        "News: a has the revision of the data 0, b 1: these are different tasks; evaluate them on one, or leave some out.",
    ),
    "a system in no task": (
        lambda folder: [mteb(folder, "a", "News", entry(0.5)), mteb(folder, "b", "News", entry(0.4)).unlink()],
        "ndcg@10",
        "b has a value on no task",
    ),
    "a value that is text": (
        lambda folder: [mteb(folder, "a", "News", entry("0.5")), mteb(folder, "a", "Code", entry(0.5))],
        "ndcg@10",
        "News: a: expected Results or a number, not '0.5'.",
    ),
    "outside the range": (lambda folder: mteb(folder, "a", "News", entry(61.2)), "ndcg@10", "News, a: ndcg@10 is 61.2, outside of 0 to 1. Divide"),
    "an empty folder": (lambda folder: None, "ndcg@10", "there is nothing that a suite is read from"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_bad_folders_of_mteb_are_one_clear_error(name, tmp_path):
    make, metric, said = REFUSED[name]
    make(tmp_path)
    with pytest.raises(RankwellError) as error:
        rw.read_suite(tmp_path, metric)
    assert said in str(error.value), str(error.value)
    assert "\n" not in str(error.value)


def test_no_folder_is_an_error():
    with pytest.raises(InputError, match=r"no such file or folder\. A suite is read from MTEB"):
        rw.read_suite("nowhere", "rr")


@pytest.fixture
def runs(tmp_path):
    """Two tasks of runs and judgements, one of them a group of two."""
    for task in "news", "cqa/android", "cqa/gis":
        folder = tmp_path / task
        (folder / "qrels").mkdir(parents=True)
        (folder / "qrels" / "test.tsv").write_text(QRELS)
        (folder / "corpus.jsonl").write_text('{"_id": "a", "text": "x"}\n')
        (folder / "queries.jsonl").write_text('{"_id": "q1", "text": "x"}\n')
        target = folder / "runs" if task == "news" else folder
        target.mkdir(exist_ok=True)
        (target / "bm25.run").write_text("q1 Q0 a 1 2 x\nq2 Q0 c 1 2 x\nq2 Q0 b 2 1 x\nq3 Q0 a 1 2 x\n")
        (target / "dense.json").write_text(
            json.dumps({"q1": {"a": 2.0}, "q2": {"b": 2.0}, "q3": {"a": 1.0, "c": 0.5}})
        )
    return tmp_path


def test_runs_and_judgements_are_evaluated_here(runs):
    suite = rw.read_suite(runs, "rr")
    assert values(suite) == {
        name: {"bm25": 0.5, "dense": pytest.approx(2.5 / 3)} for name in ("cqa/android", "cqa/gis", "news")
    }
    board = suite.board()
    assert (board.tasks, board.sizes, board.draw, board.queries) == (
        ("cqa", "news"),
        {"cqa": 2},
        "queries",
        9,
    )
    assert suite.notes == ("split test",)
    alone = rw.evaluate(
        str(runs / "news" / "runs" / "bm25.run"), str(runs / "news" / "qrels" / "test.tsv"), ["rr"]
    )
    assert alone["rr"] == 0.5


def test_folders_of_runs_are_refused_with_the_place(runs):
    with pytest.raises(RankwellError, match="which are evaluated here: say metric="):
        rw.read_suite(runs)
    (runs / "news" / "qrels" / "dev.tsv").write_text(QRELS)
    with pytest.raises(RankwellError, match=r"qrels has 2 splits \(dev, test\)"):
        rw.read_suite(runs, "rr")
    assert len(rw.read_suite(runs, "rr", split="test").parts) == 3
    with pytest.raises(DataError, match=r"qrels has no split 'dev', but test"):
        rw.read_suite(runs, "rr", split="dev")
    for file in (runs / "news" / "runs").iterdir():
        file.unlink()
    with pytest.raises(DataError, match="news: there is no run"):
        rw.read_suite(runs, "rr", split="test")


def test_two_files_of_one_name_are_refused_and_none_is_left_out_unsaid(runs):
    (runs / "other").mkdir()
    (runs / "cqa" / "plans").mkdir()
    assert rw.read_suite(runs, "rr").notes == ("split test", "folders not read: other, plans")
    (runs / "news" / "runs" / "bm25.json").write_text('{"q1": {"z": 1.0}}')
    with pytest.raises(DataError, match=r"bm25\.run: bm25\.json beside it has the same name"):
        rw.read_suite(runs, "rr")
    (runs / "news" / "qrels" / "test.csv").write_text("x")
    with pytest.raises(DataError, match=r"test\.tsv: test\.csv beside it has the same name"):
        rw.read_suite(runs, "rr")
    (runs / "news" / "qrels.dev.tsv").write_text(QRELS)
    with pytest.raises(DataError, match=r"qrels: qrels\.dev\.tsv beside it holds judgements, too"):
        rw.read_suite(runs, "rr")


def test_what_changes_nothing_is_refused(runs, tmp_path):
    (tmp_path / "table.csv").write_text("task,system,value\nt,a,0.5\n")
    for source, words, said in (
        (tmp_path / "table.csv", {"split": "test"}, "split= changes nothing of a table"),
        (tmp_path / "table.csv", {"languages": ["eng"]}, "languages= changes nothing of a table"),
        (runs, {"languages": "eng"}, "languages= changes nothing of runs"),
    ):
        with pytest.raises(RankwellError, match=said):
            rw.read_suite(source, "rr", **words)


def test_saved_results_are_read_by_task(runs, tmp_path, capsys):
    saved = tmp_path / "saved"
    for task, folder in (("news", "news/runs"), ("android", "cqa/android")):
        for system in "bm25.run", "dense.json":
            (saved / task).mkdir(parents=True, exist_ok=True)
            words = [
                str(runs / folder.removesuffix("/runs") / "qrels" / "test.tsv"),
                str(runs / folder / system),
                "-m",
                "rr",
                "--per-query",
            ]
            suffix = ".parquet" if task == "news" else ".json"
            assert (
                run(["evaluate", *words, "-o", str(saved / task / (system.partition(".")[0] + suffix))]) == 0
            )
    capsys.readouterr()
    suite = rw.read_suite(saved)
    assert values(suite) == {
        name: {"bm25": 0.5, "dense": pytest.approx(2.5 / 3)} for name in ("android", "news")
    }
    assert suite.board().draw == "queries"
    with pytest.raises(RankwellError, match="split= changes nothing of saved results"):
        rw.read_suite(saved, split="test")
    rw.Results.load(saved / "news" / "bm25.parquet").save(saved / "news" / "bm25.json")
    with pytest.raises(DataError, match=r"bm25\.parquet: bm25\.json beside it has the same name"):
        rw.read_suite(saved)
