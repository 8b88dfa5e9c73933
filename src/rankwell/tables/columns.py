"""Columns of tables: rankwell's word for each, the names that people and tools give it, and the tables that hold it.

This is the one place that knows them; tools/make_columns.py writes its table into docs/formats.md.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from rankwell.errors import brief


def plain_name(name: str) -> str:
    """Return a name in lower case, without other signs than letters and digits.

    >>> plain_name("User ID"), plain_name("corpus-id")
    ('userid', 'corpusid')
    """
    return "".join(sign for sign in name.lower() if sign.isalnum())


class KnownColumn(NamedTuple):
    """One column: its kind (``id``, ``number`` or ``time``), what it holds, and its names with where each comes from.

    A column with a ``need``, as metrics declare it, is read of its ``tables`` only if a metric has that need, or somebody names the
    column; to everybody else its names mean nothing. ``values`` are the only numbers that it may hold, if not all. One line here is all
    that such a column takes.
    """

    kind: str
    holds: str
    names: dict[str, str]
    need: str = ""
    tables: tuple[str, ...] = ()
    values: tuple[float, ...] = ()


def _names(**sources: str) -> dict[str, str]:
    """Each name with its source, from the names of each source."""
    spelt = {"scikit_learn": "scikit-learn", "H_and_M": "H&M"}
    return {
        name: spelt.get(source, source.replace("_", " "))
        for source, names in sources.items()
        for name in names.split()
    }


# The first name of each column is rankwell's word. Names are compared in lower case, without other signs than letters and digits.
# A name stands here only if it can mean nothing else; what has two readings (loss, value, weight) is asked about.
COLUMNS = {
    "query": KnownColumn("id", "the query, or the user", _names(
        common="query query_id q user user_id customer_id session_id topic_id", TREC_and_PyTerrier="qid", Surprise="uid",
        RePlay="user_idx", CatBoost="group_id", torchmetrics="indexes", Retailrocket="visitor_id",
    )),
    "item": KnownColumn("id", "the item, or the document", _names(
        common="item item_id doc doc_id did document document_id movie movie_id product product_id track_id",
        TREC_and_PyTerrier="docno", Surprise="iid", BEIR="corpus_id", Amazon="asin", MS_MARCO="pid passage_id", RePlay="item_idx",
        MIND="news_id", H_and_M="article_id", chunks_of_documents="chunk_id", Goodreads="book_id",
    )),
    "score": KnownColumn("number", "higher is better", _names(
        common="score prediction predicted pred sim similarity predicted_score prediction_score predicted_rating pred_score "
        "pred_rating model_score ranking_score retrieval_score similarity_score cosine_similarity match_score relevance_score "
        "bm25_score logit logits y_hat",
        scikit_learn="y_score y_pred", torchmetrics="preds", Surprise="est", LightGBM="raw_prediction", CatBoost="RawFormulaVal",
    )),
    "rank": KnownColumn("number", "1 is best", _names(
        common="rank position pos ranking rnk rank_position item_rank result_rank", UBI="ordinal",
    )),
    "grade": KnownColumn("number", "the judged relevance, or true and false, yes and no, good and bad, up and down, relevant and not relevant", _names(
        common="grade relevance rating label judgement judgment target gain stars star_rating user_rating actual_rating true_rating "
        "rel relevance_grade relevance_label relevance_judgment relevance_judgement relevance_rating relevancy relevant is_relevant",
        scikit_learn="y_true", Surprise="r_ui", Amazon="esci_label",
    )),
    "topic": KnownColumn("id", "the topic of a judgement", _names(common="topic subtopic aspect genre")),
    "topic_weight": KnownColumn("number", "the weight of the row's topic for its query, the same in every row with that query and topic", _names(
        common="topic_weight subtopic_weight aspect_weight topic_probability intent_probability",
    )),
    "propensity": KnownColumn("number", "the probability that the judgement was observed", _names(
        common="propensity propensity_score", Open_Bandit="pscore",
    )),
    "imputed": KnownColumn("number", "other than 0 if the grade was imputed", _names(common="imputed")),
    "time": KnownColumn("time", "when it was", _names(
        common="time timestamp ts date datetime unixtime event_time created_at",
    )),
    "document": KnownColumn("id", "the document that a chunk or a gold span is a part of", _names(
        common="document document_id doc doc_id did", TREC_and_PyTerrier="docno", Chroma="corpus_id",
    ), "spans", ("items", "qrels")),
    "start": KnownColumn("number", "the first character of a chunk or a gold span, counted from 0", _names(
        common="start start_char start_offset", Chroma="start_index",
    ), "spans", ("items", "qrels")),
    "end": KnownColumn("number", "the character after the last one of a chunk or a gold span", _names(
        common="end end_char end_offset", Chroma="end_index",
    ), "spans", ("items", "qrels")),
    "size": KnownColumn("number", "what an item costs of a budget, such as its tokens", _names(common="size"), "sizes", ("items", "run")),
    "part": KnownColumn("id", "the part of its query's answer that a row belongs to, such as a sentence, by number or by name", _names(
        common="part part_id part_number sentence sentence_id sentence_number",
    ), "parts", ("run",)),
    "support": KnownColumn("number", "how far a cited item supports its part: 1, 0.5, 0, or full_support, partial_support, no_support, or FS, PS, NS", _names(
        common="support support_label",
    ), "support", ("run",), (1.0, 0.5, 0.0)),
}  # fmt: skip
# Of a log of clicks, where a user is no query and a target no grade: what each holds is asked for by these words.
LOG_COLUMNS = {
    "impression": KnownColumn("id", "one answer that was shown", _names(common="impression impression_id search_id serp_id request_id")),
    "query": KnownColumn("id", "the query, by id or text", _names(
        common="query query_id query_text search_query search_term", UBI="user_query",
    )),
    "user": KnownColumn("id", "who saw it", _names(common="user user_id customer_id visitor_id", UBI="client_id")),
    "rank": KnownColumn("number", "where it stood", _names(common="rank position pos", UBI="ordinal")),
    "item": KnownColumn("id", "what was shown", COLUMNS["item"].names | _names(UBI="object_id", Open_Bandit="action")),
    "click": KnownColumn("number", "whether, or how often, it was clicked", _names(common="click clicks clicked is_click is_clicked n_clicks")),
    "team": KnownColumn("id", "the ranker that an interleaved item came from", _names(common="team ranker", interleaved="ranking_function")),
    "swap": KnownColumn("number", "the rank that was swapped with rank 1 at random", _names(common="swap")),
    "propensity": KnownColumn("number", "the logging policy's probability of what was shown", COLUMNS["propensity"].names),
    "target": KnownColumn("number", "the probability of the same under the new policy", _names(common="target target_probability")),
    "unseen": KnownColumn("number", "the new policy's mass on what the logging policy never shows", _names(common="unseen")),
    "reward": KnownColumn("number", "what it earned", _names(common="reward")),
    "q": KnownColumn("number", "the reward that a model expects of what was shown", _names(common="q q_hat")),
    "v": KnownColumn("number", "the reward that a model expects of the new policy", _names(common="v v_hat")),
    "time": KnownColumn("time", "when it was", COLUMNS["time"].names),
}  # fmt: skip
# which columns are read of each table, beside those that are named by somebody
WORDS = {
    "run": ("query", "item", "score", "rank"),
    "qrels": ("query", "item", "grade", "topic", "topic_weight", "propensity", "imputed"),
    "sample": ("query", "item", "grade", "propensity"),
    "items": ("item",),
    "users": ("query",),
    "queries": (),  # which of several columns is the id is found out from all of them
}
SPAN = ("document", "start", "end")  # what a judgement of a span has in place of an item
EXTRA = tuple(
    word for word, column in COLUMNS.items() if "run" in column.tables
)  # which a run has only for some metrics
ID_WORDS = tuple(word for word, column in COLUMNS.items() if column.kind == "id")
# A run may well have a column "size" or "start" of its own, so the names of columns that metrics need are not known to everybody.
KNOWN = {
    plain_name(name): word for word, column in COLUMNS.items() if not column.need for name in column.names
}
# Beside a score these are ranks that a user saw; other names may count all items, or hold another system's ranks.
RANKS_BESIDE_SCORES = frozenset(("rank", "position", "pos"))
# a name in the first place is the id where the others of its row are a text, or a number of the program
IDS = {
    "qid": {"query", "q"}, "queryid": {"query", "q"}, "userid": {"user"}, "uid": {"user"},
    "docno": {"docid", "did", "doc", "document", "documentid"}, "docid": {"doc", "document"}, "documentid": {"doc", "document"},
    "did": {"doc", "document"}, "corpusid": {"doc", "document"}, "movieid": {"movie"}, "productid": {"product"},
}  # fmt: skip

# names of columns that are never taken for a forgotten score or grade, by their last word
PARTS = {"id", "idx", "index", "key", "fold", "split"}
TIMES = {
    "time", "timestamp", "ts", "date", "datetime", "epoch", "year", "month", "week", "weekday", "day", "hour", "minute", "second",
}  # fmt: skip
# how long somebody stayed is no time of day, but says how much they liked it
DURATIONS = {
    "dwell", "watch", "watched", "play", "played", "listen", "listened", "view", "viewing", "read", "reading",
}  # fmt: skip
# what an id written in one word is an id of: "userid", but not "hybrid"
IDENTIFIED = frozenset((
    "account", "ad", "album", "app", "article", "artist", "asset", "author", "basket", "batch", "book", "brand", "campaign", "cart",
    "category", "channel", "chunk", "class", "client", "cluster", "content", "corpus", "customer", "device", "doc", "document", "entity",
    "event", "fold", "game", "genre", "group", "hotel", "image", "impression", "invoice", "item", "job", "label", "list", "member",
    "model", "movie", "news", "node", "object", "order", "page", "parent", "passage", "person", "place", "playlist", "poi", "post",
    "product", "profile", "publisher", "query", "record", "request", "restaurant", "row", "run", "sample", "search", "segment",
    "sentence", "session", "shop", "show", "sku", "song", "source", "split", "store", "student", "tag", "task", "test", "topic", "track",
    "train", "transaction", "trip", "type", "user", "venue", "video", "visitor", "c", "d", "g", "i", "p", "q", "s", "t", "u",
))  # fmt: skip
# patterns that most commands never need are compiled where they are used
WRITTEN_INDEX = r"unnamed_?0(_\d+)*|_*index_?level_?\d+_*|level_\d+"  # by pandas
CASE = r"(?<=[a-z0-9])(?=[A-Z])"
# Columns whose texts name the system that made a row; of False, other things have them too: items of several systems tell.
SYSTEMS = dict.fromkeys((
    "modelname", "system", "systemname", "algorithm", "algo", "recommender", "runid", "runname", "run", "experiment",
), True)  # fmt: skip
SYSTEMS |= dict.fromkeys(("model", "method", "approach", "variant"), False)
# and those that number the repeats of one system, or the folds of the data, whose rows may belong together
REPEATS = frozenset((
    "seed", "randomseed", "epoch", "trial", "repeat", "repetition", "replicate", "replication", "checkpoint", "ckpt",
))  # fmt: skip
FOLDS = REPEATS | {"fold", "cvfold", "kfold", "foldid", "cv", "split"}
SYSTEMS |= dict.fromkeys(REPEATS, True)
# how sure a classifier is, whose prediction is then a class; and what a later step of a system made of its scores or ranks
PROBABILITIES = frozenset((
    "probability", "prob", "proba", "yprob", "yproba", "predprob", "predproba", "predictproba", "predictedprobability", "confidence",
    "prob1", "proba1", "probability1",
))  # fmt: skip
LATER = {
    step + word: word
    for step in ("final", "rerank", "reranked", "reranker", "reranking", "fused", "fusion", "combined", "hybrid", "new", "ensemble", "blended")
    for word in ("score", "rank")
}  # fmt: skip
# Words in the name of a column that says of which experiment a row of a log is. The others count only as the first word ("age_bucket"
# is a user's), and where neither the item nor what was chosen can have them.
EXPERIMENTS = frozenset(("experiment", "experiments", "test", "tests", "abtest", "ab"))
BRANCHES = frozenset(("exp", "expt", "variant", "variation", "treatment", "campaign", "trial", "bucket"))
# columns that say to which part of the data a row belongs, and the words for what a system learns from, and for what it is judged by
DIVISIONS = frozenset(
    ("split", "set", "subset", "datasplit", "dataset", "partition", "part", "phase", "usage")
)
LEARNED, HELD_OUT = (
    frozenset(("train", "training")),
    frozenset(("test", "testing", "valid", "validation", "val", "dev", "eval", "holdout")),
)

# what stands for an item in a row of sums or means, which spreadsheets, pivot tables and databases write behind the others
TOTALS = frozenset((
    "total", "totals", "grand total", "subtotal", "sum", "average", "avg", "mean", "all", "count", "gesamt", "gesamtergebnis", "summe",
    "mittelwert", "somme", "moyenne", "suma", "promedio", "media", "média", "totale", "итого", "合計", "合计", "总计", "합계",
))  # fmt: skip

MOST_LEVELS = 10
LEAST_TIME = 1e8  # a count of seconds since 1970 was above this in 1973
INCLUSIVE = " An end is the character after the last one: add 1 to an end that is inclusive."
TRUTH = {"true": 1.0, "false": 0.0}
# what people write of nuggets, the facts that an answer should hold: how important each is, and what an answer says of it
IMPORTANCE_WORDS = {"vital": 2.0, "okay": 1.0}
SUPPORT_WORDS = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
# and of a citation: how far the cited item supports its sentence, also by the letters of TREC RAG
CITATION_WORDS = SUPPORT_WORDS | {
    "full_support": 1.0, "no_support": 0.0, "fs": 1.0, "ps": 0.5, "ns": 0.0,
    "full support": 1.0, "partial support": 0.5, "no support": 0.0,
}  # fmt: skip
# what people write in a column of grades
GRADE_WORDS = TRUTH | {
    "yes": 1.0, "no": 0.0, "like": 1.0, "dislike": 0.0, "positive": 1.0, "negative": 0.0, "relevant": 1.0, "irrelevant": 0.0, "nonrelevant": 0.0, "non-relevant": 0.0, "not relevant": 0.0, "not_relevant": 0.0,
    "good": 1.0, "bad": 0.0, "up": 1.0, "down": 0.0, "y": 1.0, "n": 0.0, "t": 1.0, "f": 0.0,
} | IMPORTANCE_WORDS  # fmt: skip
NUMBER_WORDS = {"grade": GRADE_WORDS, "score": TRUTH | SUPPORT_WORDS, "support": CITATION_WORDS}


def number_of(word: Any, words: Mapping[str, float]) -> float | None:
    """Return the number of what people write for one, in upper or lower case; None if it is none of these words.

    >>> number_of("Partial_Support", SUPPORT_WORDS), number_of(1, SUPPORT_WORDS)
    (0.5, None)
    """
    return words.get(word.strip().lower()) if isinstance(word, str) else None


def words_read(word: str, given: Iterable[str]) -> str:
    """Which words are read as numbers, for the message about a column of words; of scores only if one of these was written.

    >>> words_read("score", ["support", "none"])
    ' Of words only these are read: true, false, support, partial_support, not_support; replace others by numbers, the better the higher.'
    >>> words_read("score", ["0.5x"])
    ''
    """
    words = NUMBER_WORDS.get(word, {})
    if word == "score" and words.keys().isdisjoint(given):
        return ""
    return (
        f" Of words only these are read: {', '.join(words)}; replace others by numbers, the better the higher."
        if words
        else ""
    )


class UnreadColumn(NamedTuple):
    """A column of a table that was not read: whether it holds numbers, and these if they are at most ten; None if nobody looked.

    ``words`` are those of a column of text in judgements, if they are at most ten; None if they are more.
    """

    name: str
    is_number: bool | None = None
    levels: tuple[float, ...] | None = None
    words: tuple[str, ...] | None = ()


NOT_READ = "columns not read in the "


def counts_of(what: str, unread: Sequence[UnreadColumn]) -> dict[str, int]:
    """Return the count of columns that the run or the judgements have and that are not read, under a text that names them.

    >>> counts_of("run", [UnreadColumn("title"), UnreadColumn("year")])
    {"columns not read in the run: 'title', 'year'": 2}
    """
    return {f"{NOT_READ}{what}: {', '.join(brief(column.name) for column in unread)}": len(unread)}


def merge_unread(parts: Sequence[tuple[UnreadColumn, ...]]) -> tuple[UnreadColumn, ...]:
    """Return the columns that some of several tables do not read, with the numbers of all.

    >>> merge_unread([(UnreadColumn("plays", True, (1.0, 2.0)),), (UnreadColumn("plays", True, (0.0,)),)])
    (UnreadColumn(name='plays', is_number=True, levels=(0.0, 1.0, 2.0), words=()),)
    """
    found: dict[str, UnreadColumn] = {}
    for column in (column for part in parts for column in part):
        known = found.get(column.name, column)
        found[column.name] = UnreadColumn(
            column.name,
            known.is_number and column.is_number,
            _few_of_both(known.levels, column.levels),
            _few_of_both(known.words, column.words),
        )
    return tuple(found.values())


def _few_of_both(known: tuple[Any, ...] | None, others: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
    """The values of two columns together if these are at most ten."""
    if known is None or others is None:
        return None
    both = tuple(sorted({*known, *others}))
    return both if len(both) <= MOST_LEVELS else None


def known_word(name: str) -> str | None:
    """Return rankwell's word for the usual name of a column, in any spelling.

    >>> known_word("User ID"), known_word("corpus-id"), known_word("colour")
    ('query', 'item', None)
    """
    return KNOWN.get(plain_name(name))


def needed_words(kind: str, needs: Collection[str], named: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the columns that are read of a kind of table for metrics with these needs, or because one of them was named.

    >>> needed_words("qrels", {"spans"}), needed_words("items", (), ["size"]), needed_words("run", {"spans"})
    (('document', 'start', 'end'), ('size',), ())
    """
    needs = {*needs, *(COLUMNS[word].need for word in named if word in COLUMNS)} - {""}
    return tuple([word for word, column in COLUMNS.items() if column.need in needs and kind in column.tables])


