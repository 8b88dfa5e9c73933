"""Ids of two kinds: text that is plain numbers becomes integers, other text is named."""

from __future__ import annotations

import re

import pytest

from rankwell.errors import DataError
from rankwell.tables.ids import Ids, to_same_kind


@pytest.mark.parametrize("place", [0, 1, 5, 8, 9])
@pytest.mark.parametrize("odd", ["0074958", "tt7", "7.0", "+7"])
def test_the_id_that_is_no_plain_number_is_named(place, odd):
    texts = [str(number) for number in range(1, 11)]
    texts[place] = odd
    for ids, like in (([5, 7], texts), (texts, [5, 7])):
        with pytest.raises(DataError, match=re.escape(f"the text is not plain numbers (such as {odd!r})")):
            to_same_kind(Ids.of(ids), Ids.of(like), "item")
