from __future__ import annotations

import json
import sys

import pytest

from rankwell.cli import run
from rankwell.efficiency import Costs, Growth

SEARCH = (
    f'{sys.executable} -c "import sys; '
    '[print(line.split()[0]) for line in open(sys.argv[1]) if sys.argv[2] in line.split()]" {index}/texts {query}'
)
INDEX = f"{sys.executable} -c \"import sys; open(sys.argv[2] + '/texts', 'w').write(open(sys.argv[1]).read())\" {{items}} {{index}}"


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texts").write_text("d1 wing flow\nd2 heat\nd3 wing\n")
    (tmp_path / "topics.tsv").write_text("1\twing\n2\theat\n")
    (tmp_path / "texts.tsv").write_text("".join(f"d{at}\tword\n" for at in range(20)))
    (tmp_path / "growth.json").write_text('{"format": "rankwell growth", "version": 1}')
    (tmp_path / "qrels.txt").write_text("1 0 d3 1\n2 0 d2 1\n")
    (tmp_path / "engine.py").write_text(
        "class Engine:\n    def search(self, query, k):\n        return ['d1', 'd2', 'd3'][:k]\n"
        "def function(query, k):\n    return ['d2']\n"
    )
    (tmp_path / "raises.py").write_text("raise RuntimeError('at import')\n")
    (tmp_path / "leaves.py").write_text("raise SystemExit(3)\n")
    (tmp_path / "wrong.py").write_text("def (\n")
    (tmp_path / "makes.py").write_text(
        "class Raising:\n    def __init__(self):\n        raise ValueError('no file')\n"
        "class Asking:\n    def __init__(self, path):\n        pass\n"
    )
    (tmp_path / "공 백").mkdir()
    (tmp_path / "공 백" / "blank.tsv").write_text("\n")
    (tmp_path / "공 백" / "latin.tsv").write_bytes(b"1\twing\n2\tcaf\xe9\n")
    return tmp_path


COMMON = ["--queries", "topics.tsv", "--repetitions", "2"]


def test_commands_and_python_systems_are_measured_and_saved(files, capsys):
    systems = ["--search", f"seek={SEARCH}", "--index", f"seek={INDEX}"]
    assert (
        run(["bench", *systems, "--items", "texts", "--qrels", "qrels.txt", "-o", "costs.json", *COMMON]) == 0
    )
    printed = capsys.readouterr().out
    assert "Quality against cost" in printed
    costs = Costs.load("costs.json")
    assert costs.systems == ["seek"]
    assert costs.indexing["size"].to_list() == [(files / "texts").stat().st_size]
    assert costs.runs["seek"].rows.table().item.tolist() in (["d1", "d3", "d2"], ["d2", "d1", "d3"])
    python = ["--system", "engine:Engine", "--system", "other=engine:function"]
    assert run(["bench", *python, "-o", "more.json", "--closed", "1,2", "--open", "40", *COMMON]) == 0
    more = Costs.load("more.json")
    assert more.systems == ["Engine", "other"]
    assert more.loads == ["closed, 1 at a time", "closed, 2 at a time", "open, 40/s"]
    capsys.readouterr()
    # saved costs are printed again, and joined where the systems are others
    assert run(["bench", "more.json", "--format", "json", "--qrels", "qrels.txt", "-m", "rr,p@1"]) == 0
    tables = json.loads(capsys.readouterr().out)
    first = next(each for each in tables if each["caption"] == "Quality against cost")
    assert [row["rr"] for row in first["rows"]] == [pytest.approx((1 / 3 + 1 / 2) / 2), pytest.approx(1 / 2)]
    assert run(["bench", "costs.json", "more.json"]) == 0
    assert "not measured in turns" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--queries", "topics.tsv"], "no system: give --search COMMAND"),
        (["--search", "seek {query}"], "--queries is missing"),
        (["--search", "seek {querry}", *COMMON], "there is no field {querry}"),
        (
            ["--search", "a=seek", "--index", "b=build", *COMMON],
            "--index b=: there is no --search or --batch of that name",
        ),
        (["--search", "seek", "--search", "seek", *COMMON], "--search system is given twice"),
        (["--system", "engine", *COMMON], "--system takes package.module:name"),
        (["--system", "nothing:Engine", *COMMON], "cannot be imported"),
        (["--system", "engine:Nothing", *COMMON], "the module engine has no Nothing"),
        (["--system", "engine:Engine", "--memory", "many", *COMMON], "--memory takes bytes"),
        (["--system", "engine:Engine", "--repetitions", "x", "--queries", "topics.tsv"], "--repetitions"),
        (["--system", "engine:Engine", "--closed", "0", *COMMON], "concurrency is a whole number from 1 on"),
        (["--system", "engine:Engine", "--open", "-1", *COMMON], "rate is"),
        (["--system", "engine:Engine", "-o", "costs.csv", *COMMON], "costs are saved as .json"),
        (["--search", "seek", "--items", "nowhere", *COMMON], "nowhere: there is no such file"),
        (["--system", ":Engine", *COMMON], "--system takes package.module:name, not ':Engine'"),
        (["--system", ".engine:Engine", *COMMON], "--system takes package.module:name"),
        (
            ["--system", "raises:Engine", *COMMON],
            "--system raises:Engine: cannot be imported (RuntimeError: at import).",
        ),
        (["--system", "leaves:Engine", *COMMON], "cannot be imported (SystemExit: 3)"),
        (["--system", "wrong:Engine", *COMMON], "cannot be imported (SyntaxError:"),
        (["--system", "makes:Raising", *COMMON], "Raising() cannot be made (ValueError: no file)"),
        (["--system", "makes:Asking", *COMMON], "A class is called without arguments"),
        (["--system", "engine:Engine", "--closed", "1.5", *COMMON], "--closed takes whole numbers"),
        (["--system", "engine:Engine", "--closed", "nan", *COMMON], "--closed takes whole numbers"),
        (["--system", "engine:Engine", "--batches", "inf", *COMMON], "--batches takes whole numbers"),
        (["--system", "engine:Engine", "--seed", "-1", *COMMON], "seed is a whole number from 0 on"),
        (["--system", "engine:Engine", "--timeout", "0", *COMMON], "timeout is a number of seconds above 0"),
        (
            ["--system", "engine:Engine", "--timeout", "nan", *COMMON],
            "must be a number such as 0.5, not 'nan'",
        ),
        (
            ["--system", "engine:Engine", "--qrels", "qrels.txt", "-m", "ndgc@3", *COMMON],
            "Did you mean ndcg?",
        ),
        (
            ["--search", "seek", "--index", "build {items}", *COMMON],
            "system: its index command has {items}, and there are none; give --items.",
        ),
        (
            ["--system", "engine:Engine", "--queries", "공 백/blank.tsv"],
            "공 백/blank.tsv: the table holds no rows.",
        ),
        (["--system", "engine:Engine", "--queries", "공 백/latin.tsv"], "공 백/latin.tsv:2: not UTF-8"),
        (["--system", "engine:Engine", "--growth", *COMMON], "--items is missing: what grows"),
        (
            ["--system", "engine:Engine", "--growth", "2,x", "--items", "texts", *COMMON],
            "--growth takes numbers",
        ),
        (
            ["--system", "engine:Engine", "--growth", "2.5", "--items", "texts", *COMMON],
            "--growth takes whole numbers",
        ),
        (
            ["--system", "engine:Engine", "--growth", "--qrels", "qrels.txt", *COMMON],
            "--qrels is not for --growth",
        ),
        (
            ["--system", "engine:Engine", "--growth", "--closed", "1,2", "--items", "texts", *COMMON],
            "under one load",
        ),
        (
            ["--system", "engine:Engine", "--growth", "--items", "texts.tsv", *COMMON],
            "at least 5 repetitions, not 2",
        ),
        (
            ["--system", "engine:Engine", "--growth", "--items", "texts.tsv", "--queries", "topics.tsv"],
            "over 3 decades",
        ),
        (["--system", "engine:Engine", "--reason", "memory", *COMMON], "--reason is for --growth"),
        (["growth.json", "growth.json"], "one file at a time"),
        (["costs.json", "--search", "seek"], "not both"),
        (["costs.json"], "cannot be read"),
        (["topics.tsv"], "this is no file of costs"),
    ],
)
def test_what_cannot_be_measured_is_said_in_one_error(files, capsys, arguments, message):
    assert run(["bench", *arguments]) in (2, 3)
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error


