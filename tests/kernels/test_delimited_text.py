"""Delimited text parsed by the kernel, against plain Python."""

from __future__ import annotations

import random

import numpy as np
import pytest

from rankwell.kernels import delimited_text as kernel
from rankwell.kernels import id_text

ROLES = np.array([kernel.QUERY, kernel.NUMBER, kernel.SKIPPED, kernel.ID], np.int32)


def bytes_of(text):
    return np.frombuffer(text.encode() if isinstance(text, str) else text, np.uint8)


def number(text):
    """What the kernel reads, None if it leaves the number to others."""
    found = kernel.parse(bytes_of(f"q,{text},x,i\n"), 0, len(f"q,{text},x,i\n".encode()), ord(","), ROLES)
    return None if found is None else float(found[4][0][0])


def test_a_number_is_the_nearest_float_or_left_to_others():
    rng = random.Random(3)
    texts = [repr(rng.random() * 10 ** rng.randrange(-12, 15)) for _ in range(20_000)]
    texts += [repr(float(np.float32(rng.random()))) for _ in range(2_000)]
    texts += [f"{rng.randrange(10**19)}e{rng.randrange(-30, -3)}" for _ in range(20_000)]
    texts += [f"{rng.random():.{rng.randrange(1, 19)}f}" for _ in range(20_000)]
    # halfway between two floats, and next to it
    texts += [f"{(1 << 53) + 2 * n + 1 + d}e-{e}" for n in range(200) for d in (-1, 0, 1) for e in (1, 5, 22)]
    read = [(text, number(text)) for text in texts]
    assert all(value is None or value == float(text) for text, value in read)
    if np.finfo(np.longdouble).nmant == 63:  # elsewhere more is left to others
        assert sum(value is None for _, value in read) < 0.1 * len(read)


def test_the_usual_forms_of_numbers_are_read():
    for text in (
        "0",
        "-0",
        "1",
        "-1.5",
        "0.97875",
        "100000",
        "1e5",
        "1E-05",
        "2.5e+3",
        "0.1234567890123456",
        "007",
        "0.0",
    ):
        value = number(text)
        assert value == float(text)
        assert np.signbit(value) == np.signbit(float(text))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "+1",
        ".5",
        "5.",
        "1e",
        "e5",
        "nan",
        "inf",
        "-",
        " 1",
        "1 ",
        "0x1",
        "1_0",
        "9007199254740993",
        "1e400",
        "--1",
    ],
)
def test_unusual_numbers_are_left_to_others(text):
    assert number(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "q,1,x\n",
        "q,1,x,i,j\n",
        "#,1,x,i\n",
        "\n",
        "\r\n",
        ",1,x,i\n",
        "q,1,x,\n",
        "q,1,x\r,i\n",
        "q,1,x,i\r\r\n",
        f"q,1,x,{'i' * 65_536}\n",
    ],
)
def test_unusual_lines_are_left_to_others(text):
    usual = bytes_of("q,1,x,i\n")
    both = np.concatenate([usual, bytes_of(text)])
    assert kernel.parse(both, 0, len(usual), ord(","), ROLES) is not None
    assert kernel.parse(both, 0, len(both), ord(","), ROLES) is None


def test_lines_become_spans_numbers_and_stretches_of_queries():
    text = bytes_of("ä|1|x|i1\r\nä|2||i22\nb|3|y|i3\nä|4|z|é\n")
    firsts, starts, lengths, ids, numbers, is_ascii = kernel.parse(text, 0, len(text), ord("|"), ROLES)
    assert firsts.tolist() == [0, 2, 3]
    spans = [text[s : s + n].tobytes().decode() for s, n in zip(starts, lengths, strict=True)]
    assert spans == ["ä", "b", "ä"]
    ((item_starts, item_lengths),) = ids
    assert [text[s : s + n].tobytes().decode() for s, n in zip(item_starts, item_lengths, strict=True)] == [
        "i1",
        "i22",
        "i3",
        "é",
    ]
    assert id_text.packed(text, item_starts, item_lengths).tobytes().decode() == "i1i22i3é"
    assert numbers[0].tolist() == [1, 2, 3, 4]
    assert not is_ascii


def test_the_last_lines_of_one_query_are_found_in_any_column():
    rng = random.Random(4)
    for _ in range(300):
        rows = [
            [rng.choice("abc"), rng.choice(["", "x", "xx"]), rng.choice("st")]
            for _ in range(rng.randrange(1, 9))
        ]
        lines = [",".join(row) + "\n" for row in rows]
        for column in range(3):
            same = len(rows)
            while same and rows[same - 1][column] == rows[-1][column]:
                same -= 1
            text = bytes_of("".join(lines))
            assert kernel.last_query(text, 0, len(text), ord(","), column) == len("".join(lines[:same]))


def test_what_a_text_holds_is_what_plain_python_finds():
    rng = random.Random(5)
    for _ in range(500):
        text = bytes(rng.choice([10, 10, 0, 34, 35, 239, 97, 98]) for _ in range(rng.randrange(1, 300)))
        text = text if rng.random() < 0.5 else text.translate(None, bytes([0, 34, 35, 239])) + b"a"
        first, last = text.find(b"\n"), text.rfind(b"\n")
        expected = (
            text.count(b"\n"),
            len(text) if first < 0 else first,
            last + 1,
            0 in text,
            34 in text,
            35 in text,
            239 in text,
        )
        assert kernel.survey(bytes_of(text)) == expected
