"""Grammar of a metric's text, and other tools' spellings, for the hint of an error: these are never read with rankwell's defaults.

text  = name ["(" [param "=" value {"," param "=" value}] ")"] ["@" (k | budget "t")]
value = number | true | false | none | word | 'quoted' | "[" … "]" | "{" pair … "}" | text
pair  = number ":" number | others ":" own

A bare word is read as a metric if the parameter's type is Metric: ``by_topic(metric=ap)``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import Any

from rankwell.errors import UsageError, brief, nearest, one_of
from rankwell.metrics.bundles import profile
from rankwell.metrics.metric import ASKED, MOST_NESTED, NO_CUT, PARSED, Metric, forget_texts
from rankwell.metrics.parameters import parameter_types
from rankwell.metrics.registry import find, is_metric, unknown

Wanted = str | Metric | type[Metric]


_TOKEN = re.compile(
    r"\s*(?:(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<word>[^\W\d][\w-]*)"
    r"|(?P<quoted>'[^']*'|\"[^\"]*\")|(?P<sign>[()\[\]{},:=@]))"
)


MOST_PARSED = (
    10_000  # texts that are kept: a program that makes metrics by the million does not fill the memory
)


LONGEST_CUT = 16  # digits


_WORDS = {"true": True, "false": False, "none": None}


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
    "citation_precision": ("citation_p",),
    "citation_recall": ("citation_r",),
    "f1": ("f", "set_f"),
    "f1_score": ("f", "set_f"),
}


# names of other tools for several numbers, or for one that takes a model: what each tool means by it, and what is here
FOREIGN = {
    "context_precision": (
        ("DeepEval, ragas", "the mean precision at the ranks of the passages that a model finds relevant", "ap(denom=hits), preset=deepeval, preset=ragas"),
        ("ragas, id_based_context_precision", "the share of relevant passages among those returned", "p(denom=n)@k, preset=ragas, or set_p"),
        ("RAGChecker", "the share of passages that entail a claim of the expected answer, as a model finds", "set_p, with its verdicts as judgements"),
        ("autoevals", "whether all passages together are useful, one verdict of a model", "nothing, as it has no passages and no ranks"),
    ),
    "context_recall": (
        ("ragas, id_based_context_recall", "the share of the relevant passages that were returned", "r@k, preset=ragas, or set_r"),
        ("DeepEval, ragas, autoevals", "the share of the expected answer's statements that a model finds in the passages", "nugget, with its verdicts as assignments"),
        ("RAGChecker, claim_recall", "the share of the expected answer's claims that a passage entails, as a model finds", "nugget, with its verdicts as assignments"),
    ),
    "novelty": (
        ("recmetrics, rexmex", "how surprising the items of a list are, by the share of users who have each", "msi@k"),
        ("Microsoft recommenders", "the same by their share of all training pairs, over the rows of all lists together", "self_information@k, whose mean is over lists"),
    ),
    "faithfulness": (
        ("DeepEval, ragas, RAGChecker, autoevals", "the share of an answer's statements that a model finds in the passages", "nothing, as no model is asked"),
        ("TruLens, groundedness", "the mean of a model's grades of how far the passages support each statement", "nothing, as no model is asked"),
        ("rankwell", "facts that an answer should hold, assigned once, give the same number again", "nugget"),
    ),
}  # fmt: skip


_SPELLING = re.compile(
    r"(?P<name>[a-z0-9_-]*?[a-z](?:1(?=[^\d.]))?)(?P<cut>_cut)?"
    r"(?:(?:_at_?|[_.:@(\[ -])?(?P<at>k|\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*)(?P<budget> ?t(?:ok(?:en)?s?)?)?[)\]]?)?"
)


def metrics_of(wanted: Iterable[Wanted] | Wanted | None) -> tuple[Metric, ...]:
    """Return the metrics asked for, without repeats, in the order given; a bundle such as ``recsys@10`` is several."""
    listed = wanted if type(wanted) is list else _listed(wanted)
    made = tuple(dict.fromkeys(chain.from_iterable(map(_metrics_of_entry, listed))))
    if not made:
        raise UsageError("metrics= is empty; write for example metrics=['ndcg@10', 'ap', rw.P @ 5].")
    return made


def _listed(wanted: Iterable[Wanted] | Wanted | None) -> Iterable[Wanted]:
    """What was given in another way than as a list."""
    if wanted is None:
        raise UsageError("say which metrics you want: metrics=['ndcg@10', 'ap', rw.P @ 5].")
    if isinstance(wanted, Mapping):
        raise UsageError(f"metrics= takes a list such as ['ndcg@10', 'ap'], not {brief(wanted)}.")
    is_one = (
        isinstance(wanted, str) or not isinstance(wanted, Iterable) or getattr(wanted, "shape", None) == ()
    )
    return [wanted] if is_one else wanted  # type: ignore[return-value, list-item]


def _metrics_of_entry(wanted: Wanted) -> tuple[Metric, ...]:
    """The metrics that one entry asks for, each complete; those of a text are read and checked once."""
    if not isinstance(wanted, str):
        return (metric_of(wanted),)
    made = ASKED.get(wanted)
    if made is None:
        made = ASKED[wanted] = tuple(map(metric_of, profile(wanted) or [wanted]))
    return made


def metric_of(wanted: str | Metric | type[Metric], *, complete: bool = True) -> Metric:
    """Return a metric from its text, its class or itself; ``complete`` requires a cut-off if the metric needs one.

    Raises
    ------
    UsageError
        For an unknown name or parameter, an invalid value, or a missing cut-off.

    Examples
    --------
    >>> metric_of("nDCG(gain=exp2)@10").signature
    'ndcg(gain=exp2,discount=log2p1,ideal=judged)@10'
    >>> metric_of("map@10")
    ap(denom=min_rk)@10
    """
    if isinstance(wanted, str):
        made = _parse(wanted)
    elif isinstance(wanted, type) and issubclass(wanted, Metric):
        made = wanted()
    elif isinstance(wanted, Metric):
        made = wanted
    else:
        raise UsageError(
            f"{brief(wanted)} is not a metric. Write text such as 'ndcg@10', or a value such as rw.P @ 5."
        )
    if complete:
        if isinstance(wanted, str) and made.cut == "required" and made.k is None and made.budget is None:
            raise UsageError(NO_CUT.format(name=wanted.strip()))  # as it was written
        made.check()
    return made


def _parse(text: str) -> Metric:
    """The metric of a text, which is read once: a metric is a value."""
    made = PARSED.get(text)
    if made is None:
        if len(PARSED) >= MOST_PARSED:
            forget_texts()
        made = PARSED[text] = _Reader(text).read()
    return made


def _is_right(text: str) -> bool:
    """Whether a text is that of a metric that can be asked for."""
    if not is_metric(re.split("[(@]", text)[0]):
        return False
    try:
        metric_of(text)
    except UsageError:
        return False
    return True


class _Reader:
    """Reads one metric's text from left to right."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.depth = text, 0, 0

    def read(self) -> Metric:
        made = self._metric()
        if rest := self.text[self.at :].strip():
            more = rest.lstrip(",; ")
            following = _TOKEN.match(more)
            if following and is_metric(following["word"] or ""):
                raise UsageError(
                    f"{brief(self.text)} is more than one metric. Ask for {brief(self.text[: self.at].strip())} and {brief(more)} "
                    f"each by itself: a list of metrics in Python, commas or another -m on the command line."
                )
            raise self._error("the end of the text")
        return made

    def _peek(self) -> tuple[str, str] | None:
        match = _TOKEN.match(self.text, self.at)
        return (str(match.lastgroup), match[match.lastgroup]) if match and match.lastgroup else None

    def _take(self, kind: str, sign: str = "") -> str | None:
        """Take the next token if it is of this kind (and is this sign)."""
        match = _TOKEN.match(self.text, self.at)
        if not match or match.lastgroup != kind or (sign and match[kind] != sign):
            return None
        self.at = match.end()
        return match[kind]

    def _expect(self, kind: str, wanted: str, sign: str = "") -> str:
        taken = self._take(kind, sign)
        if taken is None:
            raise self._error(wanted)
        return taken

    def _error(self, wanted: str) -> UsageError:
        left = self.text[self.at :].strip() or "the end"
        return UsageError(
            f"cannot read {brief(self.text)} as a metric: expected {wanted} but found {brief(left)}. "
            f"A metric is written name(param=value,…)@k, such as ndcg(gain=exp2)@10.{suggest_spelling(self.text, _is_right)}"
        )

    def _metric(self) -> Metric:
        self.depth += 1
        if self.depth > MOST_NESTED:
            raise UsageError(f"{brief(self.text)}: metrics are nested more than {MOST_NESTED} deep.")
        name = self._expect("word", "the name of a metric")
        if not is_metric(name):
            raise unknown(name, suggest_spelling(self.text, _is_right))
        cls = find(name)
        values: dict[str, Any] = {}
        if self._take("sign", "("):
            while not self._take("sign", ")"):
                if values:
                    self._expect("sign", "',' or ')'", ",")
                allowed = [each for each in parameter_types(cls) if each not in ("k", "budget")]
                name = self._expect("word", "the name of a parameter")
                name = name if name in allowed else name.lower()
                if name not in allowed:
                    own = [each for each in allowed if each != "sampled"]
                    has = f"it has {one_of(own)}" if own else "it has none"
                    raise UsageError(
                        f"{cls.name} has no parameter {brief(name)}; {has}.{nearest(name, allowed)}"
                    )
                self._expect("sign", "'='", "=")
                value = self._value()
                is_text = parameter_types(cls)[name] is Metric and isinstance(value, str)
                values[name] = metric_of(value, complete=False) if is_text else value
        if self._take("sign", "@"):
            values |= self._cut()
        self.depth -= 1
        return cls(**values)

    def _cut(self) -> dict[str, Any]:
        """A rank, or a budget: a number and a t."""
        if self._take("word", "inft"):
            return {"budget": math.inf}
        k = self._expect("number", "a cut-off (a whole number of at least 1)")
        if self._take("word", "t"):
            return {"budget": float(k)}
        if not k.isdecimal() or not k.strip("0"):
            raise UsageError(
                f"{brief(self.text)}: the cut-off must be a whole number of at least 1, not {k}."
            )
        if len(k.lstrip("0")) > LONGEST_CUT:
            raise UsageError(f"{brief(self.text)}: the cut-off has {len(k):,} digits; it is at most 2^53.")
        return {"k": int(k)}

    def _value(self) -> Any:
        number = self._take("number")
        if number is not None:
            return float(number)
        quoted = self._take("quoted")
        if quoted is not None:
            return quoted[1:-1]
        if self._take("sign", "["):
            return tuple(self._series("]", self._value))
        if self._take("sign", "{"):
            return dict(self._series("}", self._pair))
        start, word = self.at, self._expect("word", "a value")
        following = self._peek()
        if following in (("sign", "("), ("sign", "@")) and is_metric(word):
            self.at = start
            return self._metric()
        return _WORDS.get(word.lower(), word)

    def _pair(self) -> tuple[float | str, float | str]:
        names_others = self._peek() == ("word", "others")
        key = self._expect("word" if names_others else "number", "a number or others")
        self._expect("sign", "':'", ":")
        if names_others:
            if self._peek() != ("word", "own"):
                raise self._error("own (others:own: all other grades gain themselves)")
            return key, self._expect("word", "own")
        return float(key), float(self._expect("number", "a number"))

    def _series(self, close: str, part: Any) -> list[Any]:
        parts: list[Any] = []
        while not self._take("sign", close):
            if parts:
                self._expect("sign", f"',' or {brief(close)}", ",")
            parts.append(part())
        return parts


