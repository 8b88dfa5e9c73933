"""Redaction: hashes under a key, small groups, and ids that say who somebody is."""

from __future__ import annotations

import base64
import hashlib

import numpy as np
import pytest

from rankwell.errors import UsageError
from rankwell.results.redaction import Redaction, hidden_groups, personal, redaction_of
from rankwell.tables.ids import Ids

KEY = b"a key of some bytes"
NAMES = ["ada@example.org", "7", "파이썬", "a\0b", "x" * 10_000, "\ud800"]


def plain_hash(key, word, known):
    """HMAC as RFC 2104 writes it, with SHA-256 and a block of 64 bytes."""
    block = key.ljust(64, b"\0") if len(key) <= 64 else hashlib.sha256(key).digest().ljust(64, b"\0")
    inner = bytes(byte ^ 0x36 for byte in block) + f"{word}\0{known}".encode(errors="surrogatepass")
    outer = bytes(byte ^ 0x5C for byte in block) + hashlib.sha256(inner).digest()
    return f"{word[0]}-{base64.b32encode(hashlib.sha256(outer).digest()).decode().lower()[:12]}"


@pytest.mark.parametrize("word", ["query", "item"])
def test_an_id_is_replaced_by_the_beginning_of_its_hmac_sha_256(word):
    for key in (KEY, bytes(range(200))):
        assert [Redaction(key).of(word, name) for name in NAMES] == [
            plain_hash(key, word, name) for name in NAMES
        ]


def test_the_same_id_has_the_same_hash_and_another_key_gives_another():
    same, other = Redaction(KEY), Redaction(KEY[::-1])
    for name in NAMES:
        assert same.of("query", name) == Redaction(KEY).of("query", name)
        assert len({same.of("query", name), same.of("item", name), other.of("query", name)}) == 3
    assert same.of("query", 12) == same.of("query", "12")


def test_a_column_is_replaced_id_by_id():
    for column in (["b", "a", "b"], [3, 1, 3]):
        hidden = Redaction(KEY).ids("item", Ids.of(column))
        assert hidden.tolist() == [Redaction(KEY).of("item", known) for known in column]


def test_a_random_key_is_another_each_time_and_no_key_is_shown():
    first, second = redaction_of(True), redaction_of(True)
    assert first.key != second.key
    assert len(first.key) == 32
    assert str(first.key) not in repr(first)
    assert "key of some" not in repr(Redaction(KEY))


@pytest.mark.parametrize("wanted", ["secret", b"short", 1, {"key": KEY}])
def test_a_key_that_is_none_is_refused(wanted):
    with pytest.raises(UsageError, match="redact="):
        redaction_of(wanted)


@pytest.mark.parametrize(
    ("sizes", "hidden"),
    [
        ([40, 30], [0, 0]),
        ([4, 40], [1, 1]),  # with only one hidden, the other and the whole would tell of it
        ([4, 40, 6], [1, 0, 1]),
        ([4, 40, 3], [1, 0, 1]),
        ([1, 2], [1, 1]),
        ([], []),
        ([5], [0]),
    ],
)
def test_small_groups_are_hidden_and_cannot_be_worked_out_from_the_rest(sizes, hidden):
    found = hidden_groups(np.array(sizes, np.int64), 5)
    assert found.tolist() == [bool(each) for each in hidden]
    assert not found.any() or sum(np.array(sizes)[found]) >= 5 or found.all()


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (["1", "2"] * 50 + ["Ada.Lovelace+x@mail.example.co.uk"], "e-mail addresses"),
        (["+82 10-1234-5678", "+44 20 7946 0958"], "telephone numbers"),
        (["010-1234-5678", "u7"], "telephone numbers"),
        (["(02) 123-4567", "031 123 4567"], "telephone numbers"),
        (["01012345678"], "telephone numbers"),
        (["0104257", "0110012"], ""),  # of films
        (["FT911-3", "clueweb12-0000tw-00-00000", "2020.acl-main.5", "d@", "@x", "a@b"], ""),
        (["1994-06-15", "550e8400-e29b-41d4-a716-446655440000", "978-3-16-148410-0"], ""),
        ([1012345678], ""),
        ([], ""),
    ],
)
def test_ids_that_say_who_somebody_is_are_seen(ids, expected):
    assert personal(Ids.of(ids)) == expected


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("rankwell report q.txt a.run", "rankwell report q.txt a.run"),
        ("rankwell report '/home/ada love/q.txt' new=/home/ada/new.run", "rankwell report q.txt new=new.run"),
        (
            "/home/ada/bin/rankwell report --items=/a=b/items.csv ../x/ -m 'f(beta=0.5)@3'",
            "rankwell report --items=items.csv x -m 'f(beta=0.5)@3'",
        ),
        (r"rankwell report 'C:\Users\ada\q.txt'", "rankwell report q.txt"),
        ("rankwell report q.txt --title 'for ada@example.org'", "rankwell report q.txt --title 'for …'"),
        ("rankwell report 'q.txt", ""),
        ("", ""),
    ],
)
def test_a_command_names_no_folder_and_nobody(command, shown):
    assert Redaction(KEY).command(command) == shown
