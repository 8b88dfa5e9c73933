"""What a worker forgets after a task, and how batches are cut."""

from __future__ import annotations

import importlib
import sys
import zipfile

import pytest

from rankwell.evaluation.engines.spark.workers import BATCH_BYTES, BATCH_ROWS, BatchFunction, batches_by_rows


class Settings(dict):
    """Settings as those of a session of Spark: what nobody set is not known by ``get``."""

    set, unset = dict.__setitem__, dict.__delitem__


class Session:
    def __init__(self, settings):
        self.conf = Settings(settings)


@pytest.fixture
def archive(tmp_path, monkeypatch):
    """Return a function that makes an archive with a module, on the path of Python."""

    def made(name, module):
        with zipfile.ZipFile(tmp_path / name, "w") as opened:
            opened.writestr(f"{module}.py", f"NAME = {module!r}\n")
        monkeypatch.syspath_prepend(str(tmp_path / name))
        return str(tmp_path / name)

    return made


def test_a_worker_forgets_the_importers_of_spark_and_no_others(archive):
    own, other = archive("pyspark.zip", "rankwell_test_of_spark"), archive("added.zip", "rankwell_test_added")
    names = "rankwell_test_of_spark", "rankwell_test_added"
    try:
        assert [importlib.import_module(name).NAME for name in names] == [*names]
        assert {own, other} <= set(sys.path_importer_cache)
        assert list(BatchFunction(iter)([1, 2])) == [1, 2]
        assert own not in sys.path_importer_cache
        assert other in sys.path_importer_cache
        del sys.modules[names[0]]
        assert names[0] == importlib.import_module(names[0]).NAME  # and is found again if it must be
    finally:
        for name in names:
            sys.modules.pop(name, None)


def test_batches_end_by_rows_alone_while_spark_is_asked():
    session = Session({})
    with batches_by_rows(session):
        assert session.conf == {BATCH_BYTES: "2147483647"}
    assert session.conf == {}
    with pytest.raises(ValueError, match="within"), batches_by_rows(session):
        raise ValueError("within")
    assert session.conf == {}


@pytest.mark.parametrize("asked", [{BATCH_BYTES: "1000"}, {BATCH_ROWS: "0"}, {BATCH_ROWS: "-1"}])
def test_what_a_user_set_for_batches_stays(asked):
    session = Session(asked)
    with batches_by_rows(session):
        assert session.conf == asked
    assert session.conf == asked
