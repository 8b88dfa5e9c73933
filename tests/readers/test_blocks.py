"""Buffers of blocks are used again, but never while something refers to what they hold."""

from __future__ import annotations

from rankwell.readers.blocks import Buffers


def test_a_part_of_a_buffer_keeps_it_from_being_used_again():
    buffers = Buffers()
    first = buffers.take(1000)
    first[:] = 1
    part = first[10:20]
    del first
    second = buffers.take(1000)
    second[:] = 2
    assert part.tolist() == [1] * 10


def test_a_buffer_that_nothing_refers_to_is_used_again_for_blocks_a_little_larger():
    buffers = Buffers()
    first = buffers.take(1000)
    at = first.ctypes.data
    del first
    second = buffers.take(1100)
    assert (second.ctypes.data, len(second)) == (at, 1100)
