"""Folders of saved results by day: windows, systems, and errors that name the file."""

from __future__ import annotations

from datetime import date

import pytest

import rankwell as rw
from rankwell.results.saving.load import is_saved, merge_saved

DAYS = ["2026-10-31", "2026-11-01", "2026-11-02", "2026-11-10"]


def save(path, *, query=None, name="run", items=("a", "b")):
    path.parent.mkdir(parents=True, exist_ok=True)
    query = query or path.stem
    run = rw.read_run({f"{query}/u": list(items)}, name=name)
    rw.evaluate(run, {f"{query}/u": {"b": 1}}, ["rr", "coverage@1"], items=["a", "b"]).save(path)


@pytest.fixture
def folder(tmp_path):
    for at, day in enumerate(DAYS):
        save(tmp_path / "days" / f"{day}.{'parquet' if at % 2 else 'json'}")
    return tmp_path / "days"


def queries(res):
    return [query.removesuffix("/u") for query in res.per_query["query"]]


def test_a_window_holds_both_its_ends_and_may_be_open(folder):
    assert queries(rw.Results.load(folder)) == DAYS
    assert queries(rw.Results.load(folder, since="2026-11-01", until="2026-11-02")) == DAYS[1:3]
    assert queries(rw.Results.load(folder, since=date(2026, 11, 2))) == DAYS[2:]
    assert queries(rw.Results.load(folder, until="2026-11-01")) == DAYS[:2]
    assert queries(rw.Results.load(f"{folder}/2026-11-01..2026-11-02")) == DAYS[1:3]
    assert queries(rw.Results.load(folder / "2026-11-02..")) == DAYS[2:]
    assert queries(rw.Results.load(folder / "..2026-10-31")) == DAYS[:1]
    assert queries(rw.Results.load(f"{folder}/2026-11-*")) == DAYS[1:]
    assert queries(rw.Results.load(f"{folder}/*.json", since="2026-11-01")) == [DAYS[2]]
    assert queries(rw.Results.load(folder / "2026-11-01.parquet", until="2026-11-01")) == [DAYS[1]]


def test_a_folder_stands_for_saved_results_only_if_it_holds_some(folder, tmp_path):
    assert is_saved(folder)
    assert is_saved(f"{folder}/2026-11-*")
    assert is_saved(folder / "2027-01-01..")  # so that loading says that no day is in it
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "part.json").write_text('{"q": {"a": 1.0}}')
    assert not is_saved(tmp_path / "runs")
    assert not is_saved(tmp_path / "runs" / "*.json")
    assert not is_saved(tmp_path / "nowhere-*")
    assert not is_saved(tmp_path / "nowhere")


def test_a_run_whose_name_has_the_date_is_one_system(tmp_path):
    for day in DAYS:
        save(tmp_path / f"bm25-{day}.json", query=day, name=f"bm25-{day}.run")
        save(tmp_path / f"dense_{day}.parquet", query=day, name=f"{day}-dense", items=("b", "a"))
    found = merge_saved([tmp_path])
    assert [(res.name, res["rr"], queries(res)) for res in found] == [
        ("bm25.run", 0.5, DAYS),
        ("dense", 1.0, DAYS),
    ]
    with pytest.raises(
        rw.RankwellError, match=r"holds the results of 2 runs \(bm25.run, dense\); name the folder of one"
    ):
        rw.Results.load(tmp_path)
    assert rw.Results.load(f"{tmp_path}/dense_*").name == "dense"


def test_a_sub_folder_names_its_system_unless_it_is_a_number(tmp_path):
    for day in DAYS:
        year, month, _ = day.split("-")
        save(tmp_path / "days" / "bm25" / year / month / f"{day}.json", name=f"{day}.run")
        save(tmp_path / "days" / "dense" / "large" / f"{day}.json", name=day)
        save(tmp_path / "days" / year / f"{day}.json", query=f"x{day}", name=day)
    found = merge_saved([tmp_path / "days"], since=DAYS[1])
    assert {res.name: queries(res) for res in found} == {
        "bm25": DAYS[1:],
        "dense/large": DAYS[1:],
        DAYS[0][:4]: [f"x{day}" for day in DAYS[1:]],  # of a run that is named by its day only: the folder
    }