def foreign_name(text: str) -> str:
    """Return the name in ``FOREIGN`` that a text is, in any of its spellings, or an empty string.

    Examples
    --------
    >>> foreign_name("Contextual-Precision@5"), foreign_name("groundedness"), foreign_name("ap")
    ('context_precision', 'faithfulness', '')
    """
    name = re.split("[(@]", text.strip().lower())[0].replace("-", "_").replace(" ", "_")
    name = {"groundedness": "faithfulness"}.get(name, name.replace("contextual_", "context_"))
    return name if name in FOREIGN else ""


def suggest_spelling(text: str, is_right: Callable[[str], bool]) -> str:
    """Return ``" Did you mean X?"`` for another tool's spelling of a metric, or an empty string.

    Examples
    --------
    >>> suggest_spelling("ndcg_cut_10", lambda text: text == "ndcg@10")
    ' Did you mean ndcg@10?'
    """
    if name := foreign_name(text):
        return f" `rankwell explain {name}` says what other tools mean by it, and what is here."
    match = _SPELLING.fullmatch(text.strip().lower())
    if match is None:
        return ""
    name, at = match["name"].replace("-", "_"), match["at"]
    names = RENAMED.get(f"{name}{match['cut'] or ''}") or RENAMED.get(name) or (name,)
    points = [] if at is None else [str(CUT) if at == "k" else at] if "," not in at else at.split(",")
    points = [f"{point}t" for point in points] if match["budget"] else points
    written = [_write(name, point) for point in points or [None] for name in names]
    texts = [text for text in written if is_right(text)]
    if not texts:
        return ""
    # several cut-offs in one spelling are several metrics, several meanings of it are a choice
    return f" Did you mean {(' and ' if len(points) > 1 else ' or ').join(texts)}?"


def _write(name: str, point: str | None) -> str:
    if point is None:
        return name
    return name.format(point) if "{}" in name else f"{name}@{point}"
