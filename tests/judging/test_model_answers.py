"""What models answered, in the forms of batches: judgements with who made them, and everything else counted."""

from __future__ import annotations

import json

import pytest

import rankwell as rw
from rankwell.cli import run as command

PAIRS = {"1": list("abcdefghij")}
ITEMS = [{"item": item, "text": f"text of {item}"} for item in PAIRS["1"]]


def asked(tmp_path, **options):
    found = rw.judging.prompts(PAIRS, model="m-1", items=ITEMS, scale="0-3", **options)
    return found, found.save(tmp_path / "batch.jsonl")


def read(tmp_path, lines, key, **options):
    file = tmp_path / "out.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in lines) + "\n\n", encoding="utf-8")
    return rw.judging.answers(key, file, **options)


def openai(name, *texts, **other):
    choices = [{"message": {"content": text}, "finish_reason": "stop"} | other for text in texts]
    return {"custom_id": name, "response": {"status_code": 200, "body": {"choices": choices}}}


def anthropic(name, text, stop="end_turn"):
    message = {"content": [{"type": "text", "text": text}], "stop_reason": stop}
    return {"custom_id": name, "result": {"type": "succeeded", "message": message}}


def test_every_form_and_every_reason(tmp_path):
    found, key = asked(tmp_path)
    name = [each["custom_id"] for each in found.requests()]
    lines = [
        openai(name[0], "GRADE: 3"),
        anthropic(name[1], "GRADE: 0"),
        {"custom_id": name[2], "answer": 2},
        openai(name[3], "GRADE: 9"),
        openai(name[4], "", finish_reason="content_filter"),
        {"custom_id": name[5], "response": {"status_code": 429, "body": {"error": {"message": "too many"}}}},
        {"custom_id": name[6], "result": {"type": "expired"}},
        openai(name[7], "GRADE: 1", "GRADE: 2", "GRADE: 1"),  # votes
        openai(name[8], "GRADE: 1", "GRADE: 2"),
    ]
    told = read(tmp_path, reversed(lines), key, date="2026-11-25")
    assert [(item, grade) for _, item, grade, _ in told.rows] == [("a", 3), ("b", 0), ("c", 2), ("h", 1)]
    graded = [("1", "a", 3, False), ("1", "b", 0, False), ("1", "c", 2, False), ("1", "h", 1, False)]
    assert told.to_frame().rows() == graded
    assert told.to_frame().columns == ["query", "item", "grade", "is_repeat"]
    assert told.counts == {"outside": 1, "refused": 1, "failed": 2, "tied": 1, "missing": 1}
    assert told.failures == {"too many": 1, "expired": 1}
    assert len(told) + sum(told.counts.values()) == told.requests == 10
    qrels = told.qrels()
    assert (qrels.assessor.kind, qrels.assessor.name, qrels.assessor.prompt) == ("model", "m-1", found.prompt)
    assert "10 requests were refused" in " ".join(told.notes())
    assert told.to_dict()["without_grade"] == dict(told.counts)


CUT = {  # how each says that an answer ended because it was too long
    "OpenAI": lambda name: openai(name, "GRADE: 3", finish_reason="length"),
    "Anthropic": lambda name: anthropic(name, "GRADE: 3", stop="max_tokens"),
    "Anthropic, of the context": lambda name: anthropic(
        name, "GRADE: 3", stop="model_context_window_exceeded"
    ),
    "Gemini": lambda name: {"custom_id": name, "text": "GRADE: 3", "finish_reason": "MAX_TOKENS"},
    "Mistral": lambda name: openai(name, "GRADE: 3", finish_reason="model_length"),
    "plain": lambda name: {"custom_id": name, "answer": "GRADE: 3", "status": "incomplete"},
}


@pytest.mark.parametrize("form", CUT)
def test_an_answer_that_was_cut_off_gives_no_grade_and_is_counted(form, tmp_path):
    found, key = asked(tmp_path)
    told = read(tmp_path, [CUT[form](f"{found.key}-0")], key)
    assert (len(told), told.counts) == (0, {"cut": 1, "missing": 9})
    assert told.notes()[0] == "1 of 10 requests were cut off by their length"


def test_of_several_answers_those_that_were_cut_off_have_no_vote(tmp_path):
    found, key = asked(tmp_path)
    line = openai(f"{found.key}-0", "GRADE: 1", "GRADE: 3", "GRADE: 3")
    for choice in line["response"]["body"]["choices"][1:]:
        choice["finish_reason"] = "length"
    assert [grade for _, _, grade, _ in read(tmp_path, [line], key).rows] == [1]