def test_all_can_be_added_as_one_system(tmp_path):
    save(tmp_path / "a.json", name="v1")
    save(tmp_path / "b.json", name="v2")
    assert [res.name for res in merge_saved([tmp_path / "a.json", tmp_path / "b.json"])] == ["v1", "v2"]
    (found,) = merge_saved([tmp_path / "a.json", tmp_path / "b.json"], name="mine")
    assert (found.name, found.n["rr"]) == ("mine", 2)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("all.json", r"all\.json: its name has no date"),
        ("12026-11-01.json", r"12026-11-01\.json: its name has no date"),
        ("2026-11-011.json", "its name has no date"),
        ("2026-11-01-2026-11-02.json", "its name has two dates, 2026-11-01 and 2026-11-02"),
        ("2026-13-01.json", "2026-13-01 in its name is no date"),
    ],
)
def test_a_file_that_has_no_day_is_named_where_days_count(folder, name, message):
    save(folder / name, query="other")
    assert len(queries(rw.Results.load(folder))) == len(DAYS) + 1
    with pytest.raises(rw.RankwellError, match=message):
        rw.Results.load(folder, since="2026-11-01")


def test_hidden_and_other_files_are_left_out(folder):
    save(folder / ".hidden.json", query="hidden")
    save(folder / ".trash" / "2026-11-03.json", query="thrown away")
    (folder / "README.md").write_text("daily results")
    assert queries(rw.Results.load(folder)) == DAYS


def test_what_cannot_be_added_names_both_files(folder):
    save(folder / "2026-11-03.json", query="2026-11-02")
    with pytest.raises(
        rw.RankwellError,
        match=r"query '2026-11-02/u' is in both .*2026-11-02\.json and .*2026-11-03\.json.* `rankwell trend` shows",
    ):
        rw.Results.load(folder)
    rw.evaluate({"x": ["a"]}, {"x": {"a": 1}}, ["rr"]).save(folder / "2026-11-03.json")
    with pytest.raises(
        rw.RankwellError,
        match=r"2026-10-31\.json and .*2026-11-03\.json: cannot add results with different metrics: rr, coverage@1 and rr",
    ):
        rw.Results.load(folder)
    (folder / "2026-11-03.json").write_text("{}")
    with pytest.raises(rw.RankwellError, match=r"2026-11-03\.json: this is no file of results"):
        rw.Results.load(folder)


def test_a_window_without_days_is_said(folder, tmp_path):
    with pytest.raises(
        rw.RankwellError,
        match="no file of saved results is of the days since 2027-01-01; there are 4 of 2026-10-31 to 2026-11-10",
    ):
        rw.Results.load(folder, since="2027-01-01")
    with pytest.raises(rw.RankwellError, match="since=2026-11-02 is after until=2026-11-01"):
        rw.Results.load(folder, since="2026-11-02", until="2026-11-01")
    for wrong in ("2026-1-1", "20261101", "tomorrow", 5, "2026-02-30"):
        with pytest.raises(rw.RankwellError, match=r"since=.*: must be a date such as 2026-11-20"):
            rw.Results.load(folder, since=wrong)
    with pytest.raises(rw.RankwellError, match="has a window of its own"):
        rw.Results.load(folder / "2026-11-01..", since="2026-11-02")
    (tmp_path / "empty").mkdir()
    with pytest.raises(rw.RankwellError, match=r"empty: the folder holds no \.parquet or \.json file"):
        rw.Results.load(tmp_path / "empty")
    with pytest.raises(rw.RankwellError, match="no file matches the pattern"):
        rw.Results.load(tmp_path / "no-*.json")


def test_a_file_of_several_runs_may_not_be_in_a_sub_folder(tmp_path):
    from rankwell.results.summary import write_results

    both = [rw.evaluate({q: ["a"]}, {q: {"a": 1}}, ["rr"]) for q in "xy"]
    (tmp_path / "bm25").mkdir()
    (tmp_path / "bm25" / "2026-11-01.json").write_text(
        write_results(both, "json", per_query=True, states=True)
    )
    with pytest.raises(rw.RankwellError, match="holds the results of 2 runs, but in a sub-folder"):
        merge_saved([tmp_path])
    assert merge_saved([tmp_path], name="one")[0].n == {"rr": 2}


def test_systems_of_a_comparison_may_be_folders_and_windows(folder, tmp_path):
    for day in DAYS:
        save(tmp_path / "better" / f"{day}.json", items=("b", "a"))
    found = rw.compare({"old": folder, "new": str(tmp_path / "better")}, flips=99, resamples=99)
    assert (found.mean("old", "rr").mean, found.mean("new", "rr").mean, found.mean("new", "rr").n) == (
        0.5,
        1.0,
        4,
    )
    window = "2026-11-01..2026-11-02"
    verdict = rw.gate(tmp_path / "better" / window, baseline=folder / window, metrics=["rr"])
    assert verdict.checks[0].found.n == 2
