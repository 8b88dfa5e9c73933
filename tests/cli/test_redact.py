"""``--redact`` and ``--redact-key``: no id in what is printed or written, and a note that asks for them."""

from __future__ import annotations

import json

import pytest

from rankwell.cli.main import run
from rankwell.results.redaction import Redaction

USERS = [f"ada{n}@example.org" for n in range(8)]
KEY = b"a key of enough bytes"


@pytest.fixture
def files(tmp_path):
    """Judgements, two runs, a table of films with titles and a key."""
    (tmp_path / "qrels.txt").write_text("".join(f"{user} 0 film-{n} 1\n" for n, user in enumerate(USERS)))
    for name, shift in (("old", 1), ("new", 0)):
        lines = [
            f"{user} Q0 film-{(n + at + shift) % 8} {at + 1} {9 - at} tag\n"
            for n, user in enumerate(USERS)
            for at in range(4)
        ]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    (tmp_path / "items.csv").write_text(
        "item,title\n" + "".join(f"film-{n},The title {n}\n" for n in range(8))
    )
    (tmp_path / "key").write_bytes(KEY + b"\n")
    return tmp_path


def arguments(command, files, *more):
    return [
        command,
        *(str(files / name) for name in ("qrels.txt", "old.run", "new.run")),
        "--items",
        str(files / "items.csv"),
        "-m",
        "rr",
        *more,
    ]


def secrets():
    return [*USERS, *(f"film-{n}" for n in range(8)), *(f"The title {n}" for n in range(8))]


@pytest.mark.parametrize("form", ["text", "json", "csv", "html", "markdown", "latex"])
@pytest.mark.parametrize("query", [[], ["--query", USERS[3]]])
def test_diff_prints_hashes(capsys, files, form, query):
    assert run(arguments("diff", files, "--redact", "--format", form, *query)) == 0
    out, err = capsys.readouterr()
    assert not [secret for secret in secrets() if secret in out + err]
    assert "q-" in out or "i-" in out


def test_a_key_in_a_file_gives_the_same_hashes_each_time(capsys, files):
    outs = []
    for key in (["--redact-key", str(files / "key")], ["--redact-key", str(files / "key")], ["--redact"]):
        assert run(arguments("diff", files, *key)) == 0
        outs.append(capsys.readouterr().out)
    assert outs[0] == outs[1] != outs[2]
    assert Redaction(KEY).of("query", USERS[0]) in outs[0]


def test_a_report_has_hashes_and_no_folder(capsys, files):
    for target in ("report.html", "report.json"):
        assert run(arguments("report", files, "-o", str(files / target), "--redact")) == 0
        text = (files / target).read_text(encoding="utf-8")
        assert not [secret for secret in secrets() if secret in text]
        assert str(files) not in text
        assert "q-" in text
    assert "look like" not in capsys.readouterr().err


@pytest.mark.parametrize("command", ["diff", "report"])
def test_a_note_asks_for_it_by_name(capsys, files, command):
    more = ["-o", str(files / "report.json")] if command == "report" else []
    assert run(arguments(command, files, *more)) == 0
    notes = [line for line in capsys.readouterr().err.splitlines() if "look like" in line]
    assert notes == [
        "rankwell: note: the ids of queries look like e-mail addresses. With --redact ids are shown as hashes, and texts are left out."
    ]


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "the key cannot be read"), (b"short", "the key has 5 bytes; it needs at least 16")],
)
@pytest.mark.parametrize("command", ["diff", "report"])
def test_a_key_that_is_missing_or_short_is_one_line(capsys, files, command, content, said):
    if content is not None:
        (files / "own").write_bytes(content)
    more = ["-o", str(files / "report.json")] if command == "report" else []
    assert run(arguments(command, files, "--redact-key", str(files / "own"), *more)) in (2, 3)
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line
    assert "short" not in line


def test_the_command_that_a_report_keeps_names_no_folder(files):
    target = files / "report.json"
    assert run(arguments("report", files, "-o", str(target), "--redact-key", str(files / "key"))) == 0
    (definitions,) = (
        each for each in json.loads(target.read_text())["sections"] if each["name"] == "definitions"
    )
    command = definitions["data"]["command"]
    assert "qrels.txt old.run new.run" in command
    assert "/" not in command
