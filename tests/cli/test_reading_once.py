"""A command reads each of its files once."""

from __future__ import annotations

import importlib
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

import rankwell
from rankwell.cli import run
from rankwell.readers.bytes.files import File
from rankwell.readers.registry import formats

DATA = Path(rankwell.__file__).parent / "data"
TREC = [str(DATA / "trec_eval" / name) for name in ("qrels.test", "results.test")]
COMMANDS = {
    "evaluate": ["evaluate", "test", "als", "popular", "-m", "ndcg@10,coverage@10,epc@10", "--rel", "8", "--train", "train", "--items", "items",
                 "--users", "users", "--by", "tier"],
    "evaluate by slices": ["evaluate", "test", "als", "-m", "ndcg@10", "--rel", "8", "--slices", "head=head"],
    "evaluate with baselines": ["evaluate", "test", "als", "-m", "ndcg@10,epc@10", "--rel", "8", "--train", "train", "--baselines"],
    "evaluate by thresholds": ["evaluate", "test", "als", "popular", "-m", "ndcg@10", "--rel-sweep", "7,8,9"],
    "evaluate by a preset": ["evaluate", "test", "als", "-m", "ndcg@10", "--preset", "rectools", "--rel", "8"],
    "explain": ["explain", "epc@10", "test", "als", "--query", "8848", "--policy", "rel=8", "--train", "train", "--items", "items"],
    "rosetta": ["rosetta", "test", "als", "-m", "ndcg@10,p@5", "--policy", "rel=8"],
    "judging next": ["judging", "next", "test", "als", "popular", "--policy", "rel=8", "--budget", "5"],
    "judging simulate": ["judging", "simulate", "test", "als", "popular", "itemknn", "--policy", "rel=8", "--budgets", "5,10", "--methods", "depth"],
    "lint": ["lint", "test", "als", "popular", "--items", "items", "--train", "train"],
    "prepare popularity": ["prepare", "popularity", "train", "test", "--top", "10", "--items", "items"],
    "prepare popularity of the training data": ["prepare", "popularity", "train", "train", "test", "--top", "10"],
    "prepare split": ["prepare", "split", "train", "--how", "random"],
    "prepare folds": ["prepare", "folds", "train", "-k", "2"],
    "prepare backtest": ["prepare", "backtest", "train", "--every", "28d", "--horizon", "28d"],
    "prepare core": ["prepare", "core", "train", "--min-per-user", "2"],
    "prepare check": ["prepare", "check", "train", "test", "als", "--items", "items", "-k", "10"],
    "prepare tiers": ["prepare", "tiers", "test", "users", "--factor", "a=2,b=1"],
    "prepare impute": ["prepare", "impute", "test", "als", "--train", "train", "-k", "10"],
    "prepare baselines": ["prepare", "baselines", "train", "test", "--users", "users", "--by", "tier"],
}  # fmt: skip


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """The sample of a recommender as files of several formats, and a table of its users."""
    folder = tmp_path_factory.mktemp("tables")
    movies = DATA / "movietweetings"
    found = {name: movies / f"{name}.parquet" for name in ("train", "items", "als", "popular", "itemknn")}
    test = pl.read_parquet(movies / "test.parquet")
    test.write_csv(folder / "test.csv")
    users = test["user_id"].unique().sort()
    tiers = pl.DataFrame({"user_id": users, "tier": [["a", "b"][at % 2] for at in range(len(users))]})
    tiers.write_csv(folder / "users.csv")
    pl.read_parquet(found.pop("popular")).write_csv(folder / "popular.csv")
    test.select(pl.col("item_id").unique()).head(9).write_csv(folder / "head.csv")
    found |= {name: folder / f"{name}.csv" for name in ("test", "users", "popular", "head")}
    return {name: str(path) for name, path in found.items()}


@pytest.fixture
def reads(monkeypatch):
    """How often each file was opened, and read by the module of its format."""
    counted = Counter()

    def counting(function, what):
        def call(file, *arguments, **options):
            counted[what, str(file.path)] += 1
            return function(file, *arguments, **options)

        return call

    opened = File.__init__

    def opening(file, path):
        counted["opened", str(path)] += 1
        opened(file, path)

    monkeypatch.setattr(File, "__init__", opening)
    for name in formats():
        module = importlib.import_module(f"rankwell.readers.formats.{name}")
        for reader in ("read_run", "read_qrels", "read_items"):
            if function := getattr(module, reader, None):
                monkeypatch.setattr(module, reader, counting(function, reader))
    return counted


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_reads_each_file_once(command, tables, reads, capsys):
    arguments = COMMANDS[command]
    used = {tables[table] for table in (each.rpartition("=")[2] for each in arguments) if table in tables}
    code = run([_path(each, tables) for each in arguments])
    assert code in ((0, 1) if "lint" in command or "check" in command else (0,)), capsys.readouterr().err
    assert {path for _, path in reads} == used
    assert {read: times for read, times in reads.items() if times > 1} == {}


def _path(argument, tables):
    name, sign, table = argument.rpartition("=")
    return f"{name}{sign}{tables[table]}" if table in tables else argument


@pytest.mark.parametrize(
    "arguments", [["evaluate", *TREC, "-m", "ap"], ["explain", "ap", *TREC, "-q", "301"], ["lint", *TREC]]
)
def test_a_command_reads_trec_files_once(arguments, reads, capsys):
    assert run(arguments) == 0
    assert reads == Counter(
        [(what, path) for path, what in zip(TREC, ("read_qrels", "read_run"), strict=True)]
        + [("opened", path) for path in TREC]
    )


def test_axioms_read_no_file(reads, capsys):
    assert run(["axioms", "ap", "--trials", "5"]) == 0
    assert not reads


def test_judgements_from_standard_input_get_baselines_too(tables, monkeypatch, capsys):
    arguments = ["evaluate", "test", "als", "-m", "ndcg@10", "--rel", "8", "--train", "train", "--baselines"]
    assert run([_path(each, tables) for each in arguments]) == 0
    expected = capsys.readouterr().out

    class Input:
        closed = False
        buffer = open(tables["test"], "rb")  # noqa: SIM115 - closed with the process

    monkeypatch.setattr("sys.stdin", Input)
    assert run([_path(each, tables | {"test": "-"}) for each in arguments]) == 0
    assert capsys.readouterr().out == expected
    Input.buffer.close()
