"""The other tools by name: used by beyond_movietweetings.py."""

from __future__ import annotations

from beyond_bias import fairranktune, news_recommender_metrics, obp, rankkit
from beyond_frameworks import cornac, lenskit, microsoft, recbole, recpack, replay
from beyond_libraries import evidently, jurity, recmetrics, rectools, rexmex, rs_metrics
from beyond_modules import clayrs, warprec

TOOLS = {
    "rectools": rectools, "recmetrics": recmetrics, "replay": replay, "microsoft": microsoft, "jurity": jurity,
    "rexmex": rexmex, "rs_metrics": rs_metrics, "recpack": recpack, "cornac": cornac, "recbole": recbole,
    "warprec": warprec, "lenskit": lenskit, "clayrs": clayrs, "evidently": evidently,
    "fairranktune": fairranktune, "rankkit": rankkit, "obp": obp, "news_recommender_metrics": news_recommender_metrics,
}  # fmt: skip
PACKAGES = {"microsoft": "recommenders", "replay": "replay-rec", "rs_metrics": "rs-metrics"}
PACKAGES |= {"news_recommender_metrics": "news-recommender-metrics"}
