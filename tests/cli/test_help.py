"""Help: one screen for every command, with an example that runs; everything behind ``--help-all``; all of it in a golden file."""

from __future__ import annotations

import json
import os
import random
import re
import shlex
import sys
from importlib.resources import files
from pathlib import Path

import polars as pl
import pytest
from tests.efficiency.made import made
from tests.evidence import evidence

from rankwell.cli import run
from rankwell.cli.arguments import POSITIONAL, arguments_of
from rankwell.cli.commands import FOUND, function_of, homes
from rankwell.cli.help import help_of, said_by

GOLDEN = Path(__file__).parents[1] / "golden" / "help.txt"
GROUPS = [(), ("plot",), ("prepare",), ("judging",), ("clicks",)]
EVERY = [*GROUPS, *homes()]
LINES, COLUMNS = 40, 80
# examples whose files other examples read
FIRST = [
    *(("judging", name) for name in ("next", "sample", "simulate", "prompts")),
    ("clicks", "positions"),
    ("clicks", "interleaved"),
]
# where exit code 1 says what was found
FINDING = [("lint",), ("gate",), ("prepare", "check")]


def shown(capsys, *words):
    assert run(list(words)) == 0
    return capsys.readouterr().out.rstrip("\n")


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_help_fits_one_screen(words, capsys):
    lines = shown(capsys, *words, "--help").splitlines()
    assert len(lines) <= LINES
    # what can be pasted is one line
    assert all(len(line) <= COLUMNS for line in lines[1:] if not line.startswith("Example: "))
    assert shown(capsys, *words, "-h").splitlines() == lines


@pytest.mark.parametrize("words", homes(), ids=" ".join)
def test_help_all_has_every_option_with_all_that_is_said_of_it(words, capsys):
    text = " ".join(shown(capsys, *words, "--help-all").split())
    short = " ".join(shown(capsys, *words, "--help").split())
    left_out = 0
    for argument in arguments_of(function_of(words)):
        assert argument.help
        assert " ".join(argument.help.replace("``", "").split()) in text
        for name in [*argument.names, *([argument.field.upper()] if argument.kind in POSITIONAL else [])]:
            assert f" {name} " in text
        left_out += bool(argument.names) and f" {argument.names[0]} " not in short
    more = f" and has {left_out} more options: " if left_out else "."
    assert f"`rankwell {' '.join(words)} --help-all` says more{',' * bool(left_out)}{more}" in short


def test_every_help_is_what_it_was():
    """``RANKWELL_GOLDEN=write`` writes the file anew; read the difference."""
    rule = "=" * COLUMNS
    pages = [(words, flag) for words in EVERY for flag in ("--help", "--help-all")]
    text = "".join(
        f"$ rankwell {' '.join([*words, flag])}\n{help_of(words, whole=flag == '--help-all').text()}\n{rule}\n"
        for words, flag in pages
    )
    if os.environ.get("RANKWELL_GOLDEN") == "write":
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")


def test_a_group_alone_prints_its_help(capsys):
    for words in GROUPS:
        assert shown(capsys, *words) == shown(capsys, *words, "--help")


