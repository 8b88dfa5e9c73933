"""Rules about what one side has and the other has not: queries, items, judgements, training data."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator

import numpy as np

from rankwell.display.findings import Finding
from rankwell.display.text import Composed
from rankwell.errors import DataError, RankwellError, brief
from rankwell.inspection.linting.data import LintData, QrelsData, RunData, common, rows_of, without
from rankwell.kernels import match
from rankwell.matching.budgets import Sizes
from rankwell.matching.groups import PASSAGES, SEPARATORS, ids_before
from rankwell.matching.mismatch import IdSource, Mismatch, find_mismatch, find_swapped_columns
from rankwell.matching.policy import Policy, before
from rankwell.matching.pool import ENOUGH, TENTH
from rankwell.tables.ids import Ids, Known, own_text
from rankwell.tables.items_users import Items
from rankwell.tables.lists import NO_ROWS, owners
from rankwell.tables.rows import Lists
from rankwell.tables.spans import Spans

FEW_JUDGED = 0.8  # a smaller share of judged items among the first k is worth a note
FEW, MANY = 5_000, 1_000_000  # rows whose ids are looked at: at first of a longer run, and at most


def queries(data: LintData) -> Iterator[Finding]:
    """Queries that only one side has, and ids of different types."""
    if data.qrels is None:
        return
    judged = data.qrels.queries
    for run in data.runs:
        unknown = run.mark(_first_rows_of_unknown, judged)
        if not run.is_read:
            continue
        rows = common(run.queries, judged)
        difference = find_mismatch("query", _distinct(run.queries), _distinct(judged.ids))
        if rows is None or not (rows >= 0).any():
            yield _nothing_in_common(run, data.qrels, Composed("query"), run.queries, judged.ids, difference)
            continue
        yield from _partly_apart(run, data.qrels, Composed("query"), difference)
        extra = np.flatnonzero(rows < 0)
        if unknown is not None:
            yield Finding(
                "unknown-queries", "note", unknown.place,
                Composed(
                    "{n:,} of {of:,} queries are not judged (such as {query})",
                    n=len(extra), of=len(rows), query=brief(run.queries.one(int(extra[0]))),
                ),
                "They count in no metric of relevance; remove them or complete the judgements.", len(extra),
            )  # fmt: skip
        is_missing = np.ones(len(judged), np.bool_)
        is_missing[rows[rows >= 0]] = False
        missing = np.flatnonzero(is_missing)
        if len(missing):
            effect = data.change(
                data.value(run, missing="empty"),
                data.value(run, missing="skip"),
                Composed("with --missing skip"),
            )
            yield Finding(
                "missing-queries", "warning", run.name,
                Composed(
                    "{n:,} of {of:,} judged queries are not in the run (such as {query})",
                    n=len(missing), of=len(judged), query=brief(judged.ids.one(int(missing[0]))),
                ),
                "They count as empty lists. Complete the run, or say --missing skip and report it.", len(missing), effect,
            )  # fmt: skip


def _first_rows_of_unknown(lists: Lists, judged: Known) -> np.ndarray:
    """The first row of each list whose query is not judged."""
    rows = common(lists.queries, judged)
    return NO_ROWS if rows is None else lists.offsets[:-1][rows < 0]


def items(data: LintData) -> Iterator[Finding]:
    """Items of runs and judgements that the catalogue lacks, and runs in which nothing is judged."""
    of_spans = "spans" in data.settings.needs
    if data.qrels is not None and not of_spans:
        judged = data.qrels.judged
        for run in data.runs:
            if data.settings.policy.group is not None:
                continue  # ids of passages and of documents differ as they should
            is_listed = run.ask(_listed, judged, add=_or)
            # text that meets integers is the plain form of one in every row, or none is held: 07 would meet 7
            if run.mark(_of_other_kind, judged) is not None:
                is_listed = np.zeros(len(judged), np.bool_)
            if is_listed is None:
                continue
            if not is_listed.any() and (separator := _judged_groups(run, judged)) is not None:
                yield Finding(
                    "nothing-in-common", "error", run.name,
                    Composed(
                        "no item of the run is in {qrels}, which judges what its ids say before {sign}: {ours} here, {theirs} there",
                        qrels=data.qrels.name, sign=brief(separator), ours=_first(run.first_items), theirs=_first(judged.ids),
                    ),
                    f"Say --group {shlex.quote(separator)}: documents are then judged by their first passage in a list.",
                )  # fmt: skip
            elif not is_listed.any():
                difference = _mismatch_of_items(run, data.qrels)
                yield _nothing_in_common(
                    run, data.qrels, Composed("item"), run.first_items, data.qrels.items, difference
                )
            elif np.count_nonzero(~is_listed) >= max(ENOUGH, TENTH * len(judged)):
                yield from _partly_apart(
                    run, data.qrels, Composed("item"), _mismatch_of_items(run, data.qrels)
                )
    if data.items is None or data.catalogue is None:
        return
    catalogue, policy = data.catalogue, data.settings.policy
    for run in data.runs:
        unknown = run.mark(_outside_of, catalogue)
        if run.mark(_of_other_kind, catalogue) is not None:
            unknown = run.mark(_every_row)
        if unknown is not None:
            yield _unknown_items(data.items, run.name, unknown.place, unknown.item, unknown.count)
    if data.qrels is not None and of_spans:
        yield from _unknown_documents(data.qrels, data.items)
    elif data.qrels is not None and (policy.group is None or policy.judged == "items"):
        items = data.qrels.items
        rows = _outside(items, catalogue)
        if len(rows):
            row = int(rows[0])
            yield _unknown_items(
                data.items, data.qrels.name, data.qrels.place(row), brief(items.one(row)), len(rows)
            )


def _unknown_documents(qrels: QrelsData, chunks: Items) -> Iterator[Finding]:
    """Gold spans of documents that no chunk is of, or one that is no span."""
    try:
        spans = Spans.of_ids(qrels.items, qrels.place)
    except DataError as error:
        yield Finding("unreadable", "error", qrels.name, str(error), "Mend or remove the row.")
        return
    rows = np.flatnonzero(chunks.spans().documents.find(spans.documents.ids)[spans.document] < 0)
    if len(rows):
        document = spans.documents.ids.one(int(spans.document[rows[0]]))
        yield Finding(
            "unknown-items", "error", qrels.place(int(rows[0])),
            Composed(
                "no chunk of {catalogue} is of the document {document}; {rows} of {name}",
                catalogue=chunks.name, document=brief(document), rows=rows_of(len(rows)), name=qrels.name,
            ),
            "Name documents alike on both sides, or complete the chunks: such spans are never found.", len(rows),
        )  # fmt: skip


def _listed(lists: Lists, judged: Known) -> np.ndarray:
    """Which judged items some list of a batch holds."""
    rows = common(lists.items, judged)
    is_listed = np.zeros(len(judged), np.bool_)
    is_listed[NO_ROWS if rows is None else rows[rows >= 0]] = True
    return is_listed


def _or(total: np.ndarray | None, lists: Lists, own: np.ndarray) -> np.ndarray:  # noqa: ARG001 - as all that add
    return own if total is None else np.logical_or(total, own, out=total)


def _outside(ids: Ids, catalogue: Known) -> np.ndarray:
    """The rows of ids that are not in the catalogue: all of them if the kinds differ."""
    places = common(ids, catalogue)
    return np.arange(len(ids)) if places is None else np.flatnonzero(places < 0)


def _outside_of(lists: Lists, catalogue: Known) -> np.ndarray:
    return _outside(lists.items, catalogue)


def _of_other_kind(lists: Lists, others: Known) -> np.ndarray:
    """All rows of a batch whose ids are text and no numbers, where the others are integers, or the reverse: then the whole run is a stranger."""
    is_other = lists.items.is_text != others.ids.is_text and common(lists.items, others) is None
    return _every_row(lists) if is_other else NO_ROWS


def _every_row(lists: Lists) -> np.ndarray:
    return np.arange(lists.rows)


def _unknown_items(items: Items, name: str, place: str, item: str, count: int) -> Finding:
    return Finding(
        "unknown-items", "error", place,
        Composed(
            "item {item} is not in the catalogue {catalogue}; {rows} of {name}",
            item=item, catalogue=items.name, rows=rows_of(count), name=name,
        ),
        "Complete the catalogue, or say --outside ignore.", count,
    )  # fmt: skip


def sizes(data: LintData) -> Iterator[Finding]:
    """Rows without a size that a budget could add up, if the policy names a column of sizes."""
    if data.settings.policy.sizes is None:
        return
    for run in data.runs:
        error = run.ask(_wrong_size, data.settings.policy, data.items, add=_first_of)
        if error:
            yield Finding(
                "sizes", "error", run.name, error, "Mend the column of sizes: until then no metric at a budget has a value.",
            )  # fmt: skip


def _wrong_size(lists: Lists, policy: Policy, items: Items | None) -> str:
    """What is wrong with the sizes of a batch, nothing if they can be added up."""
    try:
        Sizes.of(policy, items).of_rows(lists, None)
    except RankwellError as error:
        return str(error)
    return ""


def _first_of(total: str | None, lists: Lists, own: str) -> str:  # noqa: ARG001 - as all that add
    return total or own


def groups(data: LintData) -> Iterator[Finding]:
    """Lists of passages, whose ids say of which document they are, where each passage counts by itself; and judgements of documents."""
    if data.settings.policy.group is not None:
        return
    judged = None if data.qrels is None else data.qrels.judged
    for run in data.runs:
        separator = _separator(run.first_items, judged)
        if separator is None or (second := run.mark(_second_of_group, separator)) is None:
            continue
        rule = before(separator)
        value, grouped = data.value(run), data.value(run, group=rule)
        yield Finding(
            "groups", "note", second.place,
            Composed(
                "lists hold several items that say the same before {sign}, such as {item} for query {query}; {rows} in all",
                sign=brief(separator), item=second.item, query=second.query, rows=rows_of(second.count),
            ),
            f"If they are passages of one document, say --group {shlex.quote(separator)}: each document then counts once.", second.count,
            data.change(value, grouped, Composed("with groups")),
        )  # fmt: skip


def _separator(few: Ids, judged: Known | None) -> str | None:
    """What parts the ids of documents from the rest of the ids of items: what documents are judged by, or a usual sign of passages."""
    if not few.is_text or not len(few):
        return None
    for separator in SEPARATORS:
        shorter = ids_before(few, separator.encode())
        if np.count_nonzero(shorter.lengths != few.lengths) * 2 < len(few):
            continue
        if separator in PASSAGES:
            return separator
        # a sign that other ids have, too: only if judgements are of what stands before it
        if judged is not None and judged.ids.is_text:
            of_groups, of_items = ((judged.find(ids) >= 0).mean() for ids in (shorter, few))
            if of_groups >= 0.1 and of_items == 0:
                return separator
    return None


def _second_of_group(lists: Lists, separator: str) -> np.ndarray:
    """The rows whose group has an earlier row in the list."""
    return match.repeats(lists.offsets, *ids_before(lists.items, separator.encode()).columns)[0]


def _judged_groups(run: RunData, judged: Known) -> str | None:
    """The separator before which the ids of the run say what is judged, where no item is."""
    separator = _separator(run.first_items, judged)
    if separator is None or not judged.ids.is_text:
        return None
    return separator if run.mark(_of_judged_group, separator, judged) is not None else None


def _of_judged_group(lists: Lists, separator: str, judged: Known) -> np.ndarray:
    return np.flatnonzero(judged.find(ids_before(lists.items, separator.encode())) >= 0)


def unjudged(data: LintData) -> Iterator[Finding]:
    """Lists whose first k items were mostly never judged."""
    if data.qrels is None or data.qrels.qrels.grade is None or "spans" in data.settings.needs:
        return
    metric = f"judged@{data.settings.k}"
    for run in data.runs:
        # of queries with a list alone: others are a finding of their own, and would be counted here as unjudged
        share = data.value(run, metric, grades="judgements", missing="skip")
        values = data.value(run), data.value(run, unjudged="condense")  # asked at once: one pass less
        if share is not None and share < FEW_JUDGED:
            effect = data.change(*values, Composed("with --unjudged condense"))
            yield Finding(
                "unjudged", "note", run.name,
                Composed(
                    "only {share:.0%} of the first {k} items are judged; the others count as not relevant",
                    share=share, k=data.settings.k,
                ),
                f"Report {metric} beside the metric, or use bpref or --unjudged condense.", 1, effect,
            )  # fmt: skip


def scale(data: LintData) -> Iterator[Finding]:
    """Grades that do not reach the threshold of relevance, and those outside the declared scale."""
    if data.qrels is None or data.qrels.qrels.grade is None or not len(data.qrels.qrels.grade):
        return
    grade, rel = data.qrels.qrels.grade, data.settings.policy.rel
    if rel is not None and rel > grade.max():
        yield Finding(
            "scale", "error", data.qrels.name,
            Composed("no grade reaches rel={rel:g}, the highest is {top:g}", rel=rel, top=grade.max()),
            f"Set rel= to a grade that is there, such as rel={grade.max():g}.",
        )  # fmt: skip
    if data.settings.scale is None:
        return
    rows = np.flatnonzero(~np.isin(grade, data.settings.scale))
    if len(rows):
        allowed = ", ".join(f"{level:g}" for level in data.settings.scale)
        yield Finding(
            "scale", "error", data.qrels.qrels.place(int(rows[0])),
            Composed(
                "the grade {grade:g} is not on the scale {scale}; {rows}",
                grade=grade[rows[0]], scale=allowed, rows=rows_of(len(rows)),
            ),
            "Mend the grades, or declare the scale that they have.", len(rows),
        )  # fmt: skip


def training_items(data: LintData) -> Iterator[Finding]:
    """Items in the lists that the user has in the training data."""
    if data.train is None:
        return
    for run in data.runs:
        seen = run.mark(_training_rows, data.train)
        if seen is not None and common(run.queries, data.train.queries) is not None:
            yield Finding(
                "training-items", "warning", seen.place,
                Composed(
                    "query {query} is shown item {item}, which it has in {train}; {rows}",
                    query=seen.query, item=seen.item, train=data.train.name, rows=rows_of(seen.count),
                ),
                "Leave out what the user has already, unless it may be shown again.", seen.count,
                data.change(data.value(run), data.value(run, change=(without, _training_rows, data.train)), Composed("without them")),
            )  # fmt: skip


def _training_rows(lists: Lists, train: QrelsData) -> np.ndarray:
    """The rows of items that their user has in the training data."""
    user_rows = common(lists.queries, train.queries)
    if user_rows is None or lists.items.is_text != train.items.is_text:
        return NO_ROWS
    nothing = np.zeros(lists.rows, np.uint8)
    return match.hits(
        lists.offsets,
        lists.score,
        *lists.items.columns,
        user_rows,
        train.offsets,
        *train.items.columns,
        nothing,
    )[1]


def _nothing_in_common(
    run: RunData, qrels: QrelsData, word: Composed, ours: Ids, theirs: Ids, difference: Mismatch | None
) -> Finding:
    """The finding of two sides that share no id, with a change that would make them meet."""
    if difference is None and ours.is_text == theirs.is_text:
        difference = _swapped(run, qrels)
    return Finding(
        "nothing-in-common", "error", run.name,
        Composed(
            "no {word} of the run is in {qrels}: {ours} here, {theirs} there{hint}",
            word=word, qrels=qrels.name, ours=_first(ours), theirs=_first(theirs),
            hint="" if difference is None else Composed("; {found}", found=difference.text()),
        ),
        "Are the files of one collection and in the right order? Write the ids alike on both sides."
        if difference is None
        else _remedy(difference, run, qrels),
    )  # fmt: skip


def _mismatch_of_items(run: RunData, qrels: QrelsData) -> Mismatch | None:
    """The change with which judged items would be in a list; of a long run its first lists tell, as they do to ``evaluate``."""
    difference = None
    for rows in (run.n_rows,) if run.n_rows <= MANY else (FEW, MANY):
        query, item = _first_rows(run, rows)
        judged = qrels.items
        if (
            len(item) < run.n_rows
            and (owner := common(qrels.queries.ids, Known(query.distinct()))) is not None
        ):
            is_judged = np.repeat(owner >= 0, np.diff(qrels.offsets))
            judged = judged[np.flatnonzero(is_judged)] if is_judged.any() else judged
        difference = find_mismatch("item", _distinct(item), _distinct(judged))
        if difference is None:
            break
    return difference


def _swapped(run: RunData, qrels: QrelsData) -> Mismatch | None:
    return find_swapped_columns(*_first_rows(run, MANY), qrels.qrels.query, qrels.qrels.item)


def _first_rows(run: RunData, most: int) -> tuple[Ids, Ids]:
    """The query and the item of each row of the first batches, of about so many rows."""
    queries, items, rows = [], [], 0
    for make in run.heads():
        lists = make()
        queries.append(own_text(lists.queries[owners(lists.offsets)]))
        items.append(own_text(lists.items))
        rows += lists.rows
        if rows >= most:
            break
    return Ids.concatenate(queries), Ids.concatenate(items)


def _partly_apart(
    run: RunData, qrels: QrelsData, word: Composed, difference: Mismatch | None
) -> Iterator[Finding]:
    """The finding of two sides of which many ids would meet only after a change."""
    if difference is not None and difference.is_notable:
        yield Finding(
            "id-mismatch", "error" if difference.is_certain else "warning", run.name,
            Composed("of the judged {word} ids that the run does not have, {found}", word=word, found=difference.text()),
            _remedy(difference, run, qrels), difference.matched,
        )  # fmt: skip


def _remedy(difference: Mismatch, run: RunData, qrels: QrelsData) -> str:
    return f"Write the ids alike on both sides: {difference.remedy(IdSource.of(run.run), IdSource.of(qrels.qrels))}"


def _distinct(ids: Ids) -> Ids:
    return ids[ids.group()[1]]


def _first(ids: Ids) -> str:
    return brief(ids.one(0)) if len(ids) else Composed("none")


RULES: tuple[Callable[[LintData], Iterator[Finding]], ...] = (
    queries,
    items,
    groups,
    sizes,
    unjudged,
    scale,
    training_items,
)
