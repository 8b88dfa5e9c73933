"""What the commands have in common: one meaning of --format, groups in the help, completion in the shell."""

from __future__ import annotations

import csv
import io
import json

import pytest
from tests.cli.samples import QRELS, RUN

from rankwell.cli import run

FORMS = ("text", "markdown", "latex", "html", "json", "csv")
COMMANDS = {
    "evaluate": ["evaluate", QRELS, RUN, "-m", "ap"],
    "explain": ["explain", "rr", QRELS, RUN, "--query", "301"],
    "metrics": ["metrics", "ndcg"],
    "rosetta": ["rosetta", QRELS, RUN, "-m", "rr"],
    "axioms": ["axioms", "rr", "--axiom", "Pri", "--trials", "20"],
    "lint": ["lint", QRELS, RUN],
}


def printed(capsys, *arguments):
    assert run([*arguments]) in (0, 1)
    return capsys.readouterr().out


@pytest.mark.parametrize("command", COMMANDS)
def test_a_format_means_the_same_on_every_command(command, capsys):
    shown = {form: printed(capsys, *COMMANDS[command], "--format", form) for form in FORMS}
    assert len(set(shown.values())) == len(FORMS)
    assert shown["text"] == printed(capsys, *COMMANDS[command])
    assert "|" in shown["markdown"] or command == "axioms"
    assert r"\begin{tabular}" in shown["latex"]
    assert "<table" in shown["html"]
    json.loads(shown["json"])
    rows = list(csv.reader(io.StringIO(shown["csv"])))
    assert len({len(row) for row in rows}) == 1


def test_rows_of_json_and_csv_are_those_of_the_table(capsys):
    records = json.loads(printed(capsys, "metrics", "ndcg", "--format", "json"))
    rows = list(csv.DictReader(io.StringIO(printed(capsys, "metrics", "ndcg", "--format", "csv"))))
    assert rows == records
    assert rows[0]["metric"] == "ndcg[@k]"


def test_several_tables_are_no_csv_file_but_one_json_array(capsys):
    several = ["rosetta", QRELS, RUN, "-m", "rr", "-m", "ap"]
    assert len(json.loads(printed(capsys, *several, "--format", "json"))) == 2
    assert run([*several, "--format", "csv"]) == 2
    assert "a CSV file holds one table, and these are 2" in capsys.readouterr().err


def test_a_format_that_is_not_written_is_refused(capsys, tmp_path):
    assert run(["explain", "rr", "--format", "latex"]) == 2
    assert "--format latex: this writes text, markdown or json" in capsys.readouterr().err
    assert run(["explain", "rr", "-o", str(tmp_path / "rr.csv")]) == 2
    assert not (tmp_path / "rr.csv").exists()
    card = json.loads(printed(capsys, "explain", "rr", "--format", "json"))
    assert card["metric"] == "rr"


def test_metrics_are_found_by_words_of_names_and_sentences(capsys):
    everything = json.loads(printed(capsys, "metrics", "--format", "json"))
    found = json.loads(printed(capsys, "metrics", "NDCG@10", "topics", "--format", "json"))
    names = [row["metric"].rstrip("[@k]") for row in found]
    assert "dsharp_ndcg" in names
    assert 0 < len(found) < len(everything)
    assert all("topic" in row["what it measures"].lower() for row in found)
    by_alias = json.loads(printed(capsys, "metrics", "mrr", "--format", "json"))
    assert by_alias[0]["metric"].startswith("rr")


def test_words_that_no_metric_has_are_refused_with_the_nearest_name(capsys):
    assert run(["metrics", "ndgc"]) == 2
    assert (
        "no metric has 'ndgc' in its names or first sentence. Did you mean ndcg?" in capsys.readouterr().err
    )


def test_the_help_lists_commands_by_what_they_are_for(capsys):
    shown = printed(capsys, "--help")
    titles = ["Evaluate", "Compare", "Understand", "Prepare and judge"]
    places = [shown.index(f"\n{title}:\n") for title in titles]
    assert places == sorted(places)
