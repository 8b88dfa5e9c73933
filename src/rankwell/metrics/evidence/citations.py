"""Citations: how far the items that the sentences of an answer cite support them, and how many sentences are supported."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Literal

import numpy as np

from rankwell.errors import UsageError
from rankwell.matching.batch import Context, Judged
from rankwell.metrics.metric import QueryMetric, definition
from rankwell.tables.lists import ratio

__all__ = ["CitationP", "CitationR"]

SUPPORT, PARTIAL_SUPPORT = 1.0, 0.5


@definition
class OfCitations(QueryMetric):
    """A metric of the citations of an answer's sentences, which are the parts of its query."""

    cut: ClassVar[Literal["required", "optional", "none"]] = "none"
    needs: ClassVar[frozenset[str]] = frozenset({"shown", "parts", "support"})
    judgements: ClassVar[bool] = False
    sees_missing: ClassVar[bool] = True

    divisor: ClassVar[str] = ""

    which: Literal["first", "all"] = "first"
    partial: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.partial <= 1:
            raise UsageError(f"{self.name}(partial={self.partial:g}): partial must be from 0 to 1.")

    def counts(self, judged: Judged, context: Context) -> dict[str, int]:
        """How many citations are not judged, and how many parts cite nothing."""
        shown = judged.shown
        cited = _are_first(shown.query, shown.extra["part"]).sum()
        return {
            "citations that are not judged": int(np.isnan(shown.extra["support"]).sum()),
            "parts that cite nothing": int(_n_parts(judged).sum() - cited),
        }

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The support of what counts, over a number of which an answer may have none."""
        above, below = self._parts(judged)
        return ratio(above, np.maximum(below, self._least))

    def division(self, judged: Judged) -> str:
        """Return the value of the first query in words."""
        above, below = (float(part[0]) for part in self._parts(judged))
        nothing = "counts as 0" if self._least else "is undefined"
        value = f" = {above / below:.4f}" if below else f": an answer without {self.divisor} {nothing}"
        return f"{above:g} of support ÷ {self.divisor} = {above:g} ÷ {below:g}{value}"

    def worth(self, support: np.ndarray) -> np.ndarray:
        """Return what citations of such support count; of one that is not judged nothing."""
        return np.where(support == PARTIAL_SUPPORT, self.partial, support == SUPPORT)

    @abstractmethod
    def counted(self, judged: Judged) -> np.ndarray:
        """Return the rows of the whole lists that count."""

    @property
    def _least(self) -> int:
        """What an answer is divided by at least; 0 if one without anything to divide by is undefined."""
        return 1

    @abstractmethod
    def _below(self, judged: Judged, counted: np.ndarray) -> np.ndarray:
        """What the support of the citations that count, of which each query has so many, is divided by."""

    def _parts(self, judged: Judged) -> tuple[np.ndarray, np.ndarray]:
        """The support of each query, and what it is divided by."""
        shown, counted = judged.shown, self.counted(judged)
        query, support = shown.query[counted], shown.extra["support"][counted]
        # whole numbers of each kind, so that no order of addition can show
        full, partly = (
            np.bincount(query[support == level], minlength=len(judged))
            for level in (SUPPORT, PARTIAL_SUPPORT)
        )
        return full + self.partial * partly, self._below(judged, np.bincount(query, minlength=len(judged)))


@definition
class CitationP(OfCitations):
    """Citation precision: the mean support of what an answer's sentences cite first, half for support in part.

    Formula
        Σ_c s_c / n over the n citations c that are the first of their sentence, or over all n citations (which=all); s = 1
        (support), partial (partial_support), 0 (not_support)

    Edge cases
        A sentence is a part of the run, a citation one of its items, in the order of the list. A citation that is not judged is 0, or left out
        with unjudged='condense'. An answer that cites nothing is 0, or undefined by the list with uncited=skip.

    Convention
        TREC RAG's weighted precision is that of the first citation of each sentence; its strict one has partial=0. A judged query
        without rows is an empty answer; judgements are not read otherwise.

    Parameters
        which: the first citation of each sentence, or all
        partial: what a citation that supports its sentence in part counts, 0 to 1
        uncited: the value of an answer without citations: zero, or skip

    Example
        >>> import rankwell as rw
        >>> answer = {"query": ["q"] * 4, "part": [1, 2, 2, 3], "item": ["a", "b", "c", None], "support": [1, 0.5, 0, None]}
        >>> rw.evaluate(answer, None, ["citation_p", "citation_p(which=all)"]).mean
        {'citation_p': 0.75, 'citation_p(which=all)': 0.5}

    Reference
        T. Gao et al., Enabling large language models to generate text with citations, EMNLP 2023; N. Thakur et al., Support evaluation
        for the TREC 2024 RAG track, 2025.
    """

    name: ClassVar[str] = "citation_p"
    plain: ClassVar[str] = "how far what an answer cites supports its sentences"
    divisor: ClassVar[str] = "citations"
    undefined: ClassVar[Literal["judgements", "list", "never"]] = "list"

    uncited: Literal["zero", "skip"] = "zero"

    def counted(self, judged: Judged) -> np.ndarray:
        """Return the citations, or the first of each sentence."""
        rows, is_first = _cited(judged)
        return rows[is_first] if self.which == "first" else rows

    def _below(self, judged: Judged, counted: np.ndarray) -> np.ndarray:
        return counted

    @property
    def _least(self) -> int:
        return 0 if self.uncited == "skip" else 1


@definition
class CitationR(OfCitations):
    """Citation recall: how many of an answer's sentences what they cite first supports, half for support in part.

    Formula
        Σ_j s_j / n over the n sentences j of the query; s is 1 (support), partial (partial_support) or 0 (not_support) of the first
        citation of the sentence, or of the best one (which=all)

    Edge cases
        A sentence is a part of the run, a citation one of its items, in the order of the list. A sentence that cites nothing is 0, and so is an
        answer without sentences. A citation that is not judged is 0, or left out with unjudged='condense'.

    Convention
        TREC RAG's weighted recall is that of the first citation of each sentence; its strict one has partial=0. A judged query without
        rows is an empty answer; judgements are not read otherwise.

    Parameters
        which: the first citation of each sentence, or all, of which the best counts
        partial: what a sentence that is supported in part counts, 0 to 1

    Example
        >>> import rankwell as rw
        >>> answer = {"query": ["q"] * 4, "part": [1, 2, 2, 3], "item": ["a", "b", "c", None], "support": [1, 0, 0.5, None]}
        >>> rw.evaluate(answer, None, ["citation_r", "citation_r(which=all)"]).mean
        {'citation_r': 0.3333333333333333, 'citation_r(which=all)': 0.5}

    Reference
        T. Gao et al., Enabling large language models to generate text with citations, EMNLP 2023; N. Thakur et al., Support evaluation
        for the TREC 2024 RAG track, 2025.
    """

    name: ClassVar[str] = "citation_r"
    plain: ClassVar[str] = "share of an answer's sentences that its citations support"
    divisor: ClassVar[str] = "sentences"
    undefined: ClassVar[Literal["judgements", "list", "never"]] = "never"

    def counted(self, judged: Judged) -> np.ndarray:
        """Return the first citation of each sentence, or the best."""
        rows, is_first = _cited(judged)
        if self.which == "all":
            support = np.nan_to_num(judged.shown.extra["support"][rows])
            rows = rows[
                np.lexsort((-support, np.cumsum(is_first)))
            ]  # within the sentences, which stay where they are
        return rows[is_first]

    def _below(self, judged: Judged, counted: np.ndarray) -> np.ndarray:
        return _n_parts(judged)


def _n_parts(judged: Judged) -> np.ndarray:
    assert judged.parts is not None
    return judged.parts


def _cited(judged: Judged) -> tuple[np.ndarray, np.ndarray]:
    """The rows that are citations, and whether each is the first of its part; made once for all metrics of a batch."""
    return judged.once(_find_cited)


def _find_cited(judged: Judged) -> tuple[np.ndarray, np.ndarray]:
    shown = judged.shown
    rows = np.arange(len(shown))
    if judged.is_condensed:
        rows = rows[~np.isnan(shown.extra["support"])]
    return rows, _are_first(shown.query[rows], shown.extra["part"][rows])


def _are_first(query: np.ndarray, part: np.ndarray) -> np.ndarray:
    """Whether each row is the first of its part."""
    first = np.ones(len(query), np.bool_)
    first[1:] = (query[1:] != query[:-1]) | (part[1:] != part[:-1])
    return first
