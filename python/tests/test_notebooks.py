"""The notebooks, run cell by cell in a kernel of their own."""

from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

FOLDER = Path(__file__).resolve().parent.parent / "notebooks"


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("*.ipynb")))
def test_a_notebook_runs(name: str, tmp_path: Path) -> None:
    book = nbformat.read(FOLDER / name, as_version=4)
    assert all(not cell.get("outputs") for cell in book.cells), "clear its outputs"
    nbclient.NotebookClient(book, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [out.data for cell in book.cells for out in cell.get("outputs", []) if "data" in out]
    assert any("text/html" in data for data in shown)
