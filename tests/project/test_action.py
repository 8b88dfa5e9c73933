"""The action, run as GitHub runs it: each script of action.yml in bash, with made-up files and a server that keeps comments."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

import rankwell as rw

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = ACTION["runs"]["steps"]
MARK = f"<!-- rankwell gate {hashlib.sha256(b'ranking').hexdigest()[:16]} -->"
QUERIES = [f"q{number}" for number in range(60)]
# a query id that would be seen to run if any shell or runner read it
HOSTILE = "$(touch${IFS}pwned)`touch${IFS}pwned`;<img>@us::set-output::"


class Comments(BaseHTTPRequestHandler):
    """The comments of pull request 7, as GitHub's interface lists, adds and changes them."""

    def do_GET(self):
        url = urlsplit(self.path)
        asked = {word: int(value) for word, [value] in parse_qs(url.query).items()}
        first = (asked["page"] - 1) * asked["per_page"]
        self.answer(self.server.kept[first : first + asked["per_page"]])

    def do_POST(self):
        own = {"id": 1000 + len(self.server.kept), "user": {"type": "Bot"}, **self.sent()}
        self.server.kept.append(own)
        self.answer(own)

    def do_PATCH(self):
        [own] = [each for each in self.server.kept if self.path.endswith(f"/issues/comments/{each['id']}")]
        own |= self.sent()
        self.answer(own)

    def sent(self):
        assert self.headers["Authorization"] == "Bearer secret"
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))

    def answer(self, content):
        self.server.asked.append((self.command, urlsplit(self.path).path))
        # a pull request from a fork may be read, and no more
        self.send_response(403 if self.server.is_fork and self.command != "GET" else 200)
        self.end_headers()
        self.wfile.write(json.dumps(content).encode())

    def log_message(self, *_):
        pass


@contextmanager
def server(kept=(), *, is_fork=False) -> Iterator[ThreadingHTTPServer]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Comments) as found:
        found.kept, found.asked, found.is_fork = list(kept), [], is_fork
        thread = threading.Thread(target=found.serve_forever)
        thread.start()
        try:
            yield found
        finally:
            found.shutdown()
            thread.join()