def named_as(word: str, columns: Iterable[str]) -> list[str]:
    """Return the columns that have one of a word's names, in any spelling.

    >>> named_as("start", ["Start_Index", "end", "start"])
    ['Start_Index', 'start']
    """
    names = {plain_name(name) for name in COLUMNS[word].names}
    return [column for column in columns if plain_name(column) in names]


def words_in(name: str) -> list[str]:
    """Return the words of a name, in lower case."""
    return [word for word in re.split(r"[\W_]+", re.sub(CASE, "_", name).lower()) if word]


def names_experiments(name: str) -> bool | None:
    """Whether a column says by its name of which experiment a row of a log is; None if that may be something of the item or of the choice.

    >>> [names_experiments(name) for name in ("experimentId", "ab_test", "testname", "variant_id", "latest", "age_bucket")]
    [True, True, True, None, False, False]
    """
    words = [re.sub("(id|name|group)$", "", word) for word in words_in(name)]
    return True if EXPERIMENTS.intersection(words) else None if BRANCHES.intersection(words[:1]) else False


def is_passed(name: str) -> bool:
    """Whether a column is a time, an identifier, a part of the data or an index by its name, and so no forgotten score or grade.

    >>> [name for name in ("created_at", "shopId", "fold", "Unnamed: 0", "p_buy", "hybrid", "dwell_time") if is_passed(name)]
    ['created_at', 'shopId', 'fold', 'Unnamed: 0']
    """
    words = words_in(name)
    if re.fullmatch(WRITTEN_INDEX, "_".join(words)) or known_word(name) in ("query", "item", "topic"):
        return True
    last = words[-1] if words else ""
    if known_word(name) == "time" or last in TIMES:
        return not DURATIONS.intersection(words)
    is_glued = len(words) == 1 and last.endswith("id") and last[:-2] in IDENTIFIED
    return last in PARTS or is_glued or (last == "at" and len(words) > 1)


