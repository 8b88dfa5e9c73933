"""The definition card: of every metric, of the user's own, as text, Markdown and data."""

from __future__ import annotations

import json
import pickle
import re

import numpy as np
import pytest
from tests.every import every

import rankwell as rw
from rankwell.cli import run as command
from rankwell.errors import UsageError
from rankwell.evaluation.preset import preset_of
from rankwell.inspection.explanation import SECTIONS, catalogue, explain
from rankwell.metrics import classes, metric_of
from rankwell.metrics.grammar import FOREIGN
from rankwell.metrics.metric import REGISTRY, QueryMetric, definition

BUILT_IN = [cls for cls in classes() if cls.__module__.startswith("rankwell.")]


@pytest.fixture
def registry():
    """Metrics that a test defines are gone after it."""
    before = dict(REGISTRY)
    yield
    REGISTRY.clear()
    REGISTRY.update(before)


@every("cls", BUILT_IN)
def test_every_built_in_has_a_whole_card(cls):
    card = explain(cls)
    assert set(card.sections) == set(SECTIONS)
    assert all(card.sections.values())
    assert card.sentence.endswith(".")
    assert "\n" not in card.sentence


@every("cls", BUILT_IN)
def test_every_parameter_is_explained(cls):
    explained = explain(cls).sections["Parameters"].splitlines()
    named = {line.split(":")[0] for line in explained if not line.startswith(" ")} - {"none"}
    assert named == set(cls().resolved())
    assert explained == ["none"] or all(": " in line for line in explained if not line.startswith(" "))


@every("cls", BUILT_IN)
def test_a_card_says_its_parts_in_one_order_everywhere(cls):
    card = explain(cls)
    text, markdown, places = str(card), card._repr_markdown_(), []
    for name in card.to_dict():
        assert f"**{name}**" in markdown
        places.append(text.index(f"\n{name:<12}" if places else f"{name:<12}"))
    assert places == sorted(places)
    assert "``" not in text
    assert markdown.count("```") % 2 == 0
    assert "``" not in markdown.replace("```", "")


def test_a_card_is_of_this_very_metric():
    assert explain("NDCG(gain=exp2)@7").to_dict() | {"sentence": ""} == {
        **explain(rw.nDCG(gain="exp2") @ 7).to_dict(),
        "sentence": "",
    }
    data = explain("map@10").to_dict()
    assert data["metric"] == "ap(denom=min_rk)@10"
    assert data["signature"] == "ap(denom=min_rk)@10"
    assert data["names"] == ["ap", "map"]
    assert data["cut-off"] == "@k optional (without it the whole list)"
    assert data["range"] == "0 to 1, higher is better"


def test_a_cut_off_may_be_left_out_where_it_is_required():
    assert explain("p").to_dict()["cut-off"] == "@k required"
    assert explain(rw.P).metric == rw.P()


def test_what_a_metric_reads_is_said():
    assert explain("coverage@10").to_dict()["reads"].startswith("lists, catalogue")
    assert explain("rr").to_dict()["reads"] == "judgements"


def test_a_metric_of_ones_own_with_a_sentence_is_explained(registry):
    @rw.metric(name="depth_of_first", range=(1, float("inf")), better="lower")
    def depth_of_first(judged, context):
        """The rank of the first relevant item,
        counted from 1.
        """
        return np.ones(len(judged))

    card = explain("depth_of_first")
    assert card.sentence == "The rank of the first relevant item, counted from 1."
    assert card.sections == {}
    assert card.to_dict()["range"] == "1 to ∞, lower is better"
    assert str(explain(depth_of_first)) == str(card)
    assert ("depth_of_first", "1–∞ ↓", "judgements", card.sentence) in catalogue().rows


def test_a_metric_without_a_docstring_is_explained_as_far_as_it_is_known(registry):
    @rw.metric(name="bare")
    def bare(judged, context):
        return np.ones(len(judged))

    @definition
    class Bare2(QueryMetric):
        name = "bare2"
        weight: float = 2.0

        def per_query(self, judged, context):
            return np.full(len(judged), self.weight)

    for name in ("bare", "bare2(weight=3)"):
        card = explain(name)
        assert card.sentence == "(no description)"
        assert str(card).startswith(f"metric      {name}")
        assert card._repr_markdown_().startswith(f"**metric** `{name}`")
    assert explain("bare2").to_dict()["signature"] == "bare2(weight=2)"


def test_an_unknown_metric_is_refused_with_the_nearest_name():
    with pytest.raises(UsageError, match="Did you mean ndcg"):
        explain("ndgc@10")


def test_a_card_can_be_compared_and_pickled():
    card = explain("ap@5")
    assert card == explain("ap@5") != explain("ap@6")
    assert pickle.loads(pickle.dumps(card)) == card


def test_the_list_of_metrics_has_each_one_once():
    names = [str(row[0]).partition("@")[0].rstrip("[") for row in catalogue().rows]
    assert names == sorted({cls.name for cls in classes()})


# three meanings of context precision, two of context recall; what takes a model's verdicts is named, and is not here
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("context_precision", ["DeepEval, ragas: the mean precision at the ranks", "ap(denom=hits)", "RAGChecker", "set_p", "autoevals"]),
        ("Contextual-Recall@5", ["context_recall is no metric here", "r@k", "set_r", "nugget"]),
        ("faithfulness", ["DeepEval, ragas, RAGChecker, autoevals", "no model is asked", "nugget"]),
        ("novelty@10", ["novelty is no metric here", "recmetrics, rexmex", "msi@k", "self_information@k"]),
        ("groundedness", ["faithfulness is no metric here", "TruLens"]),
    ],
)  # fmt: skip
def test_a_name_of_other_tools_for_several_numbers_is_explained_by_tool(name, words, capsys):
    card = explain(name)
    assert card.metric is None
    for word in words:
        assert word in str(card)
        assert word in card.to_markdown()
    assert command(["explain", name, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == card.to_dict()
    with pytest.raises(UsageError, match=r"`rankwell explain (context_|faithfulness|novelty)"):
        rw.evaluate({"q": ["a"]}, {"q": {"a": 1}}, name)


def test_every_metric_and_preset_that_such_a_card_names_exists():
    named = " ".join(here for rows in FOREIGN.values() for *_, here in rows)
    assert {preset_of(name).name for name in re.findall(r"preset=(\w+)", named)} == {"deepeval", "ragas"}
    metrics = re.findall(r"\b(?:ap|msi|p|r|self_information|set_p|set_r|nugget)\b(?:\([^)]*\))?", named)
    assert {metric_of(each, complete=False).name for each in metrics} == {
        "ap",
        "msi",
        "p",
        "r",
        "self_information",
        "set_p",
        "set_r",
        "nugget",
    }