@pytest.mark.parametrize("words", GROUPS, ids=" ".join)
def test_what_a_command_does_is_said_as_a_sentence(words, capsys):
    lines = shown(capsys, *words, "--help").splitlines()
    said = [each[1] for line in lines if (each := re.match(r"  [a-z][\w-]* {2,}(\S.*)", line))]
    assert len(said) > 2
    assert [text for text in said if not text[0].isupper()] == []
    assert not words or lines[2][0].isupper()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files that examples name."""
    folder = tmp_path_factory.mktemp("examples")
    draw = random.Random(1)
    queries, items = [str(query) for query in range(1, 25)], [f"d{item}" for item in range(40)]
    grade = {(query, item): draw.choice([0, 0, 1, 2]) for query in queries for item in items[:12]}

    def write(name, lines):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

    def judged(name, share):
        write(name, (f"{q} 0 {item} {g if draw.random() < share else 0}" for (q, item), g in grade.items()))

    def ranked(name, noise):
        lists = {
            query: sorted(
                items, key=lambda item, own=query: -grade.get((own, item), 0) + draw.uniform(0, noise)
            )
            for query in queries
        }
        rows = [(q, item, rank) for q, own in lists.items() for rank, item in enumerate(own[:20], 1)]
        write(name, (f"{query} Q0 {item} {rank} {30 - rank} t" for query, item, rank in rows))
        return rows

    for name, share in {"qrels.txt": 1, "human.txt": 0.9, "model.txt": 0.8}.items():
        judged(name, share)
    for name, noise in {"bm25.run": 3, "dense.run": 2.5, "both.run": 2.2, "new.run": 2}.items():
        rows = ranked(name, noise)
    write("als.csv", ["user,item,rank", *(f"{query},{item},{rank}" for query, item, rank in rows)])
    sampled = [(q, next(item for item in items if grade.get((q, item), 0) > 0)) for q in queries]
    write(
        "sampled.run",
        (
            f"{q} Q0 {item} {at} {9 - at} t"
            for q, one in sampled
            for at, item in enumerate([one, *items[20:25]], 1)
        ),
    )
    write("held-out.txt", (f"{query} 0 {item} 1" for query, item in sampled))
    log = [
        (query, item, draw.randint(1, 5), 1_365_000_000 + 100_000 * at)
        for at, query in enumerate(queries)
        for item in items[::2]
    ]
    write("train.csv", ["user,item,rating,timestamp", *(",".join(map(str, row)) for row in log)])
    write(
        "test.csv", ["user,item,rating", *(f"{query},{item},4" for query in queries for item in items[1:9:2])]
    )
    write("ratings.dat", ("::".join(map(str, row)) for row in log))
    write("items.csv", ["item,title,genres", *(f"{item},film {item},{'a|b' if n % 2 else 'b'}" for n, item in enumerate(items))])  # fmt: skip
    pl.DataFrame({"item": items, "title": items}).write_parquet(folder / "items.parquet")
    write("users.csv", ["user,country,tier", *(f"{q},{'kr' if int(q) % 2 else 'no'},{('VIP', 'gold', 'silver')[int(q) % 3]}" for q in queries)])  # fmt: skip
    write("queries.tsv", (f"{query}\ttext of {query}" for query in queries))
    write("queries.jsonl", (json.dumps({"_id": query, "text": f"d{query}"}) for query in queries[:3]))
    write("corpus.jsonl", (json.dumps({"_id": item, "title": "", "text": item}) for item in items))
    write("gold.csv", ["query,document,start,end", "1,a,0,10"])
    pl.DataFrame({"item": ["a#0"], "document": ["a"], "start": [0], "end": [8]}).write_parquet(
        folder / "chunks.parquet"
    )
    for name, own in {"ann": 1, "bo": 1, "cy": 0}.items():
        head = "query,item,grade,judge,time,order,is_repeat,comment"
        rows = [f"1,d{at},{own},{name},2026-11-25T10:00:00.000Z,{at},false," for at in range(1, 5)]
        write(f"{name}.csv", [head, *rows])
    systems = {"seconds": [[0.001, 0.002]] * 3, "memory": [1, 2, 3], "index": [1], "throughput": [9, 9, 9]}
    answers = {name: dict.fromkeys(queries, items[:3]) for name in ("bm25", "dense")}
    made(dict.fromkeys(answers, systems), runs=answers).save(folder / "costs.json")
    (folder / "growth.json").write_bytes(evidence("growth/engines.json").read_bytes())
    for name, code in {"build": "", "seek": "print('d1')"}.items():
        write(f"bin/{name}", [f"#!{sys.executable}", code])
        (folder / "bin" / name).chmod(0o755)
    clicks = pl.read_parquet(files("rankwell") / "data" / "clicks" / "interleaved.parquet")
    for name in ("team_draft.csv", "swapped.csv", "log.csv"):
        clicks.write_csv(folder / name)
    of_log = clicks.select("query", "item").unique().sort("query", "item").rows()
    with (folder / "new.run").open(
        "a", encoding="utf-8"
    ) as run_of_both:  # a new order of what the log showed, too
        run_of_both.writelines(f"{query} Q0 {item} 1 {-at} t\n" for at, (query, item) in enumerate(of_log))
    offers = pl.read_parquet(files("rankwell") / "data" / "clicks" / "choices.parquet")
    offers.rename({"greedy": "new"}).write_csv(folder / "choices.csv")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        half = {"2026-11-02": queries[:12], "2026-11-03": queries[12:]}
        for day, own in half.items():
            lines = (folder / "bm25.run").read_text().splitlines()
            write(f"{day}.run", (line for line in lines if line.split()[0] in own))
            write(f"{day}.txt", (f"{q} 0 {item} {g}" for (q, item), g in grade.items() if q in own))
            (folder / "days").mkdir(exist_ok=True)
            words = ["evaluate", f"{day}.txt", f"bm25={day}.run", "-m", "ndcg@10", "--per-query"]
            assert run([*words, "-o", f"days/{day}.json"]) == 0
        board = [(task, name, 0.5 + n / 10) for task in ("news", "code") for n, name in enumerate(("a", "b"))]
        write("board.csv", ["task,system,value", *(f"{task},{name},{value}" for task, name, value in board)])
        for task, name, value in board:
            scores = {"test": [{"hf_subset": "default", "languages": ["eng-Latn"], "ndcg_at_10": value}]}
            write(f"results/{name}/1/{task}.json", [json.dumps({"task_name": task, "scores": scores})])
        words = ["evaluate", "qrels.txt", "bm25.run", "-m", "ndcg@10", "--per-query", "-o", "old.json"]
        assert run([*words, "--ledger", "ledger.jsonl"]) == 0
        assert run(["trend", "days/", "-m", "ndcg@10", "-o", "trend.json"]) == 0
        assert run(["watch", "days/", "-m", "ndcg@10", "-o", "watch.json"]) == 0
        for words in FIRST:
            assert run(example(words)) == 0, words
        assert run([*example(("clicks", "off-policy")), "--force", "-o", "weights.json"]) == 0
    (folder / "preference.json").write_bytes((folder / "interleaving.json").read_bytes())
    (folder / "effort.json").write_bytes((folder / "judging.json").read_bytes())
    drawn = (
        pl.read_csv(folder / "sample.tsv", separator="\t", infer_schema=False).select("query", "item").rows()
    )
    write("judged.txt", (f"{query} 0 {item} {grade.get((query, item), 0)}" for query, item in drawn))
    names = [json.loads(line)["custom_id"] for line in (folder / "batch.jsonl").read_text().splitlines()]
    write("out.jsonl", (json.dumps({"custom_id": name, "answer": 2}) for name in names))
    return folder


def example(words):
    """The arguments of the example of a command."""
    first, *rest = shlex.split(said_by(function_of(words))[1])
    assert [first, *rest[: len(words)]] == ["rankwell", *words]
    return rest


@pytest.mark.parametrize("words", homes(), ids=" ".join)
def test_the_example_of_every_command_runs(words, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", os.pathsep.join([str(folder / "bin"), os.environ["PATH"]]))
    code = run(example(words))
    assert code == 0 or (words in FINDING and code == FOUND), capsys.readouterr().err
    output = dict(zip(example(words), example(words)[1:], strict=False)).get("-o")
    assert output is None or (folder / output).exists()
