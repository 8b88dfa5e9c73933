"""Words for what happened: in a log of views, purchases and skips some rows are no hits, or weaker ones."""

from __future__ import annotations

from collections.abc import Collection

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
