"""The table of tools evaluates settings with the same rules together, and each has the value that it has by itself."""

from __future__ import annotations

import polars as pl
import pytest

import rankwell as rw
from rankwell.evaluation import task
from rankwell.evaluation.preset import names, preset_of
from rankwell.metrics import metric_of

RUN = {
    "ann": {"a": 4.0, "b": 3.0, "c": 3.0, "d": 1.0, "e": 1.0},
    "bob": {"a": 2.0, "c": 2.0, "d": 2.0},
    "eve": {"x": 1.0},
}
QRELS = {"ann": {"a": 1, "c": 2, "f": 1}, "bob": {"d": 1, "a": 0}, "cas": {"a": 1}, "eve": {"x": 0}}
ASKED = ["ndcg@3", "ap@3", "p@2", "rr", "ndcg(gain=exp2)"]


def meant(name):
    """The metrics asked for that the preset has, each as the tool means it and with its rules."""
    preset = preset_of(name)
    for asked in map(metric_of, ASKED):
        if preset.has(asked):
            try:
                yield asked, metric_of(preset.metric(asked)), preset.policy_of(asked, rw.Policy())
            except rw.RankwellError:
                continue


def test_each_value_is_that_of_an_evaluation_by_itself():
    tables = {
        table.asked: {line.tool: line for line in table.lines} for table in rw.rosetta(RUN, QRELS, ASKED)
    }
    compared = 0
    for preset in map(preset_of, names()):
        for asked, metric, rules in meant(preset.name):
            if preset.name == "trec_eval_9":
                continue  # has the name of the other trec_eval
            alone = rw.evaluate(
                RUN, preset.judgements(rw.read_qrels(QRELS), rw.Policy(), rules), metric, policy=rules
            )
            line = tables[asked][preset.tool]
            assert (line.value, line.n, line.metric) == (alone[metric], alone.n[str(metric)], metric)
            compared += 1
    assert compared > 60


def test_a_metric_that_one_tool_cannot_compute_costs_the_others_nothing():
    *_, exponential = rw.rosetta(RUN, QRELS, ASKED)
    assert {"rankwell", "gdeval.pl", "trec_eval", "jurity"} <= {line.tool for line in exponential.lines}
    assert [note.split(":")[0] for note in exponential.notes] == ["RecTools"]


@pytest.mark.parametrize("asked", [["ndcg@3"], ASKED])
def test_lists_are_judged_once_for_each_set_of_rules(asked, monkeypatch):
    judged = []
    judge = task.judge
    monkeypatch.setattr(task, "judge", lambda lists, *rest: (judged.append(lists), judge(lists, *rest))[1])
    rw.rosetta(RUN, QRELS, asked)
    rules = {
        (rules, preset_of(name).is_binary)
        for name in names()
        for metric, _, rules in meant(name)
        if str(metric) in asked
    }
    assert len(judged) == len(rules) + 1  # and once for ours


def test_a_metric_that_the_data_do_not_allow_does_not_stop_those_with_the_same_rules():
    qrels = {"ann": {"a": 5, "c": 2}}
    cascade, gain = rw.rosetta({"ann": RUN["ann"]}, qrels, ["err@3", "ndcg@3"])
    # one reason stops both, and is said once
    [note] = cascade.notes
    assert note.split(":")[0] == "gdeval.pl, ir_measures"
    assert "grade" in note
    assert {"gdeval.pl", "ir_measures"} <= {line.tool for line in gain.lines}
    assert not gain.notes


ITEMS = [
    {"item": name, "genres": genre}
    for name, genre in zip("abcdefx", ["War", "War", "Drama", "Drama", "War", "War", "Drama"], strict=True)
]
TRAIN = {"ann": {"e": 1}, "bob": {"a": 1}, "eve": {"a": 1, "b": 1}}
BEYOND = [
    "coverage@2",
    "personalization@2",
    "arp@2",
    "gini@2",
    "serendipity@2",
    "surprise@2",
    "self_information@2",
]


def test_metrics_beyond_accuracy_have_the_value_of_each_tools_preset():
    tables = rw.rosetta(RUN, QRELS, BEYOND, train=TRAIN, items=ITEMS, policy=rw.Policy(grades="interactions"))
    compared = 0
    for table in tables:
        lines = {line.tool: line for line in table.lines}
        needs = {
            name: given
            for name, given in (("train", TRAIN), ("items", ITEMS))
            if table.asked.name != "personalization"
        }
        own = rw.evaluate(RUN, QRELS, table.asked, policy=rw.Policy(grades="interactions"), **needs)
        assert lines["rankwell"].value == own[table.asked]
        for name in (
            "rectools",
            "recbole",
            "microsoft",
            "recmetrics",
            "recpack",
            "rs_metrics",
            "lenskit",
            "jurity",
        ):
            preset = preset_of(name)
            if preset.has(table.asked) and preset.is_confirmed:
                alone = rw.evaluate(
                    RUN, QRELS, table.asked, preset=name, policy=rw.Policy(grades="interactions"), **needs
                )
                assert lines[preset.tool].value == pytest.approx(next(iter(alone.mean.values())), nan_ok=True)
                compared += 1
    assert compared > 10


