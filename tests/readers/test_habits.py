"""What people hold by habit and what a table or a matrix could be taken for: asked about, with a remedy that works, or read right."""

from __future__ import annotations

import contextlib
import json
import pickle
import re
import sqlite3
import tarfile
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.every import every

import rankwell as rw
from rankwell.cli import run as command
from rankwell.cli.words import pairs

QRELS, RUN = {"u": {"a": 1}}, {"u": ["b", "a"], "v": ["c"]}


def write(folder, name, text):
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(folder / name)


def mean(run, qrels, metric="rr", **options):
    return rw.evaluate(run, qrels, [metric], **options).mean[metric]


def refused(message, *arguments, **options):
    with pytest.raises(rw.RankwellError, match=message) as error:
        mean(*arguments, **options)
    assert "\n" not in str(error.value)
    return str(error.value)


# numbers as people and spreadsheets write them
@every(
    "cells",
    [
        ["0,1", "0,9", "0,5"],
        ["10%", "90 %", "50%"],
        ["1,000", "2,000", "10"],
        ["0.1", "NA", "0.5"],
        ["", "0.9", "0.5"],
    ],
)
@every("sign", [";", "\t"])
def test_numbers_in_any_spelling_are_asked_about(tmp_path, cells, sign):
    lines = [sign.join(line) for line in (("user", "item", "p"), *zip("uuv", "bac", cells, strict=True))]
    refused("is 'p' the score", write(tmp_path, "r.csv", "\n".join(lines) + "\n"), QRELS)
    refused("is 'p' the score", pd.DataFrame({"user": list("uuv"), "item": list("bac"), "p": cells}), QRELS)


def test_text_of_other_kinds_is_not(tmp_path):
    for cells in (["2026-01-02", "2026-01-01", "2026-01-03"], ["a1", "b2", "c3"], ["x", "1", "y"]):
        assert mean(pd.DataFrame({"user": list("uuv"), "item": list("bac"), "p": cells}), QRELS) == 0.5


def test_a_header_that_stands_twice_is_an_error_with_its_line(tmp_path):
    path = write(tmp_path, "q.csv", "user,item\nu,a\nuser,item\nv,b\n")
    refused(r"q.csv:3: the header stands here again", {"u": ["a"], "v": ["b"]}, path)
    long = "user,item\n" + "".join(f"u{n},a\n" for n in range(1_000_000))
    refused(r"q.csv:1000002: the header", {"u1": ["a"]}, write(tmp_path, "q.csv", long + "user,item\n"))
    assert len(rw.read_qrels(write(tmp_path, "q.csv", long))) == 1_000_000


def test_what_spreadsheets_write_around_a_table(tmp_path):
    assert mean(write(tmp_path, "r.csv", "sep=;\nuser;item;score\nu;b;1\nu;a;2\n"), QRELS) == 1.0
    for ends in (b"\r", b"\r\r\n"):
        text = b"user,item,score\nu,b,1\nu,a,2\n".replace(b"\n", ends)
        refused("carriage return alone", write(tmp_path, "r.csv", text), QRELS)
    for name in ('"say ""hi"""', '"new\nline"'):
        refused(
            "holds a quotation mark or a line end",
            write(tmp_path, "r.csv", f"user,item,score,{name}\nu,a,1,2\n"),
            QRELS,
        )


@every(
    ("cell", "advice"),
    [
        ("0,8", "Write it as 0.8."),
        ("8.000,5", "Write it as 8000.5."),
        ("8,000.5", "Write it as 8000.5."),
        ("1,234,567", "Write it as 1234567."),
        ("8,000", "Write it as 8000 or 8.000."),
        ("80 %", "Write it as 80."),
        ("\u22120.2", "Write it as -0.2."),
        ("8.0D-01", "Write it as 8.0E-01."),
        ("tensor(0.8, device='cuda:0')", "Write it as 0.8."),
        ("np.float64(0.8)", "Write it as 0.8."),
        ("#2", "Write it as 2."),
        ("1.234.567", "Write it as 1234567."),
        ("$1'234'567.5", "Write it as 1234567.5."),
        ("8\u00a0000", "Write it as 8000."),
        ("1_000", "Write it as 1000."),
        ("０．８", "Write it as 0.8."),
        ("N/A", "If it is missing, remove the row or fill it."),
        ("-----", "Remove the line."),
        ("score", "The header stands here again: remove the line."),
        ("2/10", ""),
        ("u1", ""),
        ("doc-12", ""),
        ("2024-01-02", ""),
        ("abc", ""),
    ],
)
def test_a_number_in_another_spelling_is_refused_with_how_to_write_it(tmp_path, cell, advice):
    cells = [("user", "item", "score"), ("u", "b", "1"), ("u", "a", cell)]
    path = write(tmp_path, "r.csv", "".join(";".join(f'"{each}"' for each in line) + "\n" for line in cells))
    assert refused("the score .* is not a number", path, QRELS).endswith(f"not a number. {advice}".strip())
    frame = pd.DataFrame([*cells[1:]], columns=list(cells[0]))
    assert refused("the score .* is not a number", frame, QRELS).endswith(f"not a number. {advice}".strip())


