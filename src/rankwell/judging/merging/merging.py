"""``merge``: the judgements of several sheets as one set of judgements."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

import numpy as np

from rankwell.errors import UsageError
from rankwell.judging.merging.dawid_skene import Estimated, dawid_skene
from rankwell.judging.merging.judgements import Given
from rankwell.judging.merging.merged import Judge, Merged
from rankwell.readers.frames.sheets import read_sheet
from rankwell.statistics.kappa import agreed, cohen
from rankwell.tables.arguments import checked

How = Literal["max", "majority", "dawid-skene"]
CLOSE = 1e-6  # probabilities that are as good as equal


@checked
def merge(sheet: str | Path, /, *sheets: str | Path, how: How = "majority") -> Merged:
    r"""Return one grade per pair of query and item from what several judges exported.

    Parameters
    ----------
    sheet, sheets
        CSV files that judging sheets exported. A judge may have several; of a pair that one judge judged twice, other than as a repeat,
        the latest judgement counts.
    how
        ``max``, the highest grade; ``majority``, the most frequent, ties to the lowest; or ``dawid-skene``, the most probable under a model
        in which each judge errs in a way of their own (EM, Dawid and Skene 1979), to which repeats are further judgements. Other
        rules leave repeats out.

    Returns
    -------
    Merged
        ``found.qrels()`` are the judgements, ``found.save("merged.txt")`` writes them; ``found.judges`` says how far each judge agrees with
        themselves, by their repeats, and with the result.

    Raises
    ------
    RankwellError
        If a file cannot be read, is no exported sheet, has a grade that is no number or beyond ±2^53, or there is no judgement.

    Notes
    -----
    How far judges agree with each other is what ``agreement`` says of the same files.

    Examples
    --------
    >>> import pathlib, tempfile, rankwell as rw
    >>> folder, head = pathlib.Path(tempfile.mkdtemp()), "query,item,grade,judge,time,order,is_repeat,comment"
    >>> for judge, a, b, again in ("Ann", 2, 0, 2), ("Bo", 1, 0, 0), ("Cy", 2, 1, 2):
    ...     rows = [f"1,a,{a},{judge},,1,false,", f"1,b,{b},{judge},,2,false,", f"1,a,{again},{judge},,3,true,"]
    ...     _ = (folder / f"{judge}.csv").write_text("\n".join([head, *rows]))
    >>> found = rw.judging.merge(*sorted(folder.glob("*.csv")))
    >>> found.to_frame().select("item", "grade").rows()
    [('a', 2), ('b', 0)]
    >>> [(judge.name, judge.self_agreement) for judge in found.judges]
    [('Ann', 1.0), ('Bo', 0.0), ('Cy', 1.0)]
    """
    paths = [os.fspath(each) for each in (sheet, *sheets)]
    if twice := [path for path in paths if paths.count(path) > 1]:
        raise UsageError(f"{twice[0]} is given twice.")
    return merged(Given.of([read_sheet(path) for path in paths]), how)


def merged(given: Given, how: How) -> Merged:
    """Return one grade per pair of judgements."""
    votes = given.votes()
    model: Estimated | None = None
    if how == "dawid-skene":
        model = dawid_skene(given.pair, given.judge, given.grade, grades=len(given.grades))
        support = np.where(model.posterior >= model.posterior.max(axis=1, keepdims=True) - CLOSE, 1, 0)
    elif how == "majority":
        support = votes == votes.max(axis=1, keepdims=True)
    else:
        highest = votes.shape[1] - 1 - (votes[:, ::-1] > 0).argmax(axis=1)
        support = np.arange(votes.shape[1]) == highest[:, None]
    chosen = support.argmax(axis=1)  # of tied grades the lowest
    return Merged(
        how=how,
        pairs=tuple(given.pairs),
        grade=given.grades[chosen],
        judged_by=votes.sum(axis=1),
        probability=None if model is None else model.posterior[np.arange(len(chosen)), chosen],
        judges=_judges(given, chosen),
        grades=given.grades,
        disputed=int(((votes > 0).sum(axis=1) > 1).sum()),
        tied=int((support.sum(axis=1) > 1).sum()),
        judged_again=given.judged_again,
        model=model,
    )


def _judges(given: Given, chosen: np.ndarray) -> tuple[Judge, ...]:
    tables = given.own_tables()
    repeats = tables.sum(axis=(1, 2)).astype(np.int64)
    found: list[Any] = []
    for at, name in enumerate(given.judges):
        own = (given.judge == at) & ~given.is_repeat
        same = float((given.grade[own] == chosen[given.pair[own]]).mean())
        exact, kappa = float(agreed(tables[at])), float(cohen(tables[at]))
        found.append(Judge(name, int(own.sum()), int(repeats[at]), exact, kappa, same))
    return tuple(found)
