"""Users: the labels of a column."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from rankwell.tables.items_users import Users


@pytest.mark.parametrize("different", [1, 7, 150, 299, 300])
def test_labels_of_a_column_are_its_distinct_texts_whether_few_or_many(different):
    rng = np.random.default_rng(different)
    cells = [None if number == 5 else f"{'äzÄ '[number % 4]}{number}" for number in range(different)]
    column = [cells[row % different] for row in rng.permutation(300)]
    users = Users(range(300), pl.DataFrame({"tier": pl.Series(column, dtype=pl.String)}))
    labels, codes = users.labels("tier")
    texts = ["(unknown)" if cell is None else cell for cell in column]
    assert labels.to_list() == list(dict.fromkeys(texts))
    assert [labels[code] for code in codes.tolist()] == texts