def test_names_of_columns_that_a_spreadsheet_left_empty(tmp_path):
    assert mean(write(tmp_path, "r.csv", "user,item,score,,\nu,b,1,,\nu,a,2,,\n"), QRELS) == 1.0
    asked = write(tmp_path, "r.csv", "user,item,,\nu,b,1,\nu,a,2,\n")
    refused("is 'Unnamed: 2' the score", asked, QRELS)
    assert mean(asked, QRELS, columns={"Unnamed: 2": "score"}) == 1.0


@every("title", ["Export of 2024-01-02", "Export,,", "+----+----+", "made by hand\n\nlast week"])
def test_lines_above_the_header_are_refused_with_the_line_of_the_header(tmp_path, title):
    path = write(tmp_path, "r.csv", f"{title}\nuser,item,score\nu,b,1\nu,a,2\n")
    line = title.count("\n") + 2
    said = refused(f"r.csv:{line}: the header stands here, below other lines. Remove them", path, QRELS)
    assert f"tail -n +{line} " in said


@every("sign", ["^", "~", "\x01", " "])
@every("header", ["user{0}item{0}score\n", ""])
def test_columns_between_other_signs_are_refused_with_how_to_divide_them(tmp_path, sign, header):
    text = f"{header}u{{0}}b{{0}}1\nu{{0}}a{{0}}2\n".format(sign)
    said = refused("no comma, tab, semicolon or bar", write(tmp_path, "r.csv", text), QRELS)
    fixed = write(tmp_path, "s.csv", text.replace(sign, "\t"))
    shown = "\\001" if sign == "\x01" else sign
    assert f"tr '{shown}' '\\t' < " in said
    columns = {} if header else {"1": "query", "2": "item", "3": "score"}
    assert mean(fixed, QRELS, columns=columns) == 1.0


def test_a_header_in_another_encoding_is_refused_with_it(tmp_path):
    path = write(tmp_path, "r.csv", "사용자,상품,점수\nu,b,1\nu,a,2\n".encode("cp949"))
    refused("r.csv:1: not UTF-8", path, QRELS)
    columns = {"사용자": "query", "상품": "item", "점수": "score"}
    assert mean(path, QRELS, encoding="cp949", columns=columns) == 1.0


def test_quotation_marks_within_cells_are_text_where_no_cell_begins_with_one(tmp_path):
    path = write(tmp_path, "r.csv", 'user,item,score\nu,5" disk,1\nu,6" disk,2\n')
    for engine in ("memory", "stream"):
        assert mean(path, {"u": {'5" disk': 1}}, engine=engine) == 0.5
    mixed = write(tmp_path, "r.csv", 'user,item,score\nu,"a, b",1\nu,6" disk,2\nu,c,3\n')
    refused("r.csv:3: a quotation mark stands within a cell", mixed, QRELS)


def test_a_header_that_stands_twice_in_another_case_or_in_quotes_is_an_error_too(tmp_path):
    for above in ("", "# made by hand\n", "\ufeff", "\n\n"):
        path = write(tmp_path, "q.csv", f"{above}user,item\nu,a\n")
        assert mean({"u": ["a"]}, path) == 1.0
        path = write(tmp_path, "q.csv", f"{above}user,item\nuser,item\nu,a\n")
        refused(rf"q.csv:{above.count(chr(10)) + 2}: the header stands here again", {"u": ["a"]}, path)
    for again in ("USER,Item", '"user","item"'):
        path = write(tmp_path, "q.csv", f"user,item\nu,a\n{again}\nv,b\n")
        refused(r"q.csv:3: the header stands here again", {"u": ["a"], "v": ["b"]}, path)


