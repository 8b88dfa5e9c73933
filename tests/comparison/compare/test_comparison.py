"""Files that earlier versions saved: they are read, with the same values, and are of the published schemas."""

from __future__ import annotations

import json
import math
from importlib.resources import files
from pathlib import Path

import jsonschema
import polars as pl
import pytest

import rankwell as rw
from rankwell.results.saving.load import load_all

SAVED = Path(__file__).parents[2] / "data" / "saved"
DATA = files("rankwell") / "data"
SCHEMA = json.loads((DATA / "comparison.schema.json").read_text(encoding="utf-8"))
RESULTS = json.loads((DATA / "results.schema.json").read_text(encoding="utf-8"))
COMPARISONS = sorted(SAVED.glob("schema-*/comparison*.json"))
WORDING = {"rankwell", "schema", "caption", "notes"}  # sentences may be written better


def text_of(path):
    return json.loads(path.read_text(encoding="utf-8"))


def missing_from(old, new, at=""):
    """What an old document says that a new one does not; a new one may say more."""
    if isinstance(old, dict):
        found = [f"{at}.{key}" for key in old if key not in new]
        return found + [
            each for key in old if key in new for each in missing_from(old[key], new[key], f"{at}.{key}")
        ]
    if isinstance(old, list) and len(old) == len(new):
        return [
            each
            for row, pair in enumerate(zip(old, new, strict=True))
            for each in missing_from(*pair, f"{at}[{row}]")
        ]
    return [] if old == new else [f"{at}: {old} became {new}"]


def test_there_is_a_folder_per_schema_version():
    from rankwell.comparison.compare.comparison import SCHEMA as OF_COMPARISONS
    from rankwell.results.results import SCHEMA as OF_RESULTS

    folders = {path.name for path in SAVED.glob("schema-*")}
    assert folders == {f"schema-{number}" for number in range(1, max(OF_COMPARISONS, OF_RESULTS) + 1)}


@pytest.mark.parametrize("path", COMPARISONS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_comparison_is_read_with_every_value(path):
    found = rw.Comparison.load(path)
    old = {word: value for word, value in text_of(path).items() if word not in WORDING}
    assert missing_from(old, json.loads(found.to_json())) == []
    assert found.to_table().to_text()
    assert found.to_pair_table().to_text()


def test_some_values_of_schema_1():
    found = rw.Comparison.load(SAVED / "schema-1" / "comparison.json")
    assert (found.names, found.baseline, found.by) == (("old", "new", "other"), "old", ("tier",))
    assert found.methods.margins == {"ndcg@3": 0.1, "first_rank": 0.1, "coverage@2": 0.1}
    own, d = found.mean("new", "ndcg@3", "odd"), found.difference("new", "old", "ndcg@3")
    assert (own.n, d.n) == (6, 12)
    res = rw.Results.load(SAVED / "schema-1" / "results.json")
    assert found.mean("old", "ndcg@3").mean == res["ndcg@3"]
    assert d.mean == pytest.approx(found.mean("new", "ndcg@3").mean - res["ndcg@3"])
    assert d.below + d.within + d.above == pytest.approx(1)
    methods = rw.Comparison.load(SAVED / "schema-1" / "comparison_of_methods.json")
    assert methods.seeds["B"] == ("B-4", "B-5", "B-6")
    assert 0 < methods.difference("A", "B", "rr").of_seeds < 1


@pytest.mark.parametrize(
    "name", ["results.json", "results.parquet", "results_divided.json", "evaluated.json"]
)
def test_results_are_read_with_every_value(name):
    path = SAVED / "schema-1" / name
    (found,) = load_all(path)
    if path.suffix == ".parquet":
        old = json.loads(pl.read_parquet_metadata(path)["rankwell"])
        assert found.per_query.equals(pl.read_parquet(path))
    else:
        old = text_of(path)
        old = old.get("runs", [old])[0]
    old = {word: value for word, value in old.items() if word not in WORDING}
    old["metrics"] = [{word: each[word] for word in each if word != "interval"} for each in old["metrics"]]
    assert missing_from(old, found.to_dict(per_query="per_query" in old)) == []


def test_saved_results_of_any_version_are_compared_with_new_ones():
    found = rw.Results.load(SAVED / "schema-1" / "results.json")
    other = rw.Results.load(SAVED / "schema-1" / "results.parquet")
    assert (
        rw.compare({"a": found, "b": other}, metrics=["rr"], flips=99, resamples=99)
        .difference("a", "b", "rr")
        .ties
        == 12
    )


@pytest.mark.parametrize("path", COMPARISONS, ids=lambda path: path.stem)
def test_saved_comparisons_are_of_the_published_schema(path):
    jsonschema.validate(text_of(path), SCHEMA)
    jsonschema.validate(json.loads(rw.Comparison.load(path).to_json()), SCHEMA)


def test_saved_results_are_of_the_published_schema():
    for name in ("results.json", "results_divided.json"):
        jsonschema.validate(text_of(SAVED / "schema-1" / name), RESULTS)


@pytest.mark.parametrize(
    "change",
    [
        {"schema": 2},
        {"kind": "results"},
        {"extra": 1},
        {"cells": []},
        {"systems": ["a"]},
        {"pairs": [[0]]},
        {"methods": {}},
    ],
)
def test_what_is_not_of_the_schema_is_noticed(change):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(text_of(COMPARISONS[0]) | change, SCHEMA)


def test_every_column_is_in_the_schema():
    from rankwell.comparison.compare.cells import Differences, Means

    cell = SCHEMA["properties"]["cells"]["items"]["properties"]
    assert list(cell["means"]["properties"]) == list(Means._fields)
    assert list(cell["differences"]["properties"]) == list(Differences._fields)


def test_columns_that_an_older_version_did_not_know_are_undefined(tmp_path):
    data = text_of(COMPARISONS[0])
    for cell in data["cells"]:
        del cell["differences"]["of_seeds"], cell["means"]["of_seeds"]
    del data["seeds"], data["folds"], data["experiment"]
    (tmp_path / "old.json").write_text(json.dumps(data))
    found = rw.Comparison.load(tmp_path / "old.json")
    assert math.isnan(found.difference("new", "old", "ndcg@3").of_seeds)
    assert found.seeds == {}
