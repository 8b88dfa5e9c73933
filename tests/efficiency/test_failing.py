"""Systems that fail: each failure is counted for its query, the rest goes on, and no process is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import uuid

import psutil
import pytest
from tests.efficiency.systems import Failing, Known

import rankwell as rw
from rankwell.efficiency import Closed, Command, Open
from rankwell.efficiency.session import Session
from rankwell.efficiency.system import CallError

FAILURES = {
    "raise": ("error", "ValueError: this query is too long"),
    "leave": ("error", "SystemExit: 4"),
    "abort": ("crash", "ended by SIGABRT"),
    "exit": ("crash", "exit 7: MemoryError: no room"),
    "print": ("output", "it printed more than 16,777,216 bytes"),
    "grow": ("memory", "more than 400 MiB"),
    "endless": ("shape", "11 items came back where 10 were asked for"),
    "shape twice": ("shape", "an item came back twice"),
    "shape nan": ("shape", "the score of 'a' is nan"),
    "shape rising": ("shape", "scores rise down the list"),
    "shape many": ("shape", "11 items came back where 10 were asked for"),
    "shape none": ("shape", "an answer is a list of items or of (item, score), not None"),
    "shape text": ("shape", "not 'abc'"),
    "shape number": ("shape", "an item is text or a whole number, not 1.5"),
    "fork": ("crash", "ended by SIGABRT"),
    "fork seen": ("crash", "ended by SIGABRT"),
}


@pytest.fixture(autouse=True)
def _no_process_is_left(monkeypatch):
    """What a test starts has its mark in the environment, and has ended soon after it."""
    mark = uuid.uuid4().hex
    monkeypatch.setenv("RANKWELL_TEST", mark)
    yield
    until = time.monotonic() + 60
    while found := [each for each in psutil.process_iter() if is_marked(each, mark)]:
        assert time.monotonic() < until, found
        time.sleep(0.05)


def is_marked(process, mark):
    try:
        return process.environ().get("RANKWELL_TEST") == mark and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


@pytest.mark.parametrize("load", [Open(200), Closed(2), pytest.param(Closed(), marks=pytest.mark.exhaustive)])
def test_every_failure_is_counted_for_its_query_and_the_rest_goes_on(load):
    # without what hangs: a limit of time that is short enough to wait for races against the limits of memory and output
    queries = {"first": "good one"} | {each: each for each in FAILURES} | {"last": "good two"}
    costs = rw.efficiency.measure(
        {"failing": Failing(), "sound": Known()},
        queries,
        load=load,
        repetitions=1,
        timeout=100,
        memory=400 << 20,
    )
    for session in ("cold", "warm"):
        own = costs.calls.filter(system="failing", session=session)
        if session == "warm" and load.is_open:
            # answers are looked at while no call is due; those that a process had not looked at when it ended are counted
            assert any("answers were not looked at" in note for note in costs.notes)
            own = own.with_columns(outcome=own["outcome"].replace("shape", "ok"))
            wanted = {
                query: "ok" if outcome == "shape" else outcome for query, (outcome, _) in FAILURES.items()
            }
            assert dict(own.select("query", "outcome").rows()) == {"first": "ok", "last": "ok"} | wanted
            continue
        assert dict(own.select("query", "outcome").rows()) == {"first": "ok", "last": "ok"} | {
            query: outcome for query, (outcome, _) in FAILURES.items()
        }
        messages = dict(costs.failures.filter(session=session).select("query", "message").rows())
        for query, (_, message) in FAILURES.items():
            assert message in messages[query], query
    # what a process used that had to be ended is not known
    assert costs.sessions.filter(system="failing")["cpu"].null_count() == 2
    assert costs.sessions.filter(system="sound")["cpu"].null_count() == 0
    # failures have no latency
    assert max(costs.latencies("failing", str(load))) < float("inf")
    assert len(costs.latencies("failing", str(load))) == 2 or load.is_open
    assert sorted(costs.runs["failing"].queries) == ["first", "last"]
    assert "Failures" in repr(costs)


@pytest.mark.parametrize("load", [Open(200), Closed(2)])
def test_a_query_without_an_answer_ends_at_its_time_limit(load):
    costs = rw.efficiency.measure(
        {"failing": Failing()}, {"hang": "hang"}, load=load, repetitions=1, timeout=1
    )
    assert costs.calls["outcome"].to_list() == ["timeout"] * 2
    assert all("no answer within 1 s" in each for each in costs.failures["message"])
    # it is infinitely long
    assert costs.latencies("failing", str(load)).tolist() == [float("inf")]


class NoIndex(Known):
    def __init__(self, how):
        super().__init__()
        self.how = how

    def index(self, documents):
        if self.how == "raise":
            raise RuntimeError("no index today")
        if self.how == "hang":
            time.sleep(1000)
        if self.how == "grow":
            kept = []
            while True:
                kept.append(bytearray(b"x") * (16 << 20))
        os._exit(3)


@pytest.mark.parametrize(
    ("how", "outcome"), [("raise", "error"), ("hang", "timeout"), ("exit", "crash"), ("grow", "memory")]
)
def test_a_system_that_does_not_index_is_not_measured_and_the_others_are(how, outcome):
    # 5 s are for what sleeps for ever; the sound system next to it makes nothing
    limit = 5 if how == "hang" else 100
    costs = rw.efficiency.measure(
        {"broken": NoIndex(how), "sound": Known()},
        ["x"],
        repetitions=2,
        index_timeout=limit,
        memory=400 << 20,
    )
    assert costs.indexing["outcome"].to_list() == [outcome, "ok"]
    assert costs.answered("broken") == 0
    assert costs.answered("sound") == 2
    assert any(note.startswith("broken: ") and "not measured" in note for note in costs.notes)


class Dying(Known):
    def search(self, query, k):
        os.abort()


def test_a_system_that_goes_down_at_every_query_is_given_up():
    costs = rw.efficiency.measure(Dying(), [f"{at}" for at in range(30)], repetitions=2)
    outcomes = costs.calls["outcome"].value_counts().to_dict(as_series=False)
    assert dict(zip(outcomes["outcome"], outcomes["count"], strict=True)) == {"crash": 11, "not called": 19}
    assert any("went down more than 10 times" in note for note in costs.notes)


@pytest.fixture
def interruptible():
    """A shell ignores Ctrl-C in what it starts in the background, and Python keeps to that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
