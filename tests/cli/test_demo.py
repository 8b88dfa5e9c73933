"""The command ``demo``: with a folder it writes two reports, too, and copies the data."""

from __future__ import annotations

from rankwell.cli.main import run


def test_it_writes_two_reports_into_a_folder_and_says_where(tmp_path, capsys):
    folder = tmp_path / "new" / "demo"
    assert run(["demo", "-o", str(folder)]) == 0
    shown = capsys.readouterr().out
    for name, says in (
        ("search.html", "NIST’s sample run has ap 0.1785"),
        ("recommenders.html", "No clear winner: 457 users cannot tell popular and itemknn apart"),
    ):
        page = (folder / name).read_text(encoding="utf-8")
        assert says.replace("’", "&#39;") in page
        assert str(folder / name) in shown
    assert f"Their data: {folder / 'data'}" in shown
    assert (folder / "data" / "movietweetings" / "LICENSE").exists()
    copied = folder / "data" / "trec_eval"
    assert run(["evaluate", str(copied / "qrels.test"), str(copied / "results.test"), "-m", "ap"]) == 0


def test_without_a_folder_it_writes_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["demo"]) == 0
    assert not list(tmp_path.iterdir())


def test_without_the_extra_it_says_how_to_install_it(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("rankwell.reporting.chart.charts.find_spec", lambda name: None)
    assert run(["demo", "-o", str(tmp_path)]) == 2
    assert "pip install 'rankwell[report]'" in capsys.readouterr().err


def test_a_folder_that_cannot_be_made_is_refused(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert run(["demo", "-o", str(tmp_path / "file" / "demo")]) == 3
    assert "cannot be made" in capsys.readouterr().err
