"""Policy: choices that metric definitions leave open, printed with every result; and Asked: what metrics and a policy ask for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import field, fields, replace
from functools import cache
from typing import Any, Literal, NamedTuple, TypedDict, get_args, get_type_hints

from rankwell.errors import UsageError, brief, nearest, one_of
from rankwell.records import SetOnce, record
from rankwell.tables.arguments import UNFIT, UnknownArgument, fit_kind, kinds_of

Fill = Literal["stop", "skip", "cut"]


@record(kw_only=True)
class Policy(SetOnce):
    """Rules for everything that is not part of a metric's definition; the first value of each field is the default.

    Parameters
    ----------
    grades
        What the numbers in the qrels mean: ``auto`` checks them and refuses what looks like ratings, ``judgements``
        (relevant above 0, or from ``rel``), ``ratings`` (relevant from ``rel``, where gains begin), ``interactions``
        (every row is a 1).
    ties
        The order of tied scores: ``item-desc`` (as trec_eval), ``item-asc``, ``order`` (as given), ``expected`` (the
        exact mean over all orders, for metrics that have a formula for it), ``best`` and ``worst`` (tied groups ordered
        by grade).
    ranks
        The numbers of a rank column: ``given`` (they count: an item at rank 3 is no hit at 1, and no rank is given twice) or
        ``closed`` (only their order counts; lists are numbered 1 to n).
    scores
        ``double``, or ``single`` (rounded to 32 bits first, as trec_eval 9 and pytrec_eval do).
    depth
        Only the items down to rank n of each list are read; by default all.
    duplicates
        A repeated item in a list: ``error``, ``first`` (later copies keep their rank but gain nothing), ``drop`` (lists
        are numbered 1 to n without them), ``each`` (every copy counts as an item of its own, so that values can exceed
        their range, as in the tools that do so).
    duplicate_grades
        Two judgements of one (query, item, topic): ``error``, ``max``, ``last``.
    negative
        Grades below 0: ``unjudged`` (in the pool but not judged, as trec_eval) or ``nonrelevant``.
    missing
        A judged query missing from the run: ``empty`` (an empty list) or ``skip``.
    undefined
        A query whose judgements leave a metric undefined: ``skip`` (left out of the mean and counted), ``zero`` (as
        trec_eval), ``one``, ``error``.
    population
        Whose lists count. ``all``: every list of the run in metrics that need only lists, those of judged queries in the
        others; ``judged``: those of judged queries; ``listed``: every list in every metric; nothing is relevant for a query
        without judgements.
    unjudged
        Unjudged items: ``nonrelevant``, or ``condense`` (removed before ranks are counted).
    outside
        Recommended items outside the catalogue: ``error`` or ``ignore`` (counted and left out).
    rel
        The lowest grade that counts as relevant; a metric's own ``rel=`` wins.
    drop_own_query
        Leave out the rows whose item is the query itself, before any other rule, and number what stays from rank 1, as BEIR
        does; printed only if it is on.
    group
        Items that are parts of one thing, such as passages of a document, count once: of each list the first row of a group
        stays, numbered 1 to n, after ``depth`` and ``duplicates`` and before all other rules. A column of the
        items (``document``), or text without a letter or digit (``#``): what an id says before its last ``#``, as
        ``rw.before("#")`` does in Python. By default each item counts for itself.
    judged
        With ``group``, what judgements are of: ``groups``, or ``items`` (a group has the highest grade of its items); by default
        the ids of the run tell, and where both are judged it is refused.
    sizes
        What each item costs of a budget such as ``@2000t``: a column of the items or of the run with numbers from 0 (``tokens``).
    fill
        How a list fills a budget: ``stop`` (a row that does not fit ends it), ``skip`` (such a row is left out, and what stays is
        numbered 1 to n), ``cut`` (it counts by the part that fits, and ends the list); printed with ``sizes``.

    Raises
    ------
    UsageError
        For a value that a field does not allow.

    Examples
    --------
    >>> print(Policy(missing="skip", rel=7))
    grades=auto ties=item-desc ranks=given scores=double depth=all duplicates=error duplicate_grades=error negative=unjudged \
missing=skip undefined=skip population=all unjudged=nonrelevant outside=error rel=7
    """

    grades: Literal["auto", "judgements", "ratings", "interactions"] = "auto"
    ties: Literal["item-desc", "item-asc", "order", "expected", "best", "worst"] = "item-desc"
    ranks: Literal["given", "closed"] = "given"
    scores: Literal["double", "single"] = "double"
    depth: int | None = None
    duplicates: Literal["error", "first", "drop", "each"] = "error"
    duplicate_grades: Literal["error", "max", "last"] = "error"
    negative: Literal["unjudged", "nonrelevant"] = "unjudged"
    missing: Literal["empty", "skip"] = "empty"
    undefined: Literal["skip", "zero", "one", "error"] = "skip"
    population: Literal["all", "judged", "listed"] = "all"
    unjudged: Literal["nonrelevant", "condense"] = "nonrelevant"
    outside: Literal["error", "ignore"] = "error"
    rel: float | None = None
    drop_own_query: bool = False
    group: str | None = None
    judged: Literal["groups", "items"] | None = None
    sizes: str | None = None
    fill: Fill = "stop"

    def __post_init__(self) -> None:
        for rule in fields(self):
            value = getattr(self, rule.name)
            allowed = choices(rule.name)
            if value is None and rule.default is None:
                continue
            # asked first, for an array or a frame is no word, and is not compared with one
            if allowed and not (isinstance(value, str) and value in allowed):
                hint = nearest(value, allowed) if isinstance(value, str) else ""
                raise UsageError(
                    f"Policy({rule.name}={brief(value)}): {rule.name} must be {one_of(allowed)}.{hint}"
                )
        depth = None if self.depth is None else fit_kind(self.depth, int)
        if depth is UNFIT or (depth is not None and depth < 1):
            raise UsageError(
                f"Policy(depth={brief(self.depth)}): depth must be a whole number of at least 1, or None for all."
            )
        rel = None if self.rel is None else fit_kind(self.rel, float)
        if rel is UNFIT:
            raise UsageError(f"Policy(rel={brief(self.rel)}): rel must be a number, or None.")
        drops = fit_kind(self.drop_own_query, bool)
        if drops is UNFIT:
            raise UsageError(
                f"Policy(drop_own_query={brief(self.drop_own_query)}): drop_own_query must be True or False."
            )
        # equal policies are the same to the letter, also where one was given 3 and the other 3.0
        object.__setattr__(self, "depth", depth)
        object.__setattr__(self, "drop_own_query", drops)
        object.__setattr__(self, "rel", int(rel) if rel is not None and rel.is_integer() else rel)
        self._check_groups()
        self._check_sizes()
        if self.ties == "expected" and self.depth is not None:
            raise UsageError(
                "Policy(ties='expected', depth=…): it is undecided which of several tied items lie within the depth; "
                "give the metrics a cut-off instead."
            )
        if self.grades == "ratings" and self.rel is None:
            raise UsageError(
                "Policy(grades='ratings') needs rel=, the lowest rating that counts as relevant."
            )

    def _check_groups(self) -> None:
        if self.group is None:
            if self.judged is not None:
                raise UsageError(
                    f"Policy(judged={brief(self.judged)}) says what judgements are of where items are in groups; give group= too, such as "
                    f"group='document' or group=rw.before('#')."
                )
            return
        given: Any = self.group
        if not isinstance(given, str) or not given:
            raise UsageError(
                f"Policy(group={brief(given)}): group must be a column of items=, such as 'document', or rw.before('#')."
            )
        if self.ties == "expected":
            raise UsageError(
                "Policy(ties='expected', group=…): which of several tied items is the first of its group is undecided; use "
                "ties='item-desc', or 'best' and 'worst' for the range."
            )
        if separator_of(self.group) is None and not any(map(str.isalnum, self.group)):
            object.__setattr__(self, "group", before(self.group))

    def _check_sizes(self) -> None:
        given: Any = self.sizes
        if given is None and self.fill != "stop":
            raise UsageError(
                f"Policy(fill={brief(self.fill)}) says how a list fills a budget; give sizes= too, such as sizes='tokens'."
            )
        if given is not None and (not isinstance(given, str) or not given):
            raise UsageError(
                f"Policy(sizes={brief(given)}): sizes must be a column of items= or of the run, such as 'tokens'."
            )

    def __str__(self) -> str:
        return " ".join(f"{name}={value}" for name, value in self.to_dict().items() if value is not None)

    def _repr_html_(self) -> str:
        from rankwell.display.table import Column, Table

        rows = [(name, None if value is None else str(value)) for name, value in self.to_dict().items()]
        return Table([Column("rule"), Column("choice")], rows, caption="Policy")._repr_html_()

    @property
    def row_order(self) -> str:
        """The rule that orders rows of equal score.

        ``best`` and ``worst`` tell them apart by grade before, ``expected`` reads them as groups: for these it changes nothing.
        """
        return "item-desc" if self.ties in ("best", "worst", "expected") else self.ties

    def to_dict(self) -> dict[str, str | float | None]:
        """Return the fields as plain values; ``depth`` None is written ``all``; ``drop_own_query``, groups and sizes only if they are asked for."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        if values["depth"] is None:
            values["depth"] = "all"
        if isinstance(values["rel"], float) and values["rel"].is_integer():
            values["rel"] = int(values["rel"])
        if not self.drop_own_query:
            del values["drop_own_query"]
        if self.sizes is None:
            del values["fill"]
        for name in ("group", "judged", "sizes"):
            if values[name] is None:
                del values[name]
        return values


def policy_of(values: Mapping[str, Any]) -> Policy:
    """Return the policy whose ``to_dict`` was saved.

    >>> policy_of(Policy(rel=8, group="#").to_dict()) == Policy(rel=8, group="#")
    True
    """
    depth = values["depth"]
    return Policy(**{**values, "depth": None if depth == "all" else depth})


BEFORE = re.compile(r"before\((?P<sign>'|\")(?P<text>.+)(?P=sign)\)", re.DOTALL)


def before(separator: str) -> str:
    """Return the rule by which the group of an item is what its id says before the last ``separator``, for ``group=``.

    An id without it is its own group.

    Raises
    ------
    UsageError
        If the separator is no text, or empty.

    Examples
    --------
    >>> import rankwell as rw
    >>> passages, documents = {"q": {"d1#2": 3.0, "d1#1": 2.0, "d2#1": 1.0}}, {"q": {"d2": 1}}
    >>> rw.evaluate(passages, documents, ["rr"], group=rw.before("#"))["rr"]
    0.5
    """
    given: Any = separator
    if not isinstance(given, str) or not given:
        raise UsageError(
            f"before({brief(given)}): give the text between a group and the rest of an id, such as before('#')."
        )
    sign = '"' if "'" in separator else "'"
    return f"before({sign}{separator}{sign})"


def separator_of(group: str) -> str | None:
    """Return the separator of a rule that ``before`` made; None for a column.

    >>> separator_of("before('#')"), separator_of("document")
    ('#', None)
    """
    found = BEFORE.fullmatch(group)
    return None if found is None else found["text"]


@cache
def default() -> Policy:
    """Return the policy of those who give none."""
    return Policy()


class Rules(TypedDict, total=False):
    """The fields of a policy as keyword arguments."""

    grades: Literal["auto", "judgements", "ratings", "interactions"]
    ties: Literal["item-desc", "item-asc", "order", "expected", "best", "worst"]
    ranks: Literal["given", "closed"]
    scores: Literal["double", "single"]
    depth: int | None
    duplicates: Literal["error", "first", "drop", "each"]
    duplicate_grades: Literal["error", "max", "last"]
    negative: Literal["unjudged", "nonrelevant"]
    missing: Literal["empty", "skip"]
    undefined: Literal["skip", "zero", "one", "error"]
    population: Literal["all", "judged", "listed"]
    unjudged: Literal["nonrelevant", "condense"]
    outside: Literal["error", "ignore"]
    rel: float | None
    drop_own_query: bool
    group: str | None
    judged: Literal["groups", "items"] | None
    sizes: str | None
    fill: Fill


# what people call that which has another place here, by words without underscores
CUT_OFF = "A cut-off stands behind its metric: 'ndcg@10'."
BUDGET = "A budget stands behind its metric: 'r@2000t'; sizes='tokens' names the column of sizes."
OTHER_WORDS = (
    dict.fromkeys(("k", "topk", "topn", "atk", "at", "cutoff", "cutoffs"), CUT_OFF)
    | dict.fromkeys(("budget", "budgets", "tokens", "maxtokens", "tokenbudget", "tokenlimit"), BUDGET)
    | dict.fromkeys(
        ("threshold", "relevancethreshold", "relthreshold", "minrel", "mingrade"), "Did you mean rel?"
    )
)


def policy_with(policy: Policy | None, rules: Mapping[str, Any], others: Iterable[str] = ()) -> Policy:
    """Return a policy with fields that were given by themselves; ``others`` are the other arguments that could be meant.

    UsageError for an argument that is no field, or a field about which the policy says otherwise.
    """
    if policy is not None and not isinstance(policy, Policy):
        raise UsageError(
            f"policy= must be a rankwell.Policy, such as Policy(missing='skip'), not {brief(policy)}."
        )
    chosen, plain = policy or default(), default()
    if not rules:
        return chosen
    names = [field.name for field in fields(Policy)]
    for name, value in rules.items():
        if name not in names:
            more = f" Fields of a policy are {', '.join(names)}."
            if (remedy := OTHER_WORDS.get(name.replace("_", ""))) is not None:
                raise UsageError(f"there is no argument {name}=. {remedy}{more}")
            raise UnknownArgument.of(name, ["policy", *names, *others], more)
        own = getattr(chosen, name)
        if policy is not None and own not in (getattr(plain, name), value):
            raise UsageError(
                f"{name}={brief(value)} contradicts policy=, which has {name}={brief(own)}. Give it once."
            )
    return replace(chosen, **rules)


def pop_policy(policy: Policy | None, options: dict[str, Any], others: Iterable[str] = ()) -> Policy:
    """Return the policy with the fields that stand among other options, which are taken out of these; no groups."""
    rules = {word: options.pop(word) for word in Rules.__annotations__ if word in options}
    return refuse_groups(policy_with(policy, rules, others), "agreement is of judgements of")


def refuse_groups(policy: Policy, what: str) -> Policy:
    """Return the policy; UsageError if it has groups, where single items are looked at."""
    if policy.group is not None:
        raise UsageError(
            f"{what} single items, so group={brief(policy.group)} has no meaning there; leave it out."
        )
    return policy


@cache
def choices(field: str) -> tuple[str, ...]:
    """Return the allowed words of a field of Policy; empty for numbers and flags.

    >>> choices("missing")
    ('empty', 'skip')
    """
    if field in ("depth", "rel", "group", "sizes"):
        return ()
    # of a field that may be left open, the words beside None
    return tuple(
        word for kind in kinds_of(_types()[field]) if kind is not type(None) for word in get_args(kind)
    )


@cache
def _types() -> dict[str, Any]:
    return get_type_hints(Policy)


class Asker(NamedTuple):
    """A metric that requires a table: its text, its name, and its parameters."""

    text: str
    name: str
    parameters: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return self.text


@record(slots=True)
class Asked:
    """The requirements on a run and its judgements, with the metrics that have them, for messages.

    ``needs`` are the tables to build; ``by_need`` holds, for each table that some metric requires, the first such metric.
    ``rels`` are the relevance thresholds by the text of each metric that has one, ``cuts`` the cut-offs by the name of a
    metric. ``deepest`` is the rank down to which whole lists are read, None for all. ``reads_judgements`` says whether any
    metric needs judgements. ``rank_base`` is the rank of a first item, 0 or 1; None if the lists show it.
    """

    policy: Policy = field(default_factory=Policy)
    needs: frozenset[str] = frozenset()
    by_need: Mapping[str, Asker] = field(default_factory=dict)
    rels: Mapping[str, float | None] = field(default_factory=dict)
    cuts: Mapping[str, tuple[int | None, ...]] = field(default_factory=dict)
    deepest: int | None = None
    reads_judgements: bool = True
    rank_base: int | None = None

    def reading(self, *tables: str) -> Asked:
        """Return the same with more tables to build."""
        return replace(self, needs=self.needs.union(tables))