def test_judgements_beside_saved_costs_are_read_in_their_encoding(files, capsys):
    (files / "topics.tsv").write_bytes("질의\twing\n".encode("cp949"))
    (files / "qrels.txt").write_bytes("질의 0 d1 1\n".encode("cp949"))
    given = ["--queries", "topics.tsv", "--qrels", "qrels.txt", "--encoding", "cp949", "--repetitions", "1"]
    assert run(["bench", "--system", "engine:Engine", "-o", "costs.json", *given]) == 0
    first = capsys.readouterr().out
    assert run(["bench", "costs.json", "--qrels", "qrels.txt", "--encoding", "cp949"]) == 0
    assert capsys.readouterr().out.splitlines()[:5] == first.splitlines()[:5]


INDEXING = (
    "class Engine:\n    path = 'index'\n    def index(self, documents):\n        self.ids = [item for item, _ in documents]\n"
    "        open(self.path, 'w').write('x' * 100 * len(self.ids))\n    def search(self, query, k):\n        return self.ids[:k]\n"
)


@pytest.mark.slow
def test_growth_is_measured_saved_and_printed_again(files, capsys):
    (files / "grows.py").write_text(INDEXING)
    (files / "many.tsv").write_text("".join(f"d{at}\tword {at}\n" for at in range(600)))
    sizes = "3,6,12,25,50,100,200,400"
    words = ["--system", "grows:Engine", "--items", "many.tsv", "--queries", "topics.tsv"]
    assert run(["bench", *words, "--growth", sizes, "--reason", "a quick test", "-o", "grown.json"]) == 0
    printed = capsys.readouterr().out
    assert "Only 2.1 decades (2 rather than 3 are enough here): a quick test." in printed
    found = Growth.load("grown.json")
    assert found.sizes == [int(each) for each in sizes.split(",")]
    assert found.fit("Engine", "index size").law == "n"
    assert run(["bench", "grown.json", "--at", "1000", "--format", "json"]) == 0
    tables = json.loads(capsys.readouterr().out)
    row = next(each for each in tables[0]["rows"] if each["quantity"] == "index size")
    assert row["at 1,000"] == pytest.approx(100_000 / 2**20)
    assert row["law"] == "n"
