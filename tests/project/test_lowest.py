"""The lowest versions that are tried fit what is declared: one of each package, and no extra asks for a higher one."""

from __future__ import annotations

from collections import Counter

from tools.lowest import constraints, declared


def test_each_package_has_one_version_which_fits_every_declaration_of_it():
    tried = constraints()
    assert max(Counter(each.name for each in tried).values()) == 1
    versions = {each.name: next(iter(each.specifier)).version for each in tried}
    for each in declared():
        if each.name != "rankwell":
            assert each.specifier.contains(versions[each.name]), each
