"""What is shown of results: values per query only where they are wanted, which is true or false."""

from __future__ import annotations

import numpy as np
import pytest

import rankwell as rw

SHOWN = ["to_json", "to_dict", "to_table", "to_markdown", "to_latex", "to_html", "to_csv"]


@pytest.mark.parametrize("name", SHOWN)
def test_per_query_is_true_or_false(name):
    show = getattr(rw.evaluate({"1": ["a"]}, {"1": {"a": 1}}, ["rr"]), name)
    for wrong in (np.array([1, 2]), np.array([1j, 2]), "x", None, 3):
        with pytest.raises(rw.RankwellError, match=r"per_query=.*must be true or false"):
            show(per_query=wrong)
    assert str(show(per_query=np.True_)) == str(show(per_query=True))