def test_numbered_columns_of_a_table_with_a_header_are_asked_about(tmp_path):
    path = write(tmp_path, "r.csv", "user,item,score\nu,b,1\nu,a,2\n")
    said = refused("is a header", path, QRELS, columns={"1": "query", "2": "item"})
    assert "columns={'user': 'query', 'item': 'item'}" in said
    assert mean(path, QRELS, columns={"user": "query", "item": "item"}) == 1.0
    plain = write(tmp_path, "p.csv", "q,a,2\nq,b,1\n")
    assert mean(plain, {"q": {"a": 1}}, columns={1: "query", 2: "item", 3: "score"}) == 1.0
    refused("whole numbers from 1", path, QRELS, columns={1.5: "query"})


def test_rows_of_query_and_item_are_no_lists_of_items():
    rows = [(1, 5, 0), (1, 7, 3)]
    refused(re.escape("rw.Qrels(*zip(*rows))"), {1: [5, 7]}, rows)
    assert mean({1: [5, 7]}, rw.Qrels(*zip(*rows, strict=True))) == 0.5
    refused(re.escape("rw.Run(*zip(*rows))"), [("u", "b", 0.1), ("u", "a", 0.9)], QRELS)
    assert mean(rw.Run(*zip(("u", "b", 0.1), ("u", "a", 0.9), strict=True)), QRELS) == 1.0
    matrix = np.array([[0, 5], [1, 7], [1, 5]])
    refused(re.escape("rw.Qrels(*matrix.T)"), {0: [5, 7], 1: [7, 5]}, matrix)
    assert mean({0: [5, 7], 1: [7, 5]}, rw.Qrels(*matrix.T)) == 1.0
    assert mean([[7, 5], [7, 3], [7, 1]], {0: [7], 1: [3], 2: [9]}) == 0.5  # the most popular item first


def test_matrices_of_different_numbers_of_rows_are_refused():
    scores = np.arange(15).reshape(3, 5) + 0.5
    refused("has 3 rows.*has 4", scores, np.ones((4, 1), int))
    refused("they are 2 × 5 and the scores 3 × 5", scores, np.zeros((2, 5)))
    mean(scores, np.ones((3, 1), int))


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_item_numbers_as_floats_are_asked_about():
    matrix = np.array([[7.0, 3.0], [2.0, 1.0]])
    refused(r"matrix.astype\(int\)", matrix, {0: [3], 1: [1]})
    assert mean(matrix.astype(int), {0: [3], 1: [1]}) == 0.5
    assert mean(np.array([[3.0, 1.0, 2.0]]), {0: [2]}) == 0.5  # whole scores of three items
    assert mean(np.matrix([[0.3, 0.1, 0.2]]), {0: [2]}) == 0.5


def test_parts_of_a_run_are_ranked_by_the_same_columns(tmp_path):
    write(tmp_path, "1.csv", "user,item,score\nu,b,1\nu,a,2\n")
    write(tmp_path, "2.csv", "user,item\nv,c\n")
    refused("2.csv: it has no score and no rank, while .*1.csv has score", str(tmp_path / "*.csv"), QRELS)


def test_words_about_reading_are_no_words_for_what_was_read():
    run, qrels = rw.read_run({"u": {"b": 0.1, "a": 0.9}}), rw.read_qrels(QRELS)
    for words in ({"order": "rows"}, {"columns": {"p": "score"}}, {"format_in": "trec"}):
        refused("has been read already", run, qrels, **words)
        with pytest.raises(rw.RankwellError, match="has been read already"):
            rw.Evaluator(qrels, "rr", **words).evaluate(run)
    refused("has been read already", run, qrels, qrels_columns={"p": "grade"})
    refused("order='score': must be rows", run, qrels, order="score")


def test_decimals_are_numbers():
    from decimal import Decimal

    for frame in (
        pd.DataFrame({"user": ["u", "u"], "item": ["b", "a"], "score": [Decimal("0.1"), Decimal("0.9")]}),
        pl.DataFrame({"user": ["u", "u"], "item": ["b", "a"], "score": [Decimal("0.1"), Decimal("0.9")]}),
    ):
        assert mean(frame, QRELS) == 1.0


