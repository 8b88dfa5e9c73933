"""Words of an Arrow column: texts of all lengths beside Python's dicts, lists of them beside plain loops, and other columns."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.every import every

from rankwell.kernels import ids as kernel
from rankwell.kernels import words

LETTERS = "aé\0 "  # one byte, two, the byte that pads a short text, and a blank


def some_texts(rng: np.random.Generator, count: int) -> list[str | None]:
    """Texts around the 12 bytes that a view holds itself, many of them alike but for one letter."""
    texts: list[str | None] = []
    for _ in range(count):
        length = int(rng.choice([0, 1, 3, 4, 5, 11, 12, 13, 14, 40]))
        text = "topic_of_a_very_long_name_that_all_share"[:length]
        texts.append(None if rng.random() < 0.1 else text[:-1] + str(rng.choice(list(LETTERS))))
    return texts


def group(column: pl.Series) -> tuple[list[int], list[int]]:
    codes, firsts = words.group(column.__arrow_c_stream__(), len(column))
    return codes.tolist(), firsts.tolist()


def plain(texts: list[str | None]) -> tuple[list[int], list[int]]:
    number: dict[str, int] = {}
    codes = [-1 if text is None else number.setdefault(text, len(number)) for text in texts]
    return codes, [texts.index(text) for text in number]


@every("seed", range(12))
def test_words_are_numbered_by_first_appearance(seed):
    rng = np.random.default_rng(seed)
    texts = some_texts(rng, int(rng.integers(0, 300)))
    column = pl.Series(texts, dtype=pl.String)
    assert group(column) == plain(texts)
    begin = int(rng.integers(0, len(texts) + 1))
    assert group(column.slice(begin)) == plain(texts[begin:])


def test_more_words_than_fit_into_the_first_table():
    texts = [f"{n % 9_000}{'-a long tail' * (n % 3)}" for n in range(30_000)]
    assert group(pl.Series(texts)) == plain(texts)


def test_a_column_that_was_filtered_or_put_together_is_read_after_rechunk():
    rng = np.random.default_rng(3)
    texts = some_texts(rng, 200)
    column = pl.Series(texts, dtype=pl.String)
    both = pl.concat([column, column[::-1]], rechunk=False).filter([n % 3 > 0 for n in range(400)])
    assert group(both.rechunk()) == plain([text for n, text in enumerate(texts + texts[::-1]) if n % 3])


def test_no_words_at_all():
    assert group(pl.Series([], dtype=pl.String)) == ([], [])
    assert group(pl.Series([None, None], dtype=pl.String)) == ([-1, -1], [])


@pytest.mark.parametrize("column", [pl.Series([1, 2]), pl.Series([["a"]]), pl.Series([b"a"])])
def test_columns_that_are_not_text_are_refused(column):
    with pytest.raises(ValueError, match="not text"):
        words.group(column.__arrow_c_stream__(), len(column))
    with pytest.raises(ValueError, match="not text"):
        words.ids(column.__arrow_c_stream__(), len(column))


def test_a_column_in_several_chunks_is_refused():
    column = pl.concat([pl.Series(["a"]), pl.Series(["b"])], rechunk=False)
    with pytest.raises(ValueError, match="a first chunk of 1 rows, not 2"):
        words.group(column.__arrow_c_stream__(), 2)
    with pytest.raises(ValueError, match="a first chunk of 1 rows, not 2"):
        words.ids(column.__arrow_c_stream__(), 2)


def check_ids(texts: list[str]) -> int:
    """Ids of texts are those texts, with the keys that other columns have; how many bytes of text they share."""
    column = pl.Series(["in front", *texts], dtype=pl.String).slice(1)
    keys, text, starts, lengths = words.ids(column.__arrow_c_stream__(), len(texts))
    spans = zip(starts.tolist(), lengths.tolist(), strict=True)
    assert [text[start : start + length].tobytes().decode() for start, length in spans] == texts
    if texts and len(text):
        assert keys.tolist() == kernel.keys(text, starts, lengths).tolist()
    return len(text)


@every("seed", range(12))
def test_ids_are_the_texts_and_their_keys(seed):
    rng = np.random.default_rng(seed)
    check_ids([text for text in some_texts(rng, int(rng.integers(0, 300))) if text is not None])


def test_ids_that_are_empty_or_none():
    assert check_ids([]) == check_ids(["", ""]) == 0


def test_more_ids_than_there_are_slots():
    check_ids([f"{n % 50_000}{'-a long tail' * (n % 3)}" for n in range(120_000)])


def test_an_id_that_is_repeated_is_copied_once():
    assert check_ids(["user-1"] * 20 + ["user-2"] * 20 + ["user-1"]) == 12
    # longer than a view holds: the rows of a dictionary's entry have the same view
    entries = pl.Series(["the first of two long entries", "the second"]).gather([0, 1] * 20)
    _, text, starts, _ = words.ids(entries.__arrow_c_stream__(), 40)
    assert len(text) == 39
    assert starts.tolist() == [0, 29] * 20


@every("seed", range(12))
def test_lists_have_each_code_once_in_order_of_first_appearance(seed):
    rng = np.random.default_rng(seed)
    count, spelt, names = int(rng.integers(0, 30)), int(rng.integers(1, 9)), int(rng.integers(1, 6))
    lengths = rng.integers(0, 7, count)
    offsets = np.append(0, np.cumsum(lengths)).astype(np.int64)
    listed = rng.integers(-1, spelt, int(offsets[-1])).astype(np.int32)
    codes = rng.integers(-1, names, spelt)
    rows = np.flatnonzero(rng.random(count) < 0.6)
    found_lengths, found = words.lists(offsets, listed, codes, names, rows)
    expected = []
    for row in rows:
        in_list = [int(codes[w]) for w in listed[offsets[row] : offsets[row + 1]] if w >= 0]
        expected.append(list(dict.fromkeys(code for code in in_list if code >= 0)))
    assert found_lengths.tolist() == [len(codes) for codes in expected]
    assert found.tolist() == [code for codes in expected for code in codes]
