"""Mutants: one thing in rankwell put wrong, and whether a comparison notices it."""

from __future__ import annotations


def put(owner, name, value):
    """Return a mutant: ``name`` is something else."""
    return lambda patch: patch.setattr(owner, name, value)


def around(owner, name, change):
    """Return a mutant: ``change`` gets the original and what it was called with."""

    def plant(patch):
        original = getattr(owner, name)
        patch.setattr(owner, name, lambda *given: change(original, *given))

    return plant


def fails(check):
    """Whether a comparison notices a difference. A crash is none: the mutant may be out of date."""
    try:
        check()
    except AssertionError:
        return True
    return False