def test_ids_that_became_floats_are_refused_with_the_remedy():
    frame = pd.DataFrame({"user": [5.0, 5.0], "item": ["b", "a"], "score": [0.1, 0.9]})
    refused(re.escape("frame.astype({'user': 'Int64'})"), frame, {5: {"a": 1}})
    assert mean(frame.astype({"user": "Int64"}), {5: {"a": 1}}) == 1.0


def test_single_items_under_a_plural_name_beside_a_rank():
    frame = pd.DataFrame({"user": ["u", "u"], "items": ["b", "a"], "rank": [2, 1]})
    assert mean(frame, QRELS) == 1.0


def test_pairs_of_the_command_line_take_any_name():
    assert pairs(["p, buy=score"], "--columns") == {"p, buy": "score"}
    assert pairs(["a=query, b=item", " p=score"], "--columns") == {"a": "query", "b": "item", " p": "score"}


@every("name", ["p, buy", "-p", " p", "{p}", 'p"x', "p'x", "가격"])
def test_odd_names_can_be_pasted(tmp_path, capsys, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    quoted = '"' + name + '"' if "," in name else name
    frame = pl.DataFrame({"user": ["u", "u"], "item": ["b", "a"], name: [0.1, 0.9]})
    frame.write_parquet("r.parquet")
    write(tmp_path, "q.txt", "u 0 a 1\n")
    assert quoted
    words = ["evaluate", "q.txt", "r.parquet", "-m", "rr"]
    assert command(words) == 3
    import shlex

    said = capsys.readouterr().err
    remedy = re.search(r"(--columns[ =].*?)\. If lower", said)[1]
    assert command([*words, *shlex.split(remedy)]) == 0, said
    assert "1.0000" in capsys.readouterr().out


def test_words_about_reading_hold_for_the_runs_that_they_can_hold_for(tmp_path, capsys):
    odd = write(tmp_path, "odd.csv", "user,item,p\nu,b,.1\nu,a,.9\n")
    plain = write(tmp_path, "plain.csv", "user,item,score\nu,b,.1\nu,a,.9\n")
    trec = write(tmp_path, "trec.run", "u Q0 b 2 1 t\nu Q0 a 1 2 t\n")
    order = write(tmp_path, "order.csv", "user,item,p\nu,a,.1\nu,b,.9\n")
    qrels = write(tmp_path, "q.txt", "u 0 a 1\n")
    found = rw.compare({"odd": odd, "plain": plain, "trec": trec}, qrels, ["rr"], columns={"p": "score"})
    assert found
    for verb in ("evaluate", "compare"):
        assert command([verb, qrels, odd, plain, trec, "-m", "rr", "--columns", "p=score"]) == 0
        assert "1.0000" in capsys.readouterr().out
    many = rw.Evaluator(qrels, "rr", order="rows").evaluate_all(
        {"order": order, "plain": plain, "trec": trec}
    )
    assert [res["rr"] for res in many.values()] == [1.0, 1.0, 1.0]
    with pytest.raises(rw.RankwellError, match="columns= names 'z'"):
        rw.compare({"odd": plain, "plain": plain}, qrels, ["rr"], columns={"z": "score"})


def test_explain_rosetta_and_lint_take_what_the_columns_of_runs_and_judgements_hold(tmp_path, capsys):
    run = write(tmp_path, "r.csv", "user,item,p\nu,b,.1\nu,a,.9\n")
    qrels = write(tmp_path, "q.csv", "user,item,bought\nu,a,1\n")
    words = ["--read", "columns=p=score", "--read", "qrels_columns=bought=grade"]
    assert command(["explain", "rr", qrels, run, "--query", "u", *words]) == 0
    assert command(["rosetta", qrels, run, "-m", "rr", *words]) == 0
    assert capsys.readouterr().out.count("1.0000") >= 2
    assert command(["lint", qrels, run, *words]) == 0
    plain = write(tmp_path, "plain.csv", "user,item,shelf\nu,a,9\n")
    assert command(["lint", plain, run, "--read", "columns=p=score"]) == 0  # said of runs alone
    assert "--read qrels_columns=shelf=grade" in capsys.readouterr().out


def test_a_mark_beside_the_parts_is_no_part(tmp_path):
    for part, user in enumerate("uv"):
        write(tmp_path, f"part-{part}.csv", f"user,item,score\n{user},a,1\n")
    write(tmp_path, "_SUCCESS", "")
    assert mean(f"{tmp_path}/*", {"u": {"a": 1}, "v": {"a": 1}}) == 1.0
    assert rw.read_run(f"{tmp_path}/*").queries == ["u", "v"]


def test_a_column_of_two_meanings_is_refused(tmp_path, capsys):
    run, qrels = write(tmp_path, "r.csv", "a,b\nu,a\n"), write(tmp_path, "q.txt", "u 0 a 1\n")
    words = ["--columns", "a=query,a=item", "--columns", "b=item"]
    assert command(["evaluate", qrels, run, "-m", "rr", *words]) == 2
    assert "--columns: the column 'a' is said to hold query and item" in capsys.readouterr().err


def test_a_pair_of_item_numbers_and_scores_may_be_of_a_class_made_of_tuple():
    class Best(tuple):  # as what torch.topk returns
        __slots__ = ()

    items, scores = np.array([[2, 0], [1, 2]]), np.array([[0.9, 0.1], [0.8, 0.7]])
    qrels = {0: {0: 1}, 1: {1: 1}}
    assert mean(Best((scores, items)), qrels) == mean((items, scores), qrels) == 0.75


def test_a_format_that_is_said_holds_for_several_runs_that_look_like_it(tmp_path, capsys):
    plain = "".join(
        f"u Q0 d{at} {at} {9000 - at} t\n" for at in range(1, 4001)
    )  # the tag with a blank comes late
    long = write(tmp_path, "long.run", f"{plain}u Q0 a 4001 1 my tag\n")
    short = write(tmp_path, "short.run", "u Q0 a 1 2 my tag\n")
    qrels = write(tmp_path, "q.txt", "u 0 a 1\n")
    assert command(["compare", qrels, long, short, "-m", "rr", "--format-in", "trec"]) == 0
    assert "1.0000" in capsys.readouterr().out


@pytest.mark.parametrize("suffix", ["csv", "parquet", "arrow"])
def test_parts_without_rows_are_left_out_of_a_run_and_of_judgements_unless_all_are(suffix, tmp_path):
    full = pl.DataFrame({"user": ["u", "u"], "item": ["b", "a"], "score": [2.0, 1.0]})
    for name, part in {"1": full[:0], "2": full, "3": full[:0]}.items():
        write = {"csv": part.write_csv, "parquet": part.write_parquet, "arrow": part.write_ipc}[suffix]
        write(tmp_path / f"{name}.{suffix}")
    parts, qrels = str(tmp_path / f"*.{suffix}"), {"u": {"a": 1}}
    assert rw.read_run(parts).rows.table().item.tolist() == ["b", "a"]
    assert rw.read_qrels(parts).item.tolist() == ["b", "a"]
    for engine in ("memory", "stream"):
        assert rw.evaluate(parts, qrels, "rr", engine=engine).mean["rr"] == 0.5
        assert rw.evaluate(rw.read_run(parts), qrels, "rr", engine=engine).mean["rr"] == 0.5
    (tmp_path / f"2.{suffix}").unlink()
    with pytest.raises(rw.errors.DataError, match=rf"1\.{suffix}: the table holds no rows"):
        rw.read_run(parts)


@pytest.mark.parametrize(
    ("users", "remedy"),
    [
        ({"u": "x", "v": "y"}, "{'query': [*values], 'value': [*values.values()]}"),
        (pd.Series(["x", "y"], index=["u", "v"]), "series.rename_axis('query').reset_index(name='value')"),
        (pd.DataFrame({"value": ["x", "y"]}, index=pd.Index(["u", "v"], name="user")), "frame.reset_index()"),
    ],
)
def test_values_by_user_are_refused_with_the_table_to_make_of_them(users, remedy):
    run, qrels = {"u": ["b", "a"], "v": ["c"]}, {"u": {"a": 1}, "v": {"c": 1}}
    with pytest.raises(rw.RankwellError) as error:
        rw.evaluate(run, qrels, "rr", users=users, by="value")
    assert remedy in str(error.value)
    made = eval(remedy, {"values": users, "series": users, "frame": users})
    assert "x  " in str(rw.evaluate(run, qrels, "rr", users=made, by="value").segments)


PAIRS = [
    ({"q1": [["b", 0.1], ["a", 0.5]]}, 1.0),
    ({"q1": [["b", 9], ["a", 5]], "q2": []}, 0.5),
    ({"q1": [["b", 0.9], ["a"]]}, r"query 'q1': \['a'\] is no pair"),
    ({"q1": [["b", 0.9], "a"]}, "query 'q1': 'a' is no pair"),
    ({"q1": [[1, "b"], [2, "a"]]}, "'b'"),  # the rank first
    ({"q1": ["b", ["a", 1]]}, "item ids must be all str or all int"),
    ({"q1": [[True, 0.9]]}, "item ids must be all str or all int"),
]


@pytest.mark.parametrize(("pairs", "wanted"), PAIRS)
def test_pairs_of_an_item_and_its_score_are_read_from_json_as_in_memory(pairs, wanted, tmp_path):
    file = tmp_path / "pairs.json"
    file.write_text(json.dumps(pairs))
    for source in (pairs, file):
        if isinstance(wanted, str):
            with pytest.raises(rw.errors.DataError, match=wanted):
                rw.evaluate(source, {"q1": {"a": 1}}, "rr")
        else:
            assert rw.evaluate(source, {"q1": {"a": 1}}, "rr").mean["rr"] == wanted
            judged = {q: dict(each) for q, each in pairs.items()}
            run = {"q1": ["x", "a", "b"]}
            assert rw.evaluate(run, source, "dcg").mean == rw.evaluate(run, judged, "dcg").mean


@every("numbers", [[1, 0.5, 2], [1, "0.5", 2], ["1", 0.5, None], [True, 0.5, 2]])
def test_numbers_of_several_types_that_nobody_claimed_are_asked_about(numbers):
    rows = [
        SimpleNamespace(user=user, item=item, p=number)
        for user, item, number in zip("uuv", "bac", numbers, strict=True)
    ]
    kinds = rows, [vars(row) for row in rows], pd.DataFrame([vars(row) for row in rows]).astype({"p": object})
    for table in (*kinds, {"user": list("uuv"), "item": list("bac"), "p": numbers}):
        refused("is 'p' the score", table, QRELS)
        assert mean(table, QRELS, order="rows") == 0.5


def test_columns_of_several_types_beside_scores_are_passed():
    for others in ([1, 0.5, 1], [1, "x", None], [[1], 2.5, "y"], [{"a": 1}, 1, 2]):
        run = {"user": list("uuv"), "item": list("bac"), "score": [2.5, 1.0, 1.0], "topic_weight": others}
        rows = [
            SimpleNamespace(**dict(zip(run, row, strict=True))) for row in zip(*run.values(), strict=True)
        ]
        for table in (run, rows):
            assert mean(table, QRELS) == 0.5


def test_whole_numbers_beside_fractions_are_scores_and_grades():
    run = {"user": list("uuv"), "item": list("bac"), "score": [1, 2.5, 1]}
    assert mean(run, {"user": list("uu"), "item": list("ab"), "grade": [0.5, 0]}) == 1.0
    assert mean(run | {"score": [2.5, 1, np.int64(1)]}, QRELS) == 0.5
    refused("is too large to be kept exactly", run | {"score": [2**53 + 1, 0.5, 1]}, QRELS)
    refused("query ids must be text or integers, not Float64", run | {"user": [1, 2.5, 1]}, QRELS)


def others(folder):
    np.save(folder / "array.npy", np.ones((2, 3)))
    (folder / "pickle.pkl").write_bytes(pickle.dumps({"q": {"a": 1.0}}))
    with contextlib.closing(sqlite3.connect(folder / "base.sqlite")) as base:
        base.execute("create table run (query, item, score)")
        base.commit()
    pl.DataFrame({"user": ["u"], "item": ["a"]}).write_avro(folder / "table.avro")
    (folder / "table.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    (folder / "table.xls").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100))
    (folder / "archive.7z").write_bytes(b"7z\xbc\xaf\x27\x1c" + bytes(100))
    (folder / "archive.rar").write_bytes(b"Rar!\x1a\x07\x00" + bytes(100))
    (folder / "run.lz4").write_bytes(b"\x04\x22\x4d\x18" + bytes(100))
    (folder / "run.Z").write_bytes(b"\x1f\x9d\x90" + bytes(100))
    (folder / "dump.sql").write_text("INSERT INTO run (query, item, score) VALUES\n('u', 'a', 0.5);\n")
    (folder / "page.html").write_bytes(b"<table><tr><th>query</th></tr></table>\n")
    for name in ("archive.tar", "archive.tar.gz"):
        with tarfile.open(folder / name, "w:gz" if name.endswith("gz") else "w") as archive:
            archive.add(folder / "array.npy", "array.npy")


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("array.npy", "an array of NumPy"), ("pickle.pkl", "a pickle of Python, which is not opened"), ("base.sqlite", "a database of SQLite"),
        ("table.avro", "Avro"), ("table.h5", "HDF5"), ("table.xls", "a spreadsheet of old Excel"), ("archive.tar", "an archive of tar"),
        ("archive.tar.gz", "an archive of tar"), ("archive.7z", "a 7z archive"), ("archive.rar", "a rar archive"), ("run.lz4", "compressed by lz4"),
        ("run.Z", "compressed by compress"), ("page.html", "a table of HTML"),
        ("dump.sql", "a dump of SQL"),
    ],
)  # fmt: skip
def test_files_of_other_kinds_are_refused_by_their_names(name, what, tmp_path, capsys):
    others(tmp_path)
    for called in (name, "run.csv", "run"):  # whatever it is called
        path = tmp_path / called
        path.write_bytes((tmp_path / name).read_bytes())
        with pytest.raises(rw.errors.DataError, match=f"{called}: the file is {what}"):
            rw.evaluate(path, {"u": {"a": 1}}, "rr")
        with pytest.raises(rw.errors.DataError, match=f"{called}: the file is {what}"):
            rw.evaluate({"u": ["a"]}, path, "rr", engine="stream")
    assert command(["evaluate", str(tmp_path / name), str(tmp_path / name), "-m", "rr"]) == 3
    assert "Traceback" not in capsys.readouterr().err


