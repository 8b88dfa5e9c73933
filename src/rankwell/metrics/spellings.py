"""Other tools' spellings of metrics, for the hint of an error: they are never read with rankwell's defaults."""

from __future__ import annotations

import re
from collections.abc import Callable

CUT = 10  # stands for a cut-off that is a letter
# what trec_eval and others call a metric, by the text that means the same
RENAMED = {
    "map_cut": ("ap(denom=R)",),
    "map": ("ap(denom=R)", "ap(denom=min_rk)"),
    "ap": ("ap(denom=R)", "ap(denom=min_rk)"),
    "gm_map": ("gmap(denom=R)",),
    "11pt_avg": ("avg11(levels=trec10)",),
    "ideal_dcg": ("idcg",),
    "relative_p": ("r(denom=min_rk)",),
    "rprec_mult": ("rprec(multiple={},levels=trec9)",),
    "iprec_at_recall": ("iprec(level={},levels=trec10)",),
    "set_map": ("set_ap",),
    "set_recall": ("set_r",),
    "set_relative_p": ("set_r(denom=min_rn)",),
    "f1": ("f", "set_f"),
    "f1_score": ("f", "set_f"),
}
_SPELLING = re.compile(
    r"(?P<name>[a-z0-9_-]*?[a-z](?:1(?=[^\d.]))?)(?P<cut>_cut)?"
    r"(?:(?:_at_?|[_.:@(\[ -])?(?P<at>k|\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*)[)\]]?)?"
)


def meant(text: str, is_right: Callable[[str], bool]) -> str:
    """Return ``" Did you mean X?"`` for another tool's spelling of a metric, or an empty string.

    Examples
    --------
    >>> meant("ndcg_cut_10", lambda text: text == "ndcg@10")
    ' Did you mean ndcg@10?'
    """
    match = _SPELLING.fullmatch(text.strip().lower())
    if match is None:
        return ""
    name, at = match["name"].replace("-", "_"), match["at"]
    names = RENAMED.get(f"{name}{match['cut'] or ''}") or RENAMED.get(name) or (name,)
    points = [] if at is None else [str(CUT) if at == "k" else at] if "," not in at else at.split(",")
    found = [_written(name, point) for point in points or [None] for name in names]
    found = [each for each in found if is_right(each)]
    if not found:
        return ""
    return f" Did you mean {(' and ' if len(points) > 1 else ' or ').join(found)}?"


def _written(name: str, point: str | None) -> str:
    if point is None:
        return name
    return name.format(point) if "{}" in name else f"{name}@{point}"