def stem_of(name: str) -> str | None:
    """Return what a name is without the number that it ends with; None if it has none, or is one.

    >>> stem_of("item_2"), stem_of("item.1"), stem_of("item")
    ('item', 'item', None)
    """
    found = re.fullmatch(r"(.*?[^\W\d_])[\W_]*\d+", name)
    return None if found is None else found[1]


# What happened, in a log of views, purchases and skips: some rows are no hits, or weaker ones.


# opened, which many take for a hit, and others for less than a purchase
VIEWS = frozenset((
    "view", "views", "viewed", "detail_view", "item_view", "product_view", "view_item", "pageview", "page_view", "pv", "seen",
))  # fmt: skip
# what an item got of a user who was shown it and no more, did not want it, or gave it back
LESS = VIEWS | frozenset((
    "impression", "impressions", "exposure", "exposed", "shown", "served", "not_clicked", "no_click", "noclick", "non-click",
    "skip", "skipped", "ignore", "ignored", "dismiss", "dismissed", "hide", "hidden", "bounce", "bounced",
    "dislike", "disliked", "unlike", "unliked", "hate", "hated", "downvote", "downvoted", "thumbs_down", "thumb_down", "thumbs down",
    "remove", "removed", "remove_from_cart", "removefromcart", "unfollow", "unsubscribe", "not_interested", "not interested",
    "return", "returned", "refund", "refunded", "cancel", "cancelled", "canceled", "cancellation", "reject", "rejected", "declined",
    "abandoned",
    # what a judge writes of an item that is not relevant, or not quite
    "irrelevant", "nonrelevant", "non-relevant", "not relevant", "not_relevant", "partially relevant", "partially_relevant",
    "marginally relevant", "somewhat relevant", "unrelated", "not related", "off-topic", "off topic", "off_topic", "incorrect", "wrong",
    "no match", "no_match", "unhelpful", "not helpful", "useless", "👎", "❌", "✗", "✘",
))  # fmt: skip
# yes and no in other languages; a column of such words holds no others
ANSWERS = {frozenset(pair): pair[1] for pair in (
    ("ja", "nein"), ("ja", "nej"), ("ja", "nee"), ("oui", "non"), ("si", "no"), ("sí", "no"), ("sì", "no"), ("sim", "não"), ("sim", "nao"),
    ("tak", "nie"), ("да", "нет"), ("是", "否"), ("はい", "いいえ"), ("evet", "hayır"), ("kyllä", "ei"), ("vrai", "faux"),
    ("wahr", "falsch"), ("vero", "falso"), ("verdadero", "falso"), ("verdadeiro", "falso"),
)}  # fmt: skip


def words_for_less(words: Collection[str]) -> list[str]:
    """Return those of the words in a column that say that a row is no hit, or a weaker one, if others do not say so.

    >>> words_for_less(["view", "buy"]), words_for_less(["click", "buy"]), words_for_less(["view"]), words_for_less(["nein", "ja"])
    (['view'], [], [], ['nein'])
    """
    less = [word for word in words if word in LESS or word == ANSWERS.get(frozenset(words))]
    return less if len(less) < len(words) else []