PRINTED_TABLES = {
    "psql": " query | item | score \n-------+------+-------\n u     | b    |   0.5\n u     | a    |   0.9\n(2 rows)\n",
    "mysql": "+-------+------+-------+\n| query | item | score |\n+-------+------+-------+\n| u     | a    |   0.9 |\n",
    "Spark": "+-----+----+-----+\n|query|item|score|\n+-----+----+-----+\n|    u|   a|  0.9|\n+-----+----+-----+\n",
    "DuckDB": "┌─────────┬─────────┐\n│  query  │  item   │\n├─────────┼─────────┤\n│ u       │ a       │\n└─────────┴─────────┘\n",
    "Polars": str(pl.DataFrame({"query": ["u"], "item": ["a"], "score": [0.9]})),
    "Markdown": "| query | item | score |\n| --- | :-: | ---: |\n| u | a | .9 |\n",
    "Markdown without edges": "query | item\n--- | ---\nu | a\n",
}


@pytest.mark.parametrize("name", ["r.csv", "r.txt", "r"])
@pytest.mark.parametrize("program", PRINTED_TABLES)
def test_a_table_that_was_printed_for_people_is_called_so(program, name, tmp_path):
    (tmp_path / name).write_text(PRINTED_TABLES[program], encoding="utf-8")
    with pytest.raises(rw.errors.DataError, match="is a table as programs print it, with lines of dashes"):
        rw.evaluate(tmp_path / name, {"u": {"a": 1}}, "rr")