@pytest.mark.filterwarnings(  # Ctrl-C may come between the opening of a file and the block that closes it
    "ignore::pytest.PytestUnraisableExceptionWarning"
)
@pytest.mark.parametrize("seconds", [0, 0.1])
def test_ctrl_c_keeps_what_was_measured(seconds):
    def tell(text):  # interrupts before, or within, the third session
        if "3 of 1000" in text:
            threading.Timer(seconds, os.kill, [os.getpid(), signal.SIGINT]).start()

    costs = rw.efficiency.measure(
        Known(search=0.02), [f"{at}" for at in range(20)], repetitions=1000, progress=tell
    )
    assert costs.calls.filter(session="cold")["outcome"].to_list() == ["ok"] * 20
    assert 40 <= costs.answered("Known") < 20 * 1000
    assert any("interrupted" in note for note in costs.notes)


class Interrupting(Known):
    """Interrupts the process that measures at its 30th call, when the cold session of 20 is over."""

    def __init__(self, measuring):
        super().__init__()
        self.measuring, self.calls = measuring, 0

    def search(self, query, k):
        self.calls += 1
        if self.calls == 30:
            os.kill(self.measuring, signal.SIGINT)
            time.sleep(1000)
        return super().search(query, k)


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_while_a_system_warms_up_ends_the_measurement():
    queries = [f"{at}" for at in range(20)]
    costs = rw.efficiency.measure(Interrupting(os.getpid()), queries, repetitions=1, warmup=200, timeout=None)
    assert costs.calls["session"].unique().to_list() == ["cold"]
    assert any("interrupted" in note for note in costs.notes)


def test_a_measuring_process_that_is_killed_leaves_none_behind(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import time\nimport rankwell as rw\n"
        "def search(query, k):\n    print('up', flush=True)\n    time.sleep(1000)\n"
        "rw.efficiency.measure(search, ['x'], timeout=None, progress=lambda text: print(text, flush=True))\n"
    )
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as process:
        assert any("start 1 of 1" in line for line in process.stdout)
        time.sleep(1.5)
        process.kill()  # that no other is left is asked of every test here