OTHERS = "GRADE: 3"  # said by somebody else than the judge, or by none who was let to end


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (openai("", "", message={"role": "user", "content": OTHERS}), "none"),
        (openai("", "", message={"role": "tool", "content": OTHERS}), "none"),
        (openai("", [{"type": "thinking", "text": OTHERS}]), "none"),
        (openai("", [{"type": "tool_result", "text": OTHERS}]), "none"),
        (openai("", OTHERS, finish_reason="SAFETY"), "refused"),
        (openai("", OTHERS, native_finish_reason="MAX_TOKENS"), "cut"),
        (openai("", OTHERS) | {"error": {"message": "broken"}}, "failed"),
        ({"answer": OTHERS, "finish_reason": "content_filter"}, "refused"),
        ({"answer": OTHERS, "stop_reason": "refusal"}, "refused"),
        ({"answer": OTHERS, "finishReason": "MAX_TOKENS"}, "cut"),
        ({"answer": OTHERS, "done_reason": "length"}, "cut"),
    ],
)
def test_what_is_not_the_answer_of_the_judge_gives_no_grade(line, why, tmp_path):
    found, key = asked(tmp_path)
    told = read(tmp_path, [line | {"custom_id": found.requests()[0]["custom_id"]}], key)
    assert (told.rows, told.counts) == ((), {why: 1, "missing": 9})


def test_the_texts_beside_thoughts_are_read(tmp_path):
    found, key = asked(tmp_path)
    parts = [
        {"type": "thinking", "text": OTHERS},
        {"type": "text", "text": "It does.\n"},
        {"type": "output_text", "text": "GRADE: 2"},
    ]
    told = read(tmp_path, [openai(found.requests()[0]["custom_id"], parts)], key)
    assert [row[2] for row in told.rows] == [2]


@pytest.mark.parametrize("answer", [[2], {"grade": 2}, True, [[2]], {"grade": {"grade": 2}}])
def test_an_answer_that_is_neither_text_nor_a_number_gives_no_grade(answer, tmp_path):
    found, key = asked(tmp_path)
    told = read(tmp_path, [{"custom_id": f"{found.key}-0", "answer": answer}], key)
    assert told.counts == {"none": 1, "missing": 9}


def test_files_are_read_by_evaluate_agreement_and_merge(tmp_path, capsys):
    found, key = asked(tmp_path, repeats=0.2)
    grades = ["3", "0", "1", "2", "0", "0", "1", "3", "2", "0"]
    lines = [
        {"custom_id": each["custom_id"], "text": f"GRADE: {3 if task.is_repeat else grades[task.pair]}"}
        for each, task in zip(found.requests(), found.tasks, strict=True)
    ]
    told = read(tmp_path, lines, key, date="2026-11-25")
    again = [grades[task.pair] == "3" for task in found.tasks if task.is_repeat]
    assert told.self_agreement == sum(again) / len(again)
    told.save(tmp_path / "model.csv")
    told.save(tmp_path / "model.txt")
    one, other = (rw.read_qrels(tmp_path / f"model.{suffix}") for suffix in ("csv", "txt"))
    assert one.assessor == told.assessor
    lists = {"1": PAIRS["1"]}
    assert rw.evaluate(lists, one, ["ndcg"]).mean == rw.evaluate(lists, other, ["ndcg"]).mean
    assert rw.judging.merge(tmp_path / "model.csv").to_frame()["grade"].to_list() == [
        int(grade) for grade in grades
    ]
    people = {"1": {item: int(grade) for item, grade in zip(PAIRS["1"], grades, strict=True)}}
    found = rw.agreement(people, tmp_path / "model.csv").judgements[0]
    assert (found.n, sum(row[at] for at, row in enumerate(found.confusion))) == (10, 10)
    words = [str(key), str(tmp_path / "out.jsonl"), "-o", str(tmp_path / "cli.csv"), "--date", "2026-11-25"]
    assert command(["judging", "answers", *words]) == 0
    assert (tmp_path / "cli.csv").read_text() == (tmp_path / "model.csv").read_text()
    said = capsys.readouterr().err
    assert f"wrote 10 judgements of 12 requests to {tmp_path / 'cli.csv'}; 2 more are of repeats." in said
    assert len(told) + told.repeats + sum(told.counts.values()) == told.requests == 12
    assert told.to_dict()["repeats"] == 2
    assert repr(told).endswith("10 judgements of 12 requests, and 2 of repeats")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"custom_id": "x-1", "answer": "1"}', "out.jsonl:1: custom_id 'x-1' is none of this batch"),
        ('{"answer": "1"}', "custom_id None is none"),
        ('{"custom_id": "KEY-10", "answer": "1"}', "is none of this batch"),
        ('{"custom_id": "KEY-0"}', "no answer is there"),
        ("[1]", "is no answer"),
        ("{", "this is no answer, which is JSON"),
    ],
)
def test_files_that_hold_something_else(line, said, tmp_path):
    found, key = asked(tmp_path)
    (tmp_path / "out.jsonl").write_text(line.replace("KEY", found.key), encoding="utf-8")
    with pytest.raises(rw.RankwellError) as error:
        rw.judging.answers(key, tmp_path / "out.jsonl")
    assert said in str(error.value)