class Runner:
    """A runner with an empty workspace; the program of the action is the one under test, and pip is written down."""

    def __init__(self, folder: Path, api: str = "http://127.0.0.1:9", event: dict | None = None):
        self.folder, self.outputs, self.summary = folder, {}, folder / "summary.md"
        (folder / "bin").mkdir()
        python = folder / "bin" / "python3"
        # makes no environment, but notes what would be installed into it, and takes the rankwell that is there
        python.write_text(f"""#!/bin/bash
if [ "$1 $2" = "-m venv" ]; then mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; ln -s {folder}/bin/rankwell "$3/bin/rankwell"
elif [ "$1 $2" = "-m pip" ]; then printf '%s\\n' "$@" > {folder}/pip.txt
else exec {sys.executable} "$@"; fi
""")
        (folder / "bin" / "rankwell").write_text(f'#!/bin/bash\nexec {sys.executable} -m rankwell "$@"\n')
        for program in (folder / "bin").iterdir():
            program.chmod(0o755)
        self.event = folder / "event.json"
        self.event.write_text(
            json.dumps({"pull_request": {"number": 7}} if event is None else event), encoding="utf-8"
        )
        self.env = os.environ | {
            "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "RUNNER_TEMP": str(folder),
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_API_URL": api,
            "GITHUB_REPOSITORY": "team/search",
            "GITHUB_EVENT_PATH": str(self.event),
            "GITHUB_STEP_SUMMARY": str(self.summary),
        }

    def value(self, text: str, inputs: dict) -> str:
        """The text with what GitHub puts in place of its expressions."""
        known = {f"inputs.{name}": value for name, value in inputs.items()}
        known |= {f"steps.gate.outputs.{name}": value for name, value in self.outputs.items()}
        known["github.token"] = "secret"
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: known[found[1]], text)

    def run(self, **given: str) -> tuple[int, str]:
        """Run all steps until one fails; return its code, and what the log shows."""
        inputs = {name: each.get("default") for name, each in ACTION["inputs"].items()} | given
        log = ""
        for step in STEPS:
            if step.get("if") == "inputs.comment == 'true'" and inputs["comment"] != "true":
                continue
            script, out = self.folder / "script.sh", self.folder / "output.txt"
            script.write_text(step["run"], encoding="utf-8")
            out.write_text("")
            env = {name: self.value(text, inputs) for name, text in step.get("env", {}).items()}
            done = subprocess.run(
                # what `shell: bash` stands for
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", script],
                env=self.env | env | {"GITHUB_OUTPUT": str(out)},
                cwd=self.folder,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            log += done.stdout
            if step.get("id") == "gate":
                self.outputs = dict(line.split("=", 1) for line in out.read_text().splitlines())
            if done.returncode:
                return done.returncode, log
        return 0, log


@pytest.fixture
def workspace(tmp_path):
    """Judgements, the saved results of a system that finds each item at rank 1, and runs that are as good, and worse."""
    queries = [*QUERIES, HOSTILE]
    files = {"qrels.txt": [f"{query} 0 d 1" for query in queries]}
    files["same.run"] = [f"{query} Q0 d 1 2.0 s" for query in queries]
    files["-worse.run"] = [
        f"{query} Q0 {item} {rank} {3 - rank} s" for query in queries for rank, item in ((1, "x"), (2, "d"))
    ]
    for name, lines in files.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    accepted = rw.evaluate(tmp_path / "same.run", tmp_path / "qrels.txt", ["rr"])
    accepted.save(tmp_path / "accepted.json")
    return tmp_path


GIVEN = {"qrels": "qrels.txt", "baseline": "accepted.json", "arguments": "--max-drop=rr=1%\n--top=5"}


def test_a_gate_that_fails_ends_with_its_code_and_leaves_a_comment_and_a_summary(workspace):
    with server() as api:
        runner = Runner(workspace, f"http://127.0.0.1:{api.server_port}")
        code, log = runner.run(**GIVEN, run="-worse.run")
    assert (code, runner.outputs["status"]) == (1, "fail")
    [comment] = api.kept
    summary = runner.summary.read_text(encoding="utf-8")
    assert comment["body"] == f"{MARK}\n{summary}"
    assert summary.startswith("## FAIL: rr\n")
    assert "by \\|Δ\\| of rr: the first 5 of 61" in summary
    assert api.asked == [(command, "/repos/team/search/issues/7/comments") for command in ("GET", "POST")]
    assert "FAIL: rr" in log
    assert (workspace / "pip.txt").read_text().splitlines()[-1] == str(ROOT)


def test_the_comment_is_found_again_on_a_later_page_and_one_of_somebody_else_is_left_alone(workspace):
    others = [{"id": number, "user": {"type": "User"}, "body": f"{MARK}\nmine"} for number in range(130)]
    others[40] = {"id": 40, "user": {"type": "Bot"}, "body": f"quoted: {MARK}"}
    others[41] = {"id": 41, "user": None, "body": None}
    with server(others) as api:
        runner = Runner(workspace, f"http://127.0.0.1:{api.server_port}")
        assert runner.run(**GIVEN, run="-worse.run")[0] == 1
        shutil.rmtree(workspace / "rankwell")
        code, _ = runner.run(**GIVEN, run="same.run")
    assert (code, runner.outputs["status"]) == (0, "pass")
    assert [each["body"] for each in api.kept[:130]] == [each["body"] for each in others]
    [own] = api.kept[130:]
    assert own["body"].startswith(f"{MARK}\n## PASS")
    assert [command for command, _ in api.asked] == ["GET", "GET", "POST", "GET", "GET", "PATCH"]


def test_without_a_verdict_the_comment_says_so_and_the_code_is_that_of_the_gate(workspace):
    with server([{"id": 5, "user": {"type": "Bot"}, "body": f"{MARK}\n## PASS"}]) as api:
        runner = Runner(workspace, f"http://127.0.0.1:{api.server_port}")
        code, log = runner.run(**GIVEN, run="nowhere.run")
    assert (code, runner.outputs["status"]) == (3, "error")
    assert "nowhere.run: cannot be read" in log
    assert api.kept[0]["body"].startswith(f"{MARK}\n## NO VERDICT: rankwell gate ended with code 3")


@pytest.mark.parametrize("where", ["a fork", "a push", "nowhere", "not wanted"])
def test_where_no_comment_can_be_written_the_verdict_stays_what_it_is(workspace, where):
    with server(is_fork=where == "a fork") as api:
        port = 9 if where == "nowhere" else api.server_port
        event = {"ref": "refs/heads/main"} if where == "a push" else None
        runner = Runner(workspace, f"http://127.0.0.1:{port}", event)
        wanted = "false" if where == "not wanted" else "true"
        code, log = runner.run(**GIVEN, run="same.run", comment=wanted)
    assert code == 0
    assert runner.summary.read_text(encoding="utf-8").startswith("## PASS")
    assert ("::warning title=rankwell::No comment" in log) == (where in ("a fork", "nowhere"))
    assert [command for command, _ in api.asked] == (["GET", "POST"] if where == "a fork" else [])


def test_no_text_of_inputs_or_files_becomes_a_command(workspace):
    hostile = "$(touch pwned) `touch pwned`; touch pwned; ' \" --> ::add-mask::x"
    (workspace / hostile).write_bytes((workspace / "-worse.run").read_bytes())
    with server() as api:
        runner = Runner(workspace, f"http://127.0.0.1:{api.server_port}")
        code, log = runner.run(
            **{**GIVEN, "arguments": "--top=100"},
            run=hostile,
            name=hostile,
            install=hostile,
        )
    assert code == 1
    assert not (workspace / "pwned").exists()
    assert (workspace / "pip.txt").read_text().splitlines()[-1] == hostile
    [comment] = api.kept
    mark, rest = comment["body"].split("\n", 1)
    assert re.fullmatch("<!-- rankwell gate [0-9a-f]{16} -->", mark)
    assert "\\<img\\>@<!-- -->us" in rest  # the query is there, as text
    assert not re.search(r"(?<!\\)<img", rest)
    # between the two marks the runner reads no commands
    stop = re.search(r"^::stop-commands::([0-9a-f]{32})$", log, re.MULTILINE)
    before, shown, after = log.partition(stop[0])
    assert f"::{stop[1]}::" in shown + after
    assert "::add-mask" not in before + after.partition(f"::{stop[1]}::")[2]


def test_a_table_too_long_for_a_comment_is_left_to_the_summary(workspace):
    with server() as api:
        runner = Runner(workspace, f"http://127.0.0.1:{api.server_port}")
        file = workspace / "gate.md"
        file.write_text("## FAIL: rr\n\n" + "| x |\n" * 20_000, encoding="utf-8")
        script = [sys.executable, ROOT / "tools" / "sticky_comment.py", file, "ranking"]
        subprocess.run(script, env=runner.env | {"GITHUB_TOKEN": "secret"}, check=True)
    assert api.kept[0]["body"].splitlines() == [
        MARK,
        "## FAIL: rr",
        "",
        "The tables are too long for a comment; the summary of the run has them.",
    ]


def test_every_input_is_described_and_used_and_none_is_written_into_a_script():
    used = set()
    for step in STEPS:
        assert step["shell"] == "bash"
        assert "${{" not in step["run"]
        used |= set(re.findall(r"inputs\.([\w-]+)", json.dumps([step.get("env"), step.get("if")])))
    assert used == set(ACTION["inputs"])
    assert all(each["description"] for each in ACTION["inputs"].values())
