"""Tables drawn at random."""

from __future__ import annotations

from hypothesis import strategies as st

from rankwell.display.table import Column

FINITE = st.floats(allow_nan=False, allow_infinity=False)
WORDS = st.text("ab-_$|*\\&%#<>{}[]~^`\"'\n\x1b é\u0301日本ｱ한", max_size=8)
CELLS = st.tuples(WORDS, st.none() | st.integers(), st.none() | FINITE)
COLUMNS = (Column("run"), Column("queries", "count"), Column("ap", "value", better="higher"))
