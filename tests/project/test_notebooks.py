"""The notebooks run from top to bottom, and what is stored in them is what they show."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def shown(notebook):
    """What each code cell prints or shows as text, and as HTML."""
    found = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            found.append(
                (cell["id"], output.get("text", data.get("text/plain", "")), data.get("text/html", ""))
            )
    return found


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
@pytest.mark.filterwarnings("ignore")
def test_a_notebook_shows_what_is_stored_in_it(file):
    stored = nbformat.read(file, as_version=4)
    again = nbformat.read(file, as_version=4)
    NotebookClient(
        again, timeout=120, kernel_name="python3", resources={"metadata": {"path": FOLDER}}
    ).execute()
    assert shown(again) == shown(stored)
    assert len(shown(stored)) >= 5


def test_there_is_one_for_search_and_one_for_recommenders():
    assert {file.stem for file in NOTEBOOKS} == {"search", "recommenders"}
