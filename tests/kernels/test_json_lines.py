"""Flat JSON objects parsed by the kernel, against Python's json."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest

from rankwell.kernels import delimited_text, json_keys, json_lines

NAMES = ["query", "x", "item"]
ROLES = np.array([delimited_text.QUERY, delimited_text.NUMBER, delimited_text.ID], np.int32)
ENDS = np.cumsum([len(name) for name in NAMES])
JOINED = np.frombuffer("".join(NAMES).encode() + b" ", np.uint8)


def bytes_of(text):
    return np.frombuffer(text.encode() if isinstance(text, str) else text, np.uint8)


def parsed(text):
    text = bytes_of(text)
    return json_lines.parse(text, 0, len(text), JOINED, ENDS, ROLES)


def columns_of(text):
    """The query, the number and the item of each row; None if the lines are left to others."""
    found, text = parsed(text), bytes_of(text)
    if found is None:
        return None
    firsts, starts, lengths, ((item_starts, item_lengths),), (numbers,), _ = found

    def words(starts, lengths):
        return [text[s : s + n].tobytes().decode() for s, n in zip(starts, lengths, strict=True)]

    repeats = np.diff(np.append(firsts, len(numbers)))
    queries = np.repeat(words(starts, lengths), repeats).tolist()
    return list(zip(queries, numbers.tolist(), words(item_starts, item_lengths), strict=True))


def test_objects_are_read_as_python_reads_them():
    rng = random.Random(1)
    for _ in range(500):
        lines, rows = [], []
        for _ in range(rng.randrange(1, 9)):
            row = (
                rng.choice(["ä", 7, -7, "q 1"]),
                rng.choice([rng.random(), 5, -1e-5]),
                rng.choice(["i}", 0, "😀"]),
            )
            record = dict(zip(NAMES, row, strict=True))
            record |= dict(
                rng.sample([("z", None), ("", ":"), ("items", "{["), ("quer", True), ("xx", 2.5)], 2)
            )
            pairs = rng.sample(list(record.items()), len(record))
            gap = rng.choice(["", " ", "\t", "  "])
            line = json.dumps(dict(pairs), ensure_ascii=False, separators=(gap + "," + gap, gap + ":" + gap))
            lines.append(gap + line + gap + rng.choice(["\n", "\r\n"]))
            rows.append((str(row[0]), row[1], str(row[2])))
        assert columns_of("".join(lines)) == rows


@pytest.mark.parametrize("number", ["0", "-1", "0.5", "-0.0", "1e5", "1E-05", "100.25e+2"])
def test_the_usual_forms_of_numbers_are_read(number):
    ((_, value, _),) = columns_of(f'{{"query":"q","x":{number},"item":"i"}}\n')
    assert value == json.loads(number)
    assert np.signbit(value) == np.signbit(json.loads(number))


@pytest.mark.parametrize(
    "number",
    ["", "-", "-0", "01", "-01", "+1", ".5", "1.", "1e", "NaN", "Infinity", '"1"', "null", "true", "1 2", "0x1", "9007199254740993",
     "1e400", "[1]", "{}", "1]"],
)  # fmt: skip
def test_unusual_numbers_are_left_to_others(number):
    assert parsed(f'{{"query":"q","x":{number},"item":"i"}}\n') is None


@pytest.mark.parametrize(
    "query",
    ["", '""', "null", "true", "1.0", "1e2", "01", "-0", "-", "1234567890123456789", '"a', '"\\u0061"', '"a\tb"', '"a\\', "q", "[1]",
     '"a""b"', '"a" "b"', f'"{"q" * 65_536}"'],
)  # fmt: skip
def test_unusual_ids_are_left_to_others(query):
    assert parsed(f'{{"query":{query},"x":1,"item":"i"}}\n') is None


@pytest.mark.parametrize(
    "line",
    ["", "\r", " ", "{", "{}", "[]", '{"query":"q","x":1}', '{"query":"q","x":1,"item":"i","x":1}', '{"query":"q","x":1,"item":"i"',
     '{"query":"q","x":1,"item":"i",}', '{"query":"q","x":1,"item":"i"} {}', '{"query":"q","x":1 "item":"i"}',
     '{"query":"q","x":1,"item":"i","z":nul}', '{"query":"q","x":1,"item":"i","z":{}}', '{"query":"q","x":1,"item":"i","z"}',
     '{"query":"q","x":1,"item":"i",z:1}', '{"query":"q","x":1,"it\\u0065m":"j","item":"i"}', '{"query":"q","x":1,"item":"i"}}',
     '{,"query":"q","x":1,"item":"i"}', "{" + ",".join(f'"{n}":1' for n in range(70)) + ',"query":"q","x":1,"item":"i"}'],
)  # fmt: skip
def test_unusual_lines_are_left_to_others(line):
    usual = '{"query":"q","x":1,"item":"i"}\n'
    assert parsed(usual) is not None
    assert parsed(usual + line + "\n") is None


def test_the_last_lines_of_one_query_are_found_wherever_the_key_stands():
    rng = random.Random(4)
    for _ in range(300):
        rows = [rng.choice(["a", "b", 7]) for _ in range(rng.randrange(1, 9))]
        lines = []
        for query in rows:
            pairs = rng.sample([("query", query), ("item", "query"), ("x", 1)], 3)
            lines.append(json.dumps(dict(pairs), separators=rng.choice([None, (",", ":")])) + "\n")
        same = len(rows)
        while same and rows[same - 1] == rows[-1]:
            same -= 1
        text = bytes_of("".join(lines))
        assert json_keys.last_query(text, 0, len(text), JOINED, 0, 5) == len("".join(lines[:same]))
