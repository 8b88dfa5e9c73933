"""Ids stay what they are in pickles, also in those that are made for other machines."""

from __future__ import annotations

import pickle

import cloudpickle
import pytest

from rankwell.tables.ids import Ids


@pytest.mark.parametrize("library", [pickle, cloudpickle], ids=["pickle", "cloudpickle"])
@pytest.mark.parametrize("values", [[3, 1], ["b", ""], [""]], ids=str)
def test_ids_come_back_as_they_were(library, values):
    ids = Ids.of(values)
    again = library.loads(library.dumps(ids))
    assert (again.is_text, again.tolist()) == (ids.is_text, values)