# ------------------------------------------------------------------------------------------------------- commands

PYTHON = f"{sys.executable} -c"


def program(text):
    """A command of Python text, with what follows as its arguments."""
    return f'{PYTHON} "{text}"'


SEARCH = program(
    "import sys; [print(sys.argv[1].replace(chr(32), chr(45)) + str(at), 9 - at) for at in range(int(sys.argv[2]))]"
)


def test_a_command_line_is_a_system(tmp_path):
    index = program(
        "import sys, pathlib; pathlib.Path(sys.argv[2], chr(105)).write_bytes(pathlib.Path(sys.argv[1]).read_bytes())"
    )
    documents = tmp_path / "documents.txt"
    documents.write_text("x" * 4321)
    command = Command(f"{SEARCH} {{query}} {{k}}", index=f"{index} {{items}} {{index}}")
    costs = rw.efficiency.measure(
        {"program": command}, {"q": "two words; $HOME 'x"}, items=documents, k=2, repetitions=2
    )
    assert costs.runs["program"].rows.table().item.tolist() == [
        "two-words;-$HOME-'x0",
        "two-words;-$HOME-'x1",
    ]
    assert costs.indexing["size"].to_list() == [4321]
    assert costs.sessions["cpu"].min() > 0.005  # that of the programs, which have ended
    assert costs.latencies("program").min() > 0.005
    assert costs.indexing["cpu"][0] > 0.005


def test_a_table_of_documents_reaches_a_program_as_lines_of_json():
    import polars as pl

    from rankwell.tables.collections import Documents

    index = program(
        "import sys, pathlib; pathlib.Path(sys.argv[2], chr(105)).write_bytes(pathlib.Path(sys.argv[1]).read_bytes())"
    )
    search = program(
        "import sys, json, pathlib; [print(json.loads(line)[chr(95)+chr(105)+chr(100)]) for line in open(sys.argv[1] + chr(47) + chr(105))]"
    )
    documents = Documents(["d1", "d2"], pl.DataFrame({"text": ["wing", "heat"]}))
    command = Command(f"{search} {{index}} {{query}}", index=f"{index} {{items}} {{index}}")
    costs = rw.efficiency.measure({"program": command}, ["x"], items=documents, repetitions=1)
    assert costs.runs["program"].rows.table().item.tolist() == ["d1", "d2"]


def test_a_batch_of_a_program_is_a_run():
    batch = program(
        "import sys; rows = [line.rstrip().split(chr(9)) for line in open(sys.argv[1])]; "
        "open(sys.argv[2], chr(119)).write(chr(10).join(f'{{q}} Q0 {{t}}-{{at}} {{at}} {{5 + at}} x' for q, t in rows for at in range(2)))"
    )
    costs = rw.efficiency.measure(
        {"program": Command(batch=f"{batch} {{queries}} {{run}}")},
        {"a": "wing", "b": "heat"},
        load=rw.efficiency.Batch(),
        repetitions=1,
    )
    table = costs.runs["program"].rows.table()
    assert sorted(zip(table.query.tolist(), table.item.tolist(), table.key.tolist(), strict=True)) == [
        ("a", "wing-0", 2), ("a", "wing-1", 1), ("b", "heat-0", 2), ("b", "heat-1", 1)
    ]  # fmt: skip


@pytest.mark.parametrize(("seconds", "outcome", "n"), [(1.4, "ok", 100), (1000, "timeout", 3)])
def test_a_batch_of_a_program_may_take_the_time_of_all_its_queries(seconds, outcome, n):
    batch = program(
        f"import time; time.sleep({seconds}); [print(at + 1, 0, 7, 1, 1, 0) for at in range({n})]"
    )
    costs = rw.efficiency.measure(
        {"program": Command(batch=f"{batch} {{queries}}")},
        [f"{at}" for at in range(n)],
        load=rw.efficiency.Batch(),
        repetitions=1,
        timeout=0.7,  # 70 s for a hundred, 2.1 s for three
    )
    assert costs.calls["outcome"].unique().to_list() == [outcome]
    assert all("no answer within 2.1 s" in each for each in costs.failures["message"])


