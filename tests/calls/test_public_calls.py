"""Whatever is given to a public function, it answers, or raises RankwellError or TypeError: no other error comes out.

``python -m tests.calls.test_public_calls 100000 7`` makes so many calls from a seed and prints what came out.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.calls.public import CALLS
from tests.calls.values import changed
from tests.cases import FEWER

import rankwell as rw

PARTS = 8
CALLS_IN_ALL = 12_000 if FEWER == 1 else 2_000
SLOW = 5  # seconds of processor time; far above what any of these calls takes
MORE_MEMORY = (
    12 << 30
)  # addresses, most of which no process of Polars ever fills, beside those that are reserved before


class Slow(BaseException):
    """A call takes too long."""


def stop(*_: object) -> None:
    """End a call that takes too long."""
    raise Slow


def outcome(seed: int) -> tuple[str, str]:
    """Make one call, valid or with odd values; return what came of it, and a description."""
    draw = random.Random(seed)
    name = draw.choice(list(CALLS))
    function, given = CALLS[name](draw)
    odd = []
    if draw.random() < 0.48:
        for argument in draw.sample(sorted(given), min(len(given), draw.choice([1, 1, 1, 2]))):
            if draw.random() < 0.05:
                del given[argument]
                odd.append(f"no {argument}")
            else:
                given[argument], what = changed(given[argument], draw)
                odd.append(f"{argument}: {what}")
    what = f"{name} (seed {seed}){''.join(', ' + each for each in odd)}"
    return answer(function, given), what


def answer(function: Callable[..., Any], given: dict[str, Any]) -> str:
    """Make a call, and return what came of it."""
    signal.setitimer(signal.ITIMER_VIRTUAL, SLOW)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(**given)
    except (rw.RankwellError, TypeError) as error:
        came = f"refused: {type(error).__name__}"
        if "None data" in str(error) or len(str(error)) > 2_000:
            came = f"a bad message: {str(error)[:200]}"
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - that is what is looked for; a panic of Polars is no Exception
        came = f"{type(error).__name__}: {str(error)[:200]}"
    else:
        came = "answered"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return came


@pytest.fixture
def own_folder(tmp_path, monkeypatch):
    """Run the calls in a folder of their own, in which they may write."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    # what others cannot destroy is told with its value, and a number of 6,000 digits cannot be written
    monkeypatch.setattr(sys, "unraisablehook", lambda _: None)
    before = signal.signal(signal.SIGVTALRM, stop)
    # a call that takes all memory must end this process, not the machine's others
    memory = resource.getrlimit(resource.RLIMIT_AS)
    reserved = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (reserved + MORE_MEMORY, memory[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, memory)
    signal.signal(signal.SIGVTALRM, before)


@pytest.mark.parametrize("part", range(PARTS))
def test_nothing_but_answers_and_errors_of_rankwell_comes_out(part, own_folder):
    first = (
        0 if os.environ.get("RANKWELL_CI") == "1" else int(os.environ["RANKWELL_SEED"]) % 1000 * CALLS_IN_ALL
    )
    size = CALLS_IN_ALL // PARTS
    came = Counter()
    for seed in range(first + part * size, first + (part + 1) * size):
        result, what = outcome(seed)
        came[result.partition(":")[0]] += 1
        assert result == "answered" or result.startswith("refused"), f"{what} → {result}"
    # 56 of 100 are answered; of few calls chance may leave fewer
    assert came["answered"] >= size * (0.5 if size > 1_000 else 0.4)
    assert came["refused"] >= size / 5


@pytest.mark.parametrize("name", CALLS)
def test_valid_calls_are_answered(name, own_folder):
    for seed in range(5):
        assert answer(*CALLS[name](random.Random(seed))) == "answered", seed


if __name__ == "__main__":
    signal.signal(signal.SIGVTALRM, stop)
    calls, start = int(sys.argv[1]), int(sys.argv[2]) * 10**9
    folder = tempfile.mkdtemp()
    tempfile.tempdir = folder
    os.chdir(folder)
    found: Counter[str] = Counter()
    shown: dict[str, str] = {}
    for number in range(start, start + calls):
        result, what = outcome(number)
        found[result] += 1
        if result not in shown and result != "answered" and not result.startswith("refused"):
            print(f"{what} → {result}", flush=True)
        shown[result] = what
    for result, times in found.most_common():
        print(f"{times:7,} {result}")
    shutil.rmtree(Path(folder), ignore_errors=True)


RUN, QRELS = {"q": ["a"]}, {"q": {"a": 1}}


@pytest.mark.parametrize(
    ("call", "misspelt", "meant"),
    [
        (lambda **words: rw.evaluate(RUN, QRELS, ["p@1"], **words), "policcy", "policy"),
        (
            lambda **words: rw.compare({"a": RUN, "b": dict(RUN)}, QRELS, ["p@1"], **words),
            "baselin",
            "baseline",
        ),
        (lambda **words: rw.gate(RUN, QRELS, ["p@1"], baseline=dict(RUN), **words), "max_drp", "max_drop"),
        (lambda **words: rw.report(RUN, QRELS, ["p@1"], **words), "pth", "path"),
        (lambda **words: rw.prepare.split(QRELS, **words), "tst", "test"),
        (lambda **words: rw.top_k([[0.5]], **words), "trian", "train"),
    ],
    ids=["evaluate", "compare", "gate", "report", "split", "top_k"],
)
def test_a_misspelt_argument_is_told_the_one_of_its_function(call, misspelt, meant):
    with pytest.raises(rw.RankwellError, match=f"no argument {misspelt}=. Did you mean {meant}\\?"):
        call(**{misspelt: "x"})


def test_an_argument_like_none_of_them_is_told_all_and_one_too_many_their_order():
    with pytest.raises(
        rw.RankwellError, match=r"no argument xyz=\. baselines takes train, test, k, .*columns\.$"
    ):
        rw.prepare.baselines(QRELS, xyz=3)
    with pytest.raises(
        rw.RankwellError, match="compare takes 3 arguments without a name, runs, qrels, metrics; "
    ):
        rw.compare(RUN, dict(RUN), QRELS, ["p@1"])


def nested(depth=3000):
    """A dict in a dict in a dict …, which Python does not write as text."""
    value: dict[str, Any] = {}
    for _ in range(depth):
        value = {"a": value}
    return value


@pytest.mark.parametrize("name", [name for name in dir(rw) if name.startswith("read_")])
@pytest.mark.parametrize(
    "value", [3.5, True, None, b"a", object(), nested()], ids=lambda value: type(value).__name__
)
def test_what_no_reader_takes_is_refused_by_name(name, value):
    with pytest.raises(rw.RankwellError) as error:
        getattr(rw, name)(value)
    assert len(str(error.value)) < 1_000


@pytest.mark.parametrize("name", [*CALLS])
def test_no_argument_is_too_deep_for_its_error(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for argument in CALLS[name](random.Random(0))[1]:
        function, given = CALLS[name](random.Random(0))
        given[argument] = nested()
        said = answer(function, given)
        assert said == "answered" or said.startswith("refused"), f"{argument}: {said}"