@pytest.mark.parametrize(
    "text",
    [
        "query|item|score\n---|b|.5\nu|b|.5\nu|a|.9\n",
        "query,item,score\nu,---,.5\nu,a,.9\n",
        "u Q0 +--+ 1 .5 t\nu Q0 a 2 .9 t\n",
    ],
)
def test_ids_of_dashes_are_ids(text, tmp_path):
    (tmp_path / "run").write_text(text, encoding="utf-8")
    assert rw.evaluate(tmp_path / "run", {"u": {"a": 1}}, "rr").mean["rr"] == 1.0


@pytest.mark.parametrize("stem", ["rank_{}", "rec{}", "top.{}", "item_{}"])
def test_a_column_per_rank_is_answered_by_how_to_make_a_row_per_item(stem):
    wide = pd.DataFrame({"user": ["u", "v"], stem.format(1): ["b", "c"], stem.format(2): ["a", "d"]})
    with pytest.raises(
        rw.errors.DataError, match=r"give each its own row: (frame\.melt.*) in pandas, with order='rows'"
    ) as error:
        rw.evaluate(wide, {"u": {"a": 1}, "v": {"c": 1}}, "rr")
    remedy = re.search(r"own row: (.*) in pandas", str(error.value))[1]
    long = eval(remedy, {"frame": wide})
    assert rw.evaluate(long, {"u": {"a": 1}, "v": {"c": 1}}, "rr", order="rows").mean["rr"] == 0.75