def test_lists_alone_are_enough_where_the_metric_needs_no_judgements():
    [table] = rw.rosetta(RUN, None, "personalization@2")
    assert {"rankwell", "jurity", "recmetrics"} <= {line.tool for line in table.lines}
    with pytest.raises(rw.RankwellError, match="ndcg@10 needs judgements"):
        rw.rosetta(RUN, None, "ndcg@10")
    with pytest.raises(rw.RankwellError, match="coverage@2 needs the catalogue: give items="):
        rw.rosetta(RUN, QRELS, "coverage@2")


def test_without_a_metric_the_usual_ones_are_shown_of_what_was_given():
    run, qrels, train = (
        {"a": ["y"], "b": ["x"]},
        {"a": {"y": 1}, "b": {"z": 1}},
        {"a": ["z"], "b": ["x", "y"]},
    )

    def shown(*data, **tables):
        return [str(each.asked) for each in rw.rosetta(*data, **tables)]

    assert shown(run, qrels) == ["ap(denom=min_rk)@10", "ndcg@10", "rr@10", "p@10", "r@10"]
    assert shown(run, None, items=["x", "y", "z"]) == ["coverage@10"]
    assert shown(run, qrels, train=train)[5:] == ["arp@10", "msi@10"]
    with pytest.raises(rw.RankwellError, match="metrics= is empty"):
        rw.rosetta(run, None)


def test_each_row_of_the_table_has_its_own_number():
    [table] = rw.rosetta({"q": ["a", "b"]}, {"q": {"b": 1}}, "ap@10")
    assert [row[0] for row in table.to_table().rows] == [line.value for line in table.lines]


@pytest.mark.parametrize(
    "ask",
    [
        lambda run, qrels, metric, **more: rw.rosetta(run, qrels, metric, **more)[0].lines[0].value,
        lambda run, qrels, metric, **more: rw.explain(metric, run=run, qrels=qrels, **more).to_text(),
    ],
    ids=["rosetta", "explain"],
)
class TestWordsOfEvaluate:
    def test_rules_are_taken_by_themselves(self, ask):
        run, qrels = {"ann": RUN["ann"]}, {"ann": QRELS["ann"]}
        assert ask(run, qrels, "ap@2", rel=2) == ask(run, qrels, "ap@2", policy=rw.Policy(rel=2))
        assert ask(run, qrels, "ap@2", rel=2) != ask(run, qrels, "ap@2")
        with pytest.raises(rw.RankwellError, match="Did you mean rel"):
            ask(run, qrels, "ap@2", rell=2)

    def test_columns_that_an_error_prints_are_taken(self, ask):
        run, qrels = {"u": ["a", "b"]}, {"u": {"a": 1}}
        train = pl.DataFrame({"person": ["u", "v"], "film": ["c", "a"], "w": [1, 1]})
        with pytest.raises(
            rw.RankwellError, match=r"columns=\{'train.person': 'query', 'train.film': 'item'\}"
        ):
            ask(run, qrels, "arp@2", train=train)
        named = {"train.person": "query", "train.film": "item"}
        expected = ask(run, qrels, "arp@2", train=train.rename({"person": "user", "film": "item"}))
        assert ask(run, qrels, "arp@2", train=train, columns=named) == expected
        assert ask(run, qrels, "arp@2", train=train, read={"columns": named}) == expected


def test_with_groups_each_tool_has_the_number_that_it_has_of_the_documents():
    """The documents, folded by hand, are given to each tool in place of the passages."""
    run = {"q": ["d1#1", "d1#2", "d2#1", "d3#4", "d2#7"], "r": ["d1#1"]}
    documents = {"q": ["d1", "d2", "d3"], "r": ["d1"]}
    qrels = {"q": {"d1": 1, "d2": 0, "d3": 2, "d9": 1}, "r": {"d2": 1}}
    for metric in ("ndcg@3", "ap@5", "p@2"):
        [passages], [folded] = rw.rosetta(run, qrels, metric, group="#"), rw.rosetta(documents, qrels, metric)
        values = {line.tool: line.value for line in folded.lines}
        assert len(passages.lines) > 10
        for line in passages.lines:
            assert line.value == values[line.tool], line.tool
    # the row of grade 0 says that passages are judged; tools that are not given it read the same
    [of_items] = rw.rosetta({"q": run["q"]}, {"q": {"d1#2": 0, "d2#3": 1}}, "rr", group="#")
    assert {line.value for line in of_items.lines} == {0.5}


@pytest.mark.parametrize("preset", ["mlflow", "llamaindex", "elasticsearch", "rectools"])
def test_a_preset_takes_groups_and_keeps_the_rules_of_its_tool(preset):
    run, qrels = {"q": ["d1#1", "d1#2", "d3#4"]}, {"q": {"d1": 1, "d3": 1, "d9": 1}}
    folded = rw.evaluate({"q": ["d1", "d3"]}, qrels, ["ndcg@3"], preset=preset)
    assert rw.evaluate(run, qrels, ["ndcg@3"], preset=preset, group="#").mean == folded.mean


@pytest.mark.parametrize(
    ("rule", "said"),
    [({"depth": 2}, "lists are read to their end"), ({"unjudged": "condense"}, "unjudged items are not relevant")],
)  # fmt: skip
def test_a_rule_of_the_first_line_alone_is_named_as_what_differs(rule, said):
    [table] = rw.rosetta({"q": ["a", "b", "c"]}, {"q": {"c": 1}}, "rr", **rule)
    ours, *others = sorted(table.lines, key=lambda line: line.tool != "rankwell")
    assert {line.value for line in others} == {1 / 3}
    assert ours.value != 1 / 3
    assert all(said in line.differs for line in others)
