"""README as a visitor pastes it: all blocks from top to bottom, in one shell."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
END = "––– end of a block –––"


def test_every_block_runs_in_one_shell_and_prints_what_stands_below_it(tmp_path):
    script, shown = ["set -e"], []
    for language, text in BLOCK.findall(README):
        match language:
            case "sh":  # the environment of the tests has what pip would install
                script.append(re.sub(r"^pip install .*\n", "", text))
            case "python":
                script.append(f"python <<'END'\n{text}END")
            case "text":
                shown[-1] = text
                continue
            case _:
                raise AssertionError(language)
        script.append(f"echo '{END}'")
        shown.append(None)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", "\n".join(script)],
        cwd=tmp_path,
        env=os.environ | {"PATH": path, "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    printed = done.stdout.split(f"{END}\n")
    assert printed.pop() == ""
    assert len(printed) == len(shown)
    assert [text for text, what in zip(printed, shown, strict=True) if what] == [*filter(None, shown)]
    assert (tmp_path / "demo/data/movietweetings/report.html").stat().st_size > 100_000


def test_it_is_read_in_minutes_and_copied_without_prompts():
    assert README.count("\n") <= 150
    assert not re.search(r"^(>>>|\$) ", README, re.MULTILINE)