def test_other_files_than_keys(tmp_path):
    found, key = asked(tmp_path)
    for wrong, said in (
        (tmp_path / "batch.jsonl", "is no key to requests, which is JSON"),
        (tmp_path / "no.json", "cannot be read"),
    ):
        with pytest.raises(rw.RankwellError, match=said):
            rw.judging.answers(wrong, tmp_path / "out.jsonl")
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(rw.RankwellError, match="is no key to requests"):
        rw.judging.answers(tmp_path / "other.json", tmp_path / "out.jsonl")
    with pytest.raises(rw.RankwellError, match="given twice"):
        rw.judging.answers(key, key, key)
    told = read(tmp_path, [{"custom_id": f"{found.key}-0", "answer": "2"}], key)
    assert told.notes() == ["9 of 10 requests were not answered"]
    with pytest.raises(rw.RankwellError, match=r"written as \.csv"):
        told.save(tmp_path / "model.json")


@pytest.mark.parametrize("content", ["", "\n \n", "\ufeff"])
def test_a_file_without_an_answer_is_an_error_and_writes_nothing(content, tmp_path, capsys):
    found, key = asked(tmp_path)
    good, empty, output = tmp_path / "good.jsonl", tmp_path / "empty.jsonl", tmp_path / "model.csv"
    good.write_text(json.dumps({"custom_id": f"{found.key}-0", "answer": "2"}), encoding="utf-8")
    empty.write_text(content, encoding="utf-8")
    output.write_text("kept", encoding="utf-8")
    for files in ([empty], [good, empty]):
        assert command(["judging", "answers", str(key), *map(str, files), "-o", str(output)]) == 3
        said = capsys.readouterr().err
        assert f"{empty}: the file is empty; give what the batch returned" in said
        assert said.count("\n") == 1
    assert output.read_text(encoding="utf-8") == "kept"


@pytest.mark.parametrize("suffix", [".csv", ".txt"])
def test_answers_of_which_none_gives_a_grade_overwrite_nothing(suffix, tmp_path):
    found, key = asked(tmp_path)
    told = read(tmp_path, [{"custom_id": f"{found.key}-0", "error": "no credit"}], key)
    output = tmp_path / f"model{suffix}"
    output.write_text("kept", encoding="utf-8")
    with pytest.raises(
        rw.RankwellError, match=r"no answer gave a judgement.*1 of 10 requests failed.*no credit"
    ):
        told.save(output)
    assert output.read_text(encoding="utf-8") == "kept"


@pytest.mark.parametrize(
    "date", ["yesterday", "2026-13-45", "2026-W01-1", "20261125", "2026-11", " 2026-11-25"]
)
def test_a_date_that_is_none_is_an_error(date, tmp_path, capsys):
    found, key = asked(tmp_path)
    with pytest.raises(rw.RankwellError, match="must be a date such as 2026-11-25"):
        read(tmp_path, [{"custom_id": f"{found.key}-0", "answer": "2"}], key, date=date)
    words = [str(key), str(tmp_path / "out.jsonl"), "-o", str(tmp_path / "model.csv"), "--date", date]
    assert command(["judging", "answers", *words]) == 2
    said = capsys.readouterr().err
    assert said.startswith("rankwell: --date ")
    assert said.endswith("must be a date such as 2026-11-25.\n")
    assert not (tmp_path / "model.csv").exists()


NUGGETS = {"q": {name: grade for grade, names in ((2, "abcd"), (1, "efg")) for name in names}, "r": {"a": 2}}


def of_nuggets(tmp_path, **options):
    found = rw.judging.prompts(
        NUGGETS, model="m-1", items={"q": "What the answer says."}, form="nuggets", **options
    )
    return found, found.save(tmp_path / "batch.jsonl")


