"""trec_eval's measures by name, in print order, and its names for groups of measures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rankwell.compat.trec_eval.makers import (
    MULTIPLES,
    RECALLS,
    Maker,
    Printed,
    Settings,
    at,
    by_group,
    cut,
    eleven,
    gains,
    nothing,
    plain,
    preference,
    rbp,
    relstring,
    residual,
    set_f,
    utility,
)
from rankwell.errors import UsageError, nearest

PREFERENCES: Mapping[str, Maker] = {
    "prefs_num_prefs_poss": preference("prefs_num_poss", "count"),
    "prefs_num_prefs_ful": preference("prefs_num_ful", "count"),
    "prefs_num_prefs_ful_ret": preference("prefs_num_ful(pairs=both)", "count"),
    "prefs_simp": preference("prefs_simp"),
    "prefs_pair": preference("prefs_pair"),
    "prefs_avgjg": preference("prefs_avgjg(over=all)"),
    "prefs_avgjg_Rnonrel": preference("prefs_avgjg_rnonrel(over=all,rule=trec_eval)"),
    "prefs_simp_ret": preference("prefs_simp(pairs=both)"),
    "prefs_pair_ret": preference("prefs_pair(pairs=both)"),
    "prefs_avgjg_ret": preference("prefs_avgjg(pairs=both,over=all)"),
    "prefs_avgjg_Rnonrel_ret": preference("prefs_avgjg_rnonrel(pairs=both,over=all,rule=trec_eval)"),
    "prefs_simp_imp": preference("prefs_simp(pairs=one)"),
    "prefs_pair_imp": preference("prefs_pair(pairs=one)"),
    "prefs_avgjg_imp": preference("prefs_avgjg(pairs=one,over=all)"),
}
NAMES = tuple(PREFERENCES)
# in print order
MEASURES: Mapping[str, Maker] = {
    "runid": nothing,
    "num_q": nothing,
    "num_ret": plain("num_ret", "count"),
    "num_rel": plain("num_rel", "count"),
    "num_rel_ret": plain("num_rel_ret", "count"),
    "map": plain("ap(denom=R)"),
    "gm_map": plain("gmap(denom=R)", "log", is_summary=True),
    "Rprec": plain("rprec"),
    "bpref": plain("bpref"),
    "recip_rank": plain("rr"),
    "iprec_at_recall": at("iprec(level={!r},levels={})", RECALLS, rule=""),
    "P": cut("p"),
    "relstring": relstring,
    "recall": cut("r"),
    "infAP": plain("infap"),
    "gm_bpref": plain("gm_bpref", "log", is_summary=True),
    "Rprec_mult": at("rprec(multiple={!r},levels={})", MULTIPLES, rule="trec9"),
    "utility": utility,
    "11pt_avg": eleven,
    "binG": plain("bing"),
    "G": gains("g"),
    "dcg": gains("dcg"),
    "ideal_dcg": gains("idcg"),
    "ndcg": gains("ndcg"),
    "ndcg_rel": gains("ndcg_rel"),
    "Rndcg": gains("rndcg"),
    "ndcg_cut": cut("ndcg", is_levelled=False),
    "map_cut": cut("ap(denom=R)"),
    "relative_P": cut("r(denom=min_rk)"),
    "success": cut("hit", (1, 5, 10)),
    "set_P": plain("set_p"),
    "set_relative_P": plain("set_r(denom=min_rn)"),
    "set_recall": plain("set_r"),
    "set_map": plain("set_ap"),
    "set_F": set_f,
    "num_nonrel_judged_ret": plain("num_nonrel_judged_ret", "count"),
    **PREFERENCES,
    "map_avgjg": by_group(plain("ap(denom=R)")),
    "P_avgjg": by_group(cut("p")),
    "Rprec_mult_avgjg": by_group(at("rprec(multiple={!r},levels={})", MULTIPLES, rule="trec9")),
    "yaap": plain("yaap"),
    "rbp": rbp,
    "rbp_resid": residual,
    "unj": cut("unj", (5, 10, 20)),
}
BY_GROUP = ("map_avgjg", "P_avgjg", "Rprec_mult_avgjg")
ONLY_10 = ("dcg", "ideal_dcg", "rbp", "rbp_resid", "unj")
SET = ("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility", "set_P", "set_recall", "set_relative_P",
       "set_map", "set_F")  # fmt: skip
OFFICIAL = ("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank",
            "iprec_at_recall", "P")  # fmt: skip
NICKNAMES: Mapping[str, tuple[str, ...]] = {
    "official": OFFICIAL,
    "set": SET,
    "all_trec": tuple(
        name for name in MEASURES if name not in ("dcg", "ideal_dcg", "yaap", *NAMES, *BY_GROUP)
    ),
    "all_prefs": ("runid", "num_q", *NAMES),
    "prefs": ("runid", "num_q", *NAMES[:6]),
    "qrels_jg": ("runid", "num_q", *BY_GROUP),
}
FORMATS = ("qrels", "qrels_jg", "prefs", "qrels_prefs")


def known(version: int) -> list[str]:
    """Return the measures of a version, in print order."""
    return [name for name in MEASURES if version == 10 or name not in ONLY_10]


def chosen(wanted: Sequence[str], version: int) -> dict[str, str | None]:
    """Return the measures asked for with their parameters, in print order.

    Raises
    ------
    UsageError
        For an unknown measure or nickname, or a dot without a parameter after it.
    """
    names = known(version)
    marked: set[str] = set()
    parameters: dict[str, str] = {}
    for text in wanted:
        name, dot, parameter = text.partition(".")
        if dot:
            if not parameter:
                raise UsageError(f"improper measure in parameter '{name}'")
            parameters.setdefault(name, parameter)  # the first one counts
        if name not in NICKNAMES and name not in names:
            raise UsageError(f"illegal measure '{text}'{nearest(name, [*NICKNAMES, *names])}")
        marked.update(NICKNAMES.get(name, (name,)))
    return {name: parameters.get(name) for name in names if name in marked}


def misplaced(measures: Iterable[str], rel_format: str) -> str | None:
    """Return the first measure that cannot be computed from this format of judgements."""
    for name in measures:
        formats = (
            ("prefs", "qrels_prefs") if name in NAMES else ("qrels_jg",) if name in BY_GROUP else ("qrels",)
        )
        if name not in ("runid", "num_q") and rel_format not in formats:
            return name
    return None


def lines(measures: Mapping[str, str | None], settings: Settings) -> list[Printed]:
    """Return the lines to print for measures, with their metrics.

    Raises
    ------
    UsageError
        For an invalid parameter of a measure.
    """
    return [line for name, given in measures.items() for line in MEASURES[name](name, given, settings)]
