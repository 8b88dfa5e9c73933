"""What authors import: the names stay, they are there, and nothing is loaded before it is asked for."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest
from tests.project.test_light_import import HEAVY, loaded_by
from tests.project.test_names import names_in

import rankwell as rw
from rankwell import extend

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "rankwell"
STABLE = [
    "Additive", "Answer", "Bandit", "Bounded", "ByRun", "Choice", "Comparison", "Content", "Context", "CorpusMetric",
    "DataError", "Engine", "File", "GeometricMean", "InTurn", "Items", "Judged", "Material", "Mean", "Method", "Metric",
    "Part", "Picture", "Pool", "Qrels", "QueryMetric", "RankWeighted", "Ranked", "Results", "RowOf", "Run", "Shape",
    "State", "TableReader", "Task", "Terms", "Told", "Total", "Unread", "UsageError", "Users", "WeightedMean", "altair",
    "brief", "checked", "data", "definition", "drawing", "finish", "is_object", "metric", "metric_of", "ratio",
    "read_qrels", "read_run", "record", "report_section", "require_text", "spec_of", "words_of",
]  # fmt: skip


def test_the_names_that_were_promised_are_there():
    """A name may be added here. One that is taken away breaks what others wrote, which the change log has to say."""
    assert sorted(extend.__all__) == sorted(STABLE)
    assert dir(extend) == sorted(STABLE)
    assert rw.extend is extend


@pytest.mark.parametrize("name", STABLE)
def test_each_name_is_what_its_home_has(name):
    value = getattr(extend, name)
    home = getattr(value, "__module__", None)
    assert home is None or home.startswith(extend.HOMES[name]) or name == "Choice"  # Choice is a tuple


def test_type_checkers_see_the_same_names():
    assert names_in(PACKAGE / "extend.pyi") == set(STABLE)


def test_a_misspelled_name_is_told_the_nearest():
    with pytest.raises(AttributeError, match=r"Did you mean QueryMetric\?"):
        extend.QueryMetrics  # noqa: B018 - looking it up is the test


def test_importing_it_loads_nothing_else():
    """Python asks a module that names are imported from for ``__path__``: no nearest name is looked for."""
    modules = loaded_by("from rankwell.extend import DataError")
    assert "difflib" not in modules
    assert {name for name in modules if name.startswith("rankwell")} == {
        "rankwell", "rankwell.errors", "rankwell.extend", "rankwell.faces",
    }  # fmt: skip
    assert not modules & HEAVY


def floors() -> dict[str, int]:
    """The floor of each room by the import contract, counted from the top."""
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    [layers] = [each["layers"] for each in tool["contracts"] if each["id"] == "layers"]
    return {room: floor for floor, row in enumerate(layers) for room in re.findall(r"\w+", row)}


def taken(path: Path) -> list[str]:
    """The names that a file imports from here."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    froms = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module == "rankwell.extend"]
    return [alias.name for node in froms for alias in node.names]


def test_files_of_our_own_take_from_it_only_what_their_room_may_import():
    """The import contract does not see through it."""
    floor = floors()
    room = {path: path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in PACKAGE.rglob("*.py")}
    using = {path: taken(path) for path in room if taken(path)}
    assert {room[path] for path in using} >= {"metrics", "readers", "judging"}
    upwards = [
        f"{path.relative_to(PACKAGE)} takes {name} of {extend.HOMES[name]}"
        for path, names in using.items()
        for name in names
        if floor[extend.HOMES[name].split(".")[1]] < floor[room[path]]
    ]
    assert upwards == []


def test_the_guides_import_nothing_private():
    """The examples that the guides of CONTRIBUTING copy into the package, and its pages, import what is public."""
    examples = (ROOT / "examples" / "additions").glob("*/[!t]*.py")
    text = "\n".join(path.read_text(encoding="utf-8") for path in [ROOT / "CONTRIBUTING.md", *examples])
    found = set(re.findall(r"^(?:[>.]{3} *)?(?:from|import) (rankwell[\w.]*)", text, re.MULTILINE))
    assert "rankwell.extend" in found
    assert found <= {"rankwell", "rankwell.extend", "rankwell.testing"}
