"""The public names: what dir() shows, what can be reached, and what a wrong name is answered with."""

from __future__ import annotations

import ast
import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest
from tools import make_names

import rankwell as rw
from rankwell.metrics import classes
from rankwell.metrics.metric import REGISTRY
from rankwell.metrics.names import METRICS, MODULES

FILES = make_names.pages()


def names_in(stub: Path) -> set[str]:
    """What a type checker takes for public: definitions, and imports of the form `X as X`."""
    names: set[str] = set()
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            names.update(alias.asname for alias in node.names if alias.asname == alias.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return names


@pytest.mark.parametrize("path", FILES, ids=lambda path: "-".join(path.parts[-2:]))
def test_the_files_made_from_the_registry_are_current(path):
    assert path.read_text(encoding="utf-8") == FILES[path], "run `make names`"


def test_the_table_has_every_name_and_alias_of_every_built_in_metric():
    built_in = [cls for cls in classes() if cls.__module__.startswith("rankwell.")]
    homes = {name: cls.__module__ for cls in built_in for name in (cls.name, *cls.aliases)}
    assert {name: f"rankwell.metrics.{module}" for name, module in MODULES.items()} == homes
    assert set(METRICS) == {cls.__name__ for cls in built_in}


def test_a_type_checker_sees_every_public_name_and_every_metric():
    assert names_in(Path(rw.__file__).with_suffix(".pyi")) == {*rw.__all__, *METRICS}
    assert names_in(Path(rw.metrics.__file__).with_suffix(".pyi")) == set(rw.metrics.__all__)
    for face in (rw.judging, rw.prepare):
        assert names_in(Path(face.__file__).with_suffix(".pyi")) == set(face.__all__)


def test_dir_shows_the_nouns_and_verbs_and_two_dozen_metrics():
    assert sorted(dir(rw)) == sorted(set(rw.__all__))
    assert len(set(METRICS) & set(dir(rw))) == 24
    assert {"Run", "Qrels", "Policy", "Results", "evaluate", "explain", "metrics", "nDCG"} <= set(dir(rw))


@pytest.mark.parametrize("name", rw.__all__)
def test_a_public_name_resolves(name):
    assert getattr(rw, name) is not None


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_is_reachable_and_listed_in_metrics(name):
    assert getattr(rw, name) is getattr(rw.metrics, name)
    assert getattr(rw, name).__name__ == name
    assert name in dir(rw.metrics)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("NDCG", "nDCG"), ("ndcg", "nDCG"), ("MAP", "AP"), ("mrr", "RR"), ("Recall", "R"), ("precision", "P"),
        ("HitRate", "Hit"), ("AlphaNDCG", "AlphanDCG"), ("Evalute", "evaluate"), ("evaluator", "Evaluator"), ("read_runs", "read_run"),
    ],
)  # fmt: skip
def test_a_near_miss_is_told_the_right_name(wrong, right):
    with pytest.raises(AttributeError) as error:
        getattr(rw, wrong)
    assert str(error.value) == f"module 'rankwell' has no attribute {wrong!r}. Did you mean {right}?"
    assert getattr(rw, right) is not None


@pytest.mark.parametrize(("owner", "name"), [(rw, "rankwell"), (rw.metrics, "rankwell.metrics")])
def test_an_unknown_name_is_an_attribute_error_that_says_where_the_metrics_are(owner, name):
    with pytest.raises(AttributeError) as error:
        owner.Nope  # noqa: B018 - looking it up is the test
    assert (
        str(error.value)
        == f"module {name!r} has no attribute 'Nope'. dir(rankwell.metrics) lists the metrics."
    )
    assert not hasattr(owner, "__wrapped__")


def test_a_metric_of_ones_own_is_no_attribute_of_the_package():
    @rw.metric(name="own_of_test_names")
    def own(judged, context):
        """One everywhere."""
        return judged.n_retrieved * 0.0 + 1

    assert rw.metrics.find("own_of_test_names") is type(own)
    with pytest.raises(AttributeError):
        rw.metrics.own  # noqa: B018 - looking it up is the test
    del REGISTRY["own_of_test_names"]


def test_the_version_is_that_of_the_distribution():
    assert rw.__version__ == importlib.metadata.version("rankwell")


FACES = [
    "rankwell", "rankwell.judging", "rankwell.prepare", "rankwell.efficiency", "rankwell.metrics", "rankwell.reporting.plots",
    "rankwell.testing",
]  # fmt: skip
# public names that are modules, and meant to be
ROOMS = {"clicks", "efficiency", "extend", "judging", "metrics", "plot", "prepare"}
LOADED = f"""
import importlib, pkgutil, types, rankwell
for face in {FACES}:
    package = importlib.import_module(face)
    for module in pkgutil.iter_modules(package.__path__, face + "."):
        if module.name != "rankwell.__main__":
            importlib.import_module(module.name)
    for name in package.__all__:
        if isinstance(getattr(package, name), types.ModuleType):
            print(name)
"""


def test_no_file_takes_the_place_of_the_public_name_that_it_is_called_after():
    """A module that is loaded becomes a name of its package, where a face that loads on use would never be asked again."""
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == ROOMS