@pytest.mark.parametrize(
    ("text", "outcome", "message"),
    [
        ("import sys; print(chr(88), file=sys.stderr); sys.exit(3)", "exit", "exit 3: X"),
        ("import os; os.abort()", "exit", "ended by SIGABRT"),
        ("import time; time.sleep(1000)", "timeout", "no answer within 1 s"),
        ("while True: print(chr(120) * 1000)", "output", "more than 100,000 bytes were printed"),
        ("print(1, 2, 3)", "shape", "line 1 is no item, item and score, or line of a run: '1 2 3'"),
        ("print(1, chr(120))", "shape", "line 1 is no item"),
        ("print(7); print(7)", "shape", "an item came back twice"),
        ("import os, subprocess, sys; subprocess.Popen([sys.executable, chr(45)+chr(99), 'import time; time.sleep(1000)'])", "timeout", "1 s"),
    ],
)  # fmt: skip
def test_a_program_that_fails_is_counted(text, outcome, message):
    command = Command(program(text) + " {query}", output=100_000)
    limit = 1 if outcome == "timeout" else 100
    costs = rw.efficiency.measure({"program": command}, ["x"], repetitions=1, timeout=limit)
    assert costs.failures["outcome"].to_list() == [outcome] * 2
    assert all(message in each for each in costs.failures["message"])
    assert costs.sessions["restarts"].to_list() == [0, 0]


def test_a_program_that_is_not_there_is_said():
    costs = rw.efficiency.measure({"program": Command("no-such-program {query}")}, ["x"], repetitions=1)
    assert "no-such-program: cannot be started (No such file or directory)" in costs.failures["message"][0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (Command, "needs search= or batch="),
        (lambda: Command("seek {querry}"), r"no field {querry}.*Did you mean query"),
        (lambda: Command("seek 'x"), "cannot be split into words"),
        (lambda: Command(" "), "the command is empty"),
        (lambda: Command("seek", index="build {query}"), r"index: there is no field {query}"),
    ],
)
def test_a_command_that_cannot_be_is_refused(make, message):
    with pytest.raises(rw.RankwellError, match=message):
        make()


def test_a_program_gets_the_environment_as_it_is(monkeypatch):
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setenv("OWN", "kept")
    text = "import os; print(os.environ.get('PYTHONPATH', 'none') + os.environ['OWN'])"
    costs = rw.efficiency.measure({"program": Command(program(text) + " {query}")}, ["x"], repetitions=1)
    assert costs.runs["program"].rows.table().item.tolist() == ["nonekept"]


def test_a_program_that_closes_its_pipes_and_lives_on_is_ended_at_its_time(tmp_path):
    # it sleeps for longer than any test may take: whoever waits for its end does not come back
    closing = program("import os, time; print(1); os.close(1); os.close(2); time.sleep(100000)")
    with pytest.raises(CallError, match=r"no answer within 0\.5 s") as caught:
        Command(closing.replace("print(1)", "os.write(1, b'a')")).given(tmp_path, 0.5).search("x", 1)
    assert caught.value.outcome == "timeout"
    ends = program("import os, sys; os.write(1, b'a'); os.close(1); os.close(2); sys.exit(0)")
    assert Command(ends).given(tmp_path, 60).search("x", 1) == [("a", 1.0)]


def late(query, k):
    time.sleep(0.3)
    return [query]


@pytest.mark.parametrize("load", [Closed(), Closed(2), Open(50)])
def test_an_answer_slower_than_the_limit_is_a_failure_though_nobody_looked_meanwhile(monkeypatch, load):
    # as an answer of 50 MB that the measuring process has no time to look at
    monkeypatch.setattr(Session, "_check_time", lambda *_: None)
    costs = rw.efficiency.measure({"late": late}, ["x", "y"], load=load, repetitions=1, timeout=0.1)
    own = costs.calls.filter(system="late")
    assert own["outcome"].unique().to_list() == ["timeout"]
    assert costs.failures.filter(system="late")["message"].unique().to_list() == ["no answer within 0.1 s"]
    assert set(costs.latencies("late", str(load))) == {float("inf")}
    assert costs.answered("late") == 0