@every(
    ("grades", "wanted"),
    [
        ({"b": True, "a": False}, 0.5),
        ({"b": "1", "a": "0"}, 0.5),
        ({"b": "0.5", "a": 0}, 0.5),
        ({"b": "relevant", "a": "irrelevant"}, 0.5),
    ],
)
def test_grades_by_item_are_the_same_numbers_from_json_and_from_memory(grades, wanted, tmp_path):
    run = {"u": ["a", "b"]}
    assert mean(run, {"u": grades}) == wanted
    assert mean(run, write(tmp_path, "q.json", json.dumps({"u": grades}))) == wanted


def test_a_large_whole_number_in_quotes_is_refused_as_without(tmp_path):
    for grade in (2**53 + 1, str(2**53 + 1)):
        refused(
            "is too large to be kept",
            {"u": ["a"]},
            write(tmp_path, "q.json", json.dumps({"u": {"a": grade}})),
        )


def test_an_item_by_query_is_refused_with_the_form_to_write(tmp_path):
    by_query = {"u": "a", "v": "c"}
    advice = re.escape("{query: [item, …]}")
    refused(advice, RUN, by_query)
    refused(advice, RUN, write(tmp_path, "q.json", json.dumps(by_query)))
    refused(advice, RUN, write(tmp_path, "q.json", json.dumps(by_query, indent=1)))