def test_labels_of_nuggets_become_a_run_and_what_has_none_is_not_assigned(tmp_path):
    found, key = of_nuggets(tmp_path)
    says = [
        "GRADE: 2",
        "It says half.\nGRADE: partial_support",
        "GRADE: 0 (not_support)",
        "**GRADE: support**",
        "I cannot judge this.",
        "GRADE: 3",
    ]
    lines = [openai(each["custom_id"], said) for each, said in zip(found.requests(), says, strict=False)]
    told = read(tmp_path, lines, key, date="2026-11-25")
    assert told.counts == {"refused": 1, "outside": 1, "missing": 1}
    table = told.run().rows.table()
    assert dict(zip(table.item.tolist(), table.key.tolist(), strict=True)) == {
        "a": 1.0,
        "b": 0.5,
        "c": 0.0,
        "d": 1.0,
    }
    told.save(tmp_path / "run.csv")
    for run in (told.run(), tmp_path / "run.csv"):
        res = rw.evaluate(run, NUGGETS, ["nugget", "nugget(of=vital,partial=0)"], missing="skip")
        assert res.mean == {"nugget": 2.5 / 7, "nugget(of=vital,partial=0)": 0.5}
        assert res.counts["nuggets that were not assigned"] == 3
    assert str(told).startswith("Answers of model m-1")
    assert "4 assignments of 7 requests" in str(told)


def test_assignments_are_no_judgements_and_judgements_no_assignments(tmp_path):
    found, key = of_nuggets(tmp_path)
    told = read(tmp_path, [openai(found.requests()[0]["custom_id"], "GRADE: 2")], key)
    with pytest.raises(
        rw.RankwellError, match=r"asked about nuggets, which gives no judgements of items; take run\(\)"
    ):
        told.qrels()
    with pytest.raises(
        rw.RankwellError, match=r"assignments are a run with columns, which is written as \.csv"
    ):
        told.save(tmp_path / "run.qrels")
    (tmp_path / "items").mkdir()
    other, key = asked(tmp_path / "items")
    told = read(tmp_path, [openai(other.requests()[0]["custom_id"], "GRADE: 2")], key)
    with pytest.raises(rw.RankwellError, match=r"asked about items, which gives no run; take qrels\(\)"):
        told.run()


def test_repeats_of_nuggets_are_no_rows_of_the_run(tmp_path):
    found, key = of_nuggets(tmp_path, repeats=1.0)
    told = read(tmp_path, [openai(each["custom_id"], "GRADE: 1") for each in found.requests()], key)
    assert (len(told), told.repeats, told.self_agreement, len(told.run())) == (7, 7, 1.0, 7)


def test_a_key_whose_labels_were_changed_is_refused(tmp_path):
    _, key = of_nuggets(tmp_path)
    key.write_text(key.read_text(encoding="utf-8").replace("partial_support", "half"), encoding="utf-8")
    with pytest.raises(rw.RankwellError, match="these are not the labels of nuggets"):
        read(tmp_path, [openai("x-0", "GRADE: 1")], key)


def test_the_commands_write_requests_about_nuggets_and_read_a_run_back(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    records = [
        {
            "query": "how deep",
            "qid": "q",
            "nuggets": [
                {"text": "nine metres", "importance": "vital"},
                {"text": "on the chart", "importance": "okay"},
            ],
        }
    ]
    (tmp_path / "nuggets.jsonl").write_text(json.dumps(records[0]), encoding="utf-8")
    answer = {
        "topic_id": "q",
        "run_id": "mine",
        "references": [],
        "answer": [{"text": "Nine metres.", "citations": []}],
    }
    (tmp_path / "rag.jsonl").write_text(json.dumps(answer), encoding="utf-8")
    words = [
        "judging",
        "prompts",
        "nuggets.jsonl",
        "--form",
        "nuggets",
        "--model",
        "m",
        "--items",
        "rag.jsonl",
        "-o",
        "batch.jsonl",
    ]
    assert command(words) == 0
    assert "wrote 2 requests to batch.jsonl" in capsys.readouterr().err
    requests = [
        json.loads(line) for line in (tmp_path / "batch.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    lines = [
        {"custom_id": each["custom_id"], "answer": said}
        for each, said in zip(requests, ("GRADE: 2", "GRADE: not_support"), strict=True)
    ]
    (tmp_path / "out.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert command(["judging", "answers", "batch.key.json", "out.jsonl", "-o", "run.csv"]) == 0
    assert "wrote 2 assignments of 2 requests to run.csv" in capsys.readouterr().err
    assert (
        command(
            [
                "evaluate",
                "nuggets.jsonl",
                "run.csv",
                "-m",
                "nugget",
                "-m",
                "nugget(of=vital)",
                "--format",
                "json",
            ]
        )
        == 0
    )
    assert json.loads(capsys.readouterr().out)["runs"][0]["mean"] == {"nugget": 0.5, "nugget(of=vital)": 1.0}
