"""What is in tests/data is what its checksums say, and is unpacked whole, once, and again after a change."""

from __future__ import annotations

import hashlib
import lzma
import os

import pytest
from tests import evidence as module
from tests.every import every
from tests.evidence import PACKED, evidence, unpack

SUMS = dict(reversed(line.split()) for line in (PACKED / "SHA256SUMS").read_text().splitlines())


def test_every_packed_file_has_its_checksum_and_every_checksum_a_file():
    packed = {path.relative_to(PACKED).with_suffix("").as_posix() for path in PACKED.rglob("*.xz")}
    assert packed == set(SUMS)


@every("name", SUMS)
def test_every_file_is_unpacked_to_its_checksum(name):
    assert hashlib.sha256(evidence(name).read_bytes()).hexdigest() == SUMS[name]


def test_a_folder_is_unpacked_with_all_that_is_in_it():
    folder = evidence("trec_eval")
    assert (folder / "LICENSE.md").read_bytes() == (PACKED / "trec_eval" / "LICENSE.md").read_bytes()
    wanted = {name for name in SUMS if name.startswith("trec_eval/")} | {"trec_eval/LICENSE.md"}
    assert {
        f"trec_eval/{path.relative_to(folder).as_posix()}" for path in folder.rglob("*") if path.is_file()
    } == wanted


def test_a_changed_file_is_unpacked_again_and_an_unchanged_one_is_not(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "UNPACKED", tmp_path)
    packed, target = tmp_path / "a.txt.xz", tmp_path / "folder" / "a.txt.xz"
    packed.write_bytes(lzma.compress(b"before"))
    unpack(packed, target)
    first = (tmp_path / "folder" / "a.txt").stat().st_ino
    unpack(packed, target)
    assert (tmp_path / "folder" / "a.txt").stat().st_ino == first
    packed.write_bytes(lzma.compress(b"after"))
    os.utime(packed, ns=(1, 1))  # older than before, as after going back in the history
    unpack(packed, target)
    assert (tmp_path / "folder" / "a.txt").read_bytes() == b"after"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt.xz", "folder"]


def test_what_is_not_there_is_named():
    with pytest.raises(FileNotFoundError, match="tests/data/cranfield/nothing is missing"):
        evidence("cranfield/nothing")