def test_an_item_that_is_an_object_is_refused_as_such(tmp_path):
    records = [{"query": "u", "item": {"id": "a"}, "grade": 1}]
    for name, text in (("q.json", json.dumps(records)), ("q.jsonl", json.dumps(records[0]))):
        refused(
            r"item ids must be text or integers, not Struct|the item \{'id': 'a'\} is not an id",
            RUN,
            write(tmp_path, name, text),
        )


def lines(records):
    return "".join(json.dumps(record) + "\n" for record in records)


@every("engine", ["memory", "stream"])
@every("use", ["run", "qrels"])
def test_a_line_with_none_of_the_columns_is_not_passed_over(tmp_path, use, engine):
    word = {"run": "score", "qrels": "grade"}[use]
    usual = [{"query": f"u{n}", "item": "a", word: 1.0} for n in range(2000)]
    path = write(tmp_path, "f.jsonl", lines([*usual, {"qid": "v", "docid": "b", "s": 1.0}]))
    pair = (path, QRELS) if use == "run" else (RUN, path)
    refused(r"f.jsonl:2001: the query is missing", *pair, engine=engine)


def test_ids_of_nineteen_digits_are_matched_as_shorter_ones(tmp_path):
    ids = [1_152_921_504_606_846_977, 1_152_921_504_606_846_978, 2**63 - 1]
    run = pl.DataFrame({"query": [7] * 3, "item": ids, "score": [1.0, 3.0, 2.0]})
    qrels = write(tmp_path, "q.txt", f"7 0 {ids[2]} 1\n")
    assert mean(run, qrels) == 0.5
    refused(
        "not plain numbers .such as '9223372036854775808'", run, write(tmp_path, "q.txt", f"7 0 {2**63} 1\n")
    )


@every(
    ("text", "advice"),
    [
        ("{'u': {'a': 1}}", "quotation marks of Python: write the file by json.dump"),
        ('{"u": {"a": 1}} {"v": {"b": 1}}', "holds one object or list; join them"),
        ('{"u": {"a": 1}', "Is the file cut off"),
        ('{"run": {"u": {"a": 1}}}', "If 'run' holds it, give what stands below that key alone"),
    ],
)
def test_json_that_cannot_be_read_says_what_to_do(tmp_path, text, advice):
    refused(advice, write(tmp_path, "r.json", text), QRELS)


def test_a_number_in_quotes_among_others_is_named_as_text(tmp_path):
    rows = [{"query": "u", "item": "a", "score": 1.5}, {"query": "u", "item": "b", "score": "0.5"}]
    refused("'0.5' is not a number, but text", write(tmp_path, "r.jsonl", lines(rows)), QRELS)
    assert mean(write(tmp_path, "r.jsonl", lines(rows[::-1])), QRELS) == 1.0
