"""What an error says when a metric is written as another tool writes it."""

from __future__ import annotations

import re

import pytest

import rankwell as rw
from rankwell.compat.trec_eval.measures import BY_GROUP, MEASURES, PREFERENCES, Settings, lines_of
from rankwell.metrics import metric_of

# no metric of rankwell's: text, the number of topics, and measures that depend on a group of judgements
WITHOUT = {"runid", "num_q", "relstring", "rbp_resid", *BY_GROUP, *PREFERENCES}
MEANT = {name: None for name in MEASURES if name not in WITHOUT}
# Rprec_mult_1.00 is rprec itself, where nothing is rounded
PRINTED = [line for line in lines_of(MEANT, Settings()) if line.name != "Rprec_mult_1.00"]
PARAMETERS = [
    (name, line) for name in MEANT for line in PRINTED if re.fullmatch(f"{name}_[0-9.]+", line.name)
]


def hints(text):
    with pytest.raises(rw.RankwellError) as error:
        metric_of(text)
    found = re.search(r"Did you mean (.*)\?", str(error.value))
    return re.split(" or | and ", found[1]) if found else []


@pytest.mark.parametrize("line", PRINTED, ids=lambda line: line.name)
def test_each_measure_that_trec_eval_prints_is_read_or_leads_to_its_metric(line):
    try:
        metric_of(line.name)
    except rw.RankwellError:
        assert line.metric in map(metric_of, hints(line.name))


@pytest.mark.parametrize(("name", "line"), PARAMETERS, ids=[line.name for _, line in PARAMETERS])
def test_so_does_each_parameter_behind_a_dot(name, line):
    assert line.metric in map(metric_of, hints(f"{name}.{line.name.removeprefix(f'{name}_')}"))


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("NDCG@k", ["ndcg@10"]), ("Recall@k", ["recall@10"]), ("MRR@K", ["mrr@10"]), ("ndcg_at_k", ["ndcg@10"]),
        ("ndcg_at_20", ["ndcg@20"]), ("nDCG10", ["ndcg@10"]), ("hit_rate_5", ["hit_rate@5"]), ("precision-at-5", []),
        ("P_5,10", ["p@5", "p@10"]), ("ndcg@5,10", ["ndcg@5", "ndcg@10"]), ("ndcg[10]", ["ndcg@10"]), ("F1@10", ["f@10"]),
        ("f1_score", ["set_f"]), ("map_at_5", ["ap(denom=R)@5", "ap(denom=min_rk)@5"]), ("alpha-nDCG@10", ["alpha_ndcg@10"]),
        ("foo_10", []), ("foo@k", []), ("ndcg_cut_0", []), ("idcg_rel_5", []), ("recall_", []), ("", []), ("_10", []),
        ("ndgc@10", ["ndcg"]),
    ],
)  # fmt: skip
def test_a_hint_is_a_metric_that_can_be_asked_for(text, meant):
    assert [each for each in hints(text) if "@" in each or each in meant] == meant


def test_precision_and_recall_of_citations_lead_to_their_metrics():
    assert hints("citation_precision") == ["citation_p"]
    assert hints("citation_recall") == ["citation_r"]


def test_a_long_text_is_refused_at_once():
    for text in ("a_1" * 100_000, "1" * 100_000, "a" * 100_000 + "_cut", "ndcg@" + "1,2" * 50_000 + "x"):
        with pytest.raises(rw.RankwellError):
            metric_of(text)


# as rw.NAME, and the name here; without one no metric is the same
TYPED = {
    # scikit-learn
    "ndcg_score": "nDCG", "dcg_score": "DCG", "average_precision_score": "AP", "roc_auc_score": "AUC", "precision_score": "P",
    "recall_score": "R", "f1_score": "F", "top_k_accuracy_score": "Hit", "accuracy_score": "Accuracy", "mean_squared_error": "MSE",
    "mean_absolute_error": "MAE", "root_mean_squared_error": "RMSE", "matthews_corrcoef": "MCC", "r2_score": "R2",
    "coverage_error": None, "label_ranking_loss": None, "label_ranking_average_precision_score": None,
    "jaccard_score": None, "hamming_loss": None, "brier_score_loss": None, "precision_recall_curve": None, "train_test_split": None,
    # torchmetrics
    "RetrievalMAP": "AP", "RetrievalMRR": "RR", "RetrievalNormalizedDCG": "nDCG", "RetrievalPrecision": "P", "RetrievalRecall": "R",
    "RetrievalHitRate": "Hit", "RetrievalFallOut": "Fallout", "RetrievalRPrecision": "RPrec", "RetrievalAUROC": "AUC",
    "RetrievalPrecisionRecallCurve": None, "RetrievalRecallAtFixedPrecision": None, "retrieval_normalized_dcg": "nDCG",
    "retrieval_average_precision": "AP", "retrieval_reciprocal_rank": "RR", "retrieval_fall_out": "Fallout",
    # ranx, whose hits are a count, and pytrec_eval
    "hits": None, "hit_rate": "Hit", "mrr": "RR", "map": "AP", "f1": "F", "ndcg_burges": None, "optimize_fusion": None,
    "parse_run": "read_run", "parse_qrel": "read_qrels", "RelevanceEvaluator": None, "supported_measures": None,
    # ir_measures
    "Rprec": "RPrec", "infAP": "InfAP", "alpha_nDCG": "AlphanDCG", "ERR_IA": "ERRIA", "Judged": "JudgedShare", "Success": "Hit",
    "STREC": "SRecall", "SDCG": None, "BPM": None, "NumQ": None, "read_trec_run": "read_run", "calc_aggregate": None,
    # RecTools
    "HitRate": "Hit", "F1Beta": "F", "IntraListDiversity": "ILD", "MeanInvUserFreq": "MSI", "AvgRecPopularity": "ARP",
    "CatalogCoverage": "Coverage", "CoveredUsers": "UserCoverage", "NumRetrieved": "NumRet", "PartialAUC": "PAUC", "PAP": "PAp",
    "DebiasedMAP": None, "SufficientReco": None, "calc_metrics": None,
    # recmetrics
    "mapk": "AP", "mark": None, "recommender_precision": "P", "recommender_recall": "R", "prediction_coverage": "PredictionCoverage",
    "intra_list_similarity": "ILS", "rank_at_k": None, "long_tail_plot": None, "novelty": None, "diversity": None,
    # what people write themselves, and mistyped names
    "ndcg_at_k": "nDCG", "recall_at_10": "R", "mean_average_precision": "AP", "mean_reciprocal_rank": "RR", "gini_index": "Gini",
    "rank_biased_precision": "RBP", "kendalltau": None, "nDGC": "nDCG", "evalute": "evaluate", "Precison": "P",
}  # fmt: skip


@pytest.mark.parametrize(("name", "meant"), TYPED.items())
def test_a_name_of_another_library_leads_to_what_it_means_or_to_nothing(name, meant):
    for module in (rw, rw.metrics) if meant and hasattr(rw.metrics, meant) else (rw,):
        with pytest.raises(AttributeError) as error:
            getattr(module, name)
        assert re.findall(r"Did you mean (\w+)\?", str(error.value)) == ([meant] if meant else [])
        assert meant is None or getattr(module, meant)


@pytest.mark.parametrize("text", ["coverage_error", "load_run", "parse_qrel", "diversity", "hits@10"])
def test_no_other_metric_is_suggested_for_what_is_none(text):
    assert hints(text) == []


def test_a_score_of_scikit_learn_leads_to_its_metric_as_text():
    assert hints("ndcg_score") == ["ndcg"]
