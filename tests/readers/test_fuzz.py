"""Damage that nobody thought of: random changes of good files, in every format."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools import fuzz

ROOT = Path(__file__).parents[2]
SEEDS = fuzz.seeds()


@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.sampled_from(SEEDS), st.randoms(use_true_random=False))
def test_a_changed_file_gives_numbers_or_one_line(tmp_path_factory, seed, rng):
    fuzz.try_input(fuzz.changed(seed, rng), tmp_path_factory.getbasetemp())


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.sampled_from(range(len(fuzz.FORMATS))), st.booleans(), st.binary(max_size=300))
def test_any_bytes_give_numbers_or_one_line(tmp_path_factory, number, is_run, content):
    fuzz.try_input(bytes([number, is_run]) + content, tmp_path_factory.getbasetemp())


# what fuzzing has broken once
FOUND = {
    "a query missing in the last line": b"user_id|item_id|score\n1|a|3.0\n|b|2.0\n",
    "no text where the place of another error is looked for": b"query,item,score\n1,a,2,\n1,\xff,3\n",
    "a header that is no text, and rows that are": b"que\xffry,item,score\n1,a,2\n",
    "an infinite grade, which no JSON holds": b"query,item,rating\n1,a,3\n1,b,inf\n",
    "a name as long as a file": b"query," + b"a" * 70_000 + b",score\n1,a,2\n",
}


@pytest.mark.parametrize("found", FOUND)
def test_what_was_found_once_stays_mended(tmp_path, found):
    for number, name in enumerate(fuzz.FORMATS):
        if name.endswith((".csv", ".psv", ".tsv")):
            for kind in (0, 1):  # judgements and runs
                fuzz.try_input(bytes([number, kind]) + FOUND[found], tmp_path)


@pytest.mark.slow
def test_random_changes_are_others_in_each_session_and_the_same_again_from_its_seed(tmp_path):
    seed = os.environ["RANKWELL_SEED"]  # which every session prints
    command = ["tools/fuzz.py", "--inputs", "1000", "--seed", seed]
    done = subprocess.run(
        [sys.executable, *command, "--broken", tmp_path],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, f"python {' '.join(command)}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
    assert f"1,000 inputs from seed {seed}, 0 of them broke something" in done.stdout


@pytest.mark.parametrize(
    "content",
    [
        b'{"1%s": {"a": "x"}}',
        b'{"1%s": 7}',
        b'{"2": {"a": 1}, "1%s": ["b"]}',
        b'{"1": {"a%s": null}}',
        b'{"1%s": {"a": NaN}}',
    ],
)
@pytest.mark.parametrize("kind", [0, 1])
def test_an_id_as_long_as_a_file_makes_no_long_error(tmp_path, content, kind):
    number = fuzz.FORMATS.index("object.json")
    fuzz.try_input(bytes([number, kind]) + content % (b"a" * 60_000), tmp_path)
