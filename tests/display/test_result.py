"""What every result can do: all its forms are made of its tables and of its plain values."""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
from typing import ClassVar

import polars as pl
import pytest

import rankwell
from rankwell.display.output import WRITERS
from rankwell.display.result import TEXTS, Result
from rankwell.display.saved_files import kind_of
from rankwell.display.table import Column, Table
from rankwell.errors import InputError, RankwellError, UsageError

ONE = Table([Column("n", "count")], [(3,)], caption="one")
OTHER = Table(
    [Column("name"), Column("mean", "value")], [("a", 0.5), ("b", None)], caption="two", notes=["a note"]
)


class Both(Result):
    _plural: ClassVar[str] = "pairs"
    _kind: ClassVar[str] = "pair"

    def tables(self):
        return [ONE, OTHER]

    def to_frame(self):
        return pl.DataFrame({"n": [3]})


class Single(Result):
    _indent: ClassVar[int | None] = None

    def to_table(self):
        return ONE

    def to_dict(self):
        return {"n": 3, "schlüssel": None}


def test_each_text_is_that_of_the_tables_one_below_the_other():
    made = Both()
    for form in ("to_markdown", "to_latex", "to_html", "to_text"):
        assert getattr(made, form)() == "\n\n".join(getattr(each, form)() for each in (ONE, OTHER))
    assert repr(made) == str(made) == made.to_text()
    assert made.to_tables() == made.tables()
    assert made._repr_html_().count("<table") == made.to_html(full=True).count("<table") == 2


def test_a_result_of_one_table_is_that_table():
    made = Single()
    assert made.tables() == [ONE]
    assert (made.to_text(), made.to_markdown(), made.to_html()) == (
        ONE.to_text(),
        ONE.to_markdown(),
        ONE.to_html(),
    )
    assert made.to_json() == '{"n": 3, "schlüssel": null}'


def test_plain_values_are_the_rows_of_the_tables_unless_a_result_says_more():
    tables = json.loads(Both().to_json())["tables"]
    assert [each["caption"] for each in tables] == ["one", "two"]
    assert tables[1] == {
        "caption": "two",
        "rows": [{"name": "a", "mean": 0.5}, {"name": "b", "mean": None}],
        "notes": ["a note"],
    }


def test_a_file_has_the_text_of_its_suffix_in_any_case(tmp_path):
    made = Both()
    forms = {
        ".json": made.to_json(),
        ".md": made.to_markdown(),
        ".tex": made.to_latex(),
        ".html": made.to_html(full=True),
    }
    assert forms.keys() == TEXTS.keys()
    for suffix, text in forms.items():
        made.save(path := tmp_path / f"both{suffix.upper()}")
        assert path.read_text(encoding="utf-8") == text.rstrip("\n") + "\n"
    for suffix in WRITERS:
        made.save(path := tmp_path / f"rows{suffix}")
        assert path.stat().st_size
    assert pl.read_parquet(tmp_path / "rows.parquet").to_dicts() == [{"n": 3}]
    assert (tmp_path / "rows.csv").read_text() == "n\n3\n"


def test_an_unknown_suffix_is_one_error_that_lists_what_can_be_written(tmp_path):
    with pytest.raises(
        UsageError,
        match=r"both\.jsn: pairs are written as \.json, \.md, .*\.jsonl or \.xlsx, by the suffix of the name\. Did you mean \.json",
    ):
        Both().save(tmp_path / "both.jsn")
    with pytest.raises(UsageError, match=r"results are written as \.json, \.md, \.tex, \.html or \.xlsx, by"):
        Single.suffix_of("single.csv")  # which has no frame
    with pytest.raises(InputError, match="cannot be written"):
        Both().save(tmp_path / "nowhere" / "both.json")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("made", "name", "remedy"),
    [
        (Both(), "to_pandas", "Both has no to_pandas. Did you mean to_frame(), a frame of Polars, or to_frame().to_pandas(), one of pandas?"),
        (Both(), "to_markdow", "Both has no to_markdow. Did you mean to_markdown?"),
        (Single(), "to_frame", "Single has no to_frame. Did you mean to_table?"),
        (
            rankwell.evaluate({"1": ["a"]}, {"1": {"a": 1}}, ["rr"]),
            "to_frame",
            "Results has no to_frame. Did you mean per_query, a frame of Polars, or to_pandas(), one of pandas?",
        ),
    ],
)  # fmt: skip
def test_what_a_result_lacks_leads_to_what_it_has(made, name, remedy):
    with pytest.raises(AttributeError) as raised:
        getattr(made, name)
    assert str(raised.value) == remedy
    assert not hasattr(made, name)


def test_what_others_call_it_leads_to_its_name_here():
    gate = rankwell.gate({"1": ["a"]}, {"1": {"a": 1}}, ["rr"], baseline={"1": ["a"]})
    for name in ("passed", "ok"):
        with pytest.raises(AttributeError, match=f"^Gate has no {name}\\. Did you mean exit_code\\?$"):
            getattr(gate, name)
    with pytest.raises(AttributeError, match=r"^Single has no winner\.$"):
        _ = Single().winner


def test_the_error_of_a_property_is_told_as_it_is():
    class Broken(Single):
        @property
        def rows(self):
            return self.n.x

        n = 3

    with pytest.raises(AttributeError, match="'int' object has no attribute 'x'"):
        Broken().rows  # noqa: B018 - that is what is tried


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{"rankwell": "0.1", "kind": "comparison", "schema": 1}', "comparison"),
        ('\n{ "rankwell" : "0.1" ,"schema": 1}', "results"),
        ('{"format": "rankwell costs"}', "rankwell costs"),
        ('{"kind": "comparison"}', ""),
        ('{"q1": {"a": 1}}', ""),
        ("", ""),
    ],
)
def test_a_file_says_its_kind_in_its_first_fields(tmp_path, text, kind):
    (path := tmp_path / "file.json").write_text(text)
    assert kind_of(path) == kind
    Both().save(path)
    assert kind_of(path) == "pair"


def test_results_in_parquet_say_so_in_their_metadata_and_runs_do_not(tmp_path):
    frame = pl.DataFrame({"query": ["1"], "rr": [1.0]})
    frame.write_parquet(run := tmp_path / "run.parquet")
    frame.write_parquet(saved := tmp_path / "saved.parquet", metadata={"rankwell": "{}"})
    (damaged := tmp_path / "damaged.parquet").write_bytes(b"PAR1")
    assert [kind_of(each) for each in (run, saved, damaged, tmp_path / "none.parquet")] == [
        "",
        "results",
        "",
        "",
    ]


def test_what_shows_tables_in_a_notebook_is_a_result_or_a_table_itself():
    """Who writes the forms of tables again forgets one of them, or the error of unknown suffixes."""
    alone = set()
    for module in pkgutil.walk_packages(rankwell.__path__, "rankwell."):
        if ".kernels" in module.name:
            continue
        try:
            made = importlib.import_module(module.name)
        except RankwellError:  # of libraries that are not installed
            continue
        own = [
            each for each in vars(made).values() if inspect.isclass(each) and each.__module__ == module.name
        ]
        alone |= {
            each.__name__ for each in own if hasattr(each, "_repr_html_") and not issubclass(each, Result)
        }
    # tables of what is read, a table, what lint finds line by line, how it is evaluated, pairs with a report, and pages of several parts
    tables = {"Collection", "Findings", "Qrels", "Run", "Table"}
    assert alone == tables | {"Backtest", "Evaluator", "Policy", "Report"}
