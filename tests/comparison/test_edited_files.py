"""Saved watches and trends that were edited by hand: each field is refused in one line that names the file, or changes nothing else."""

from __future__ import annotations

import copy
import json

import pytest
from tests.cases import drawn
from tests.comparison.test_watch import season

import rankwell as rw

# of a number, a date, a text, a truth and a list: what is of another type, out of range, or no longer fits the rest
EDITS = None, -1, 0, 1e308, "inf", "tomorrow", True, [], 0.123456, "2027-01-01"
MADE = {
    "watch": lambda: rw.watch(season(20, drop=(17, 18, 19)), "rr", 14),
    "early watch": lambda: rw.watch(season(12), "rr", 14),
    "trend": lambda: rw.trend(season(4), "rr"),
}
# what else may stand there: names, an end of an interval, a level, the last date; and what is worked out anew
FREE = {
    "watch": {"run", "date", "status", "exit_code", "verdict", "alarms", "notes", "signature", "better"},
    "trend": {"run", "date", "low", "high", "level", "rel", "weights", "shared", "is_doubtful", "change_is_doubtful"}
    | {"caption", "notes", "signature", "better"},
}  # fmt: skip
FREE["early watch"] = FREE["watch"] | {"error"}  # while there is no reference, nothing follows from it
HEAD = {"rankwell", "kind", "schema", "policy"}


def leaves(value, at=()):
    """The places of plain values, of rows those of the first, of one within and of the last."""
    if isinstance(value, dict):
        for name, own in value.items():
            yield from leaves(own, (*at, name))
    elif isinstance(value, list) and value:
        for place in sorted({0, len(value) // 2, len(value) - 1}):
            yield from leaves(value[place], (*at, place))
    else:
        yield at


def edited(content, at, value):
    whole = copy.deepcopy(content)
    inner = whole
    for name in at[:-1]:
        inner = inner[name]
    inner[at[-1]] = value
    return whole, inner


@pytest.mark.parametrize("name", MADE)
def test_an_edited_field_is_refused_in_one_line(name, tmp_path):
    found = MADE[name]()
    content, path = json.loads(found.to_json()), tmp_path / "edited.json"
    for at in leaves(content):
        free = {part for part in at if part in FREE[name]} or at[0] in HEAD
        for value in () if free else drawn(EDITS, (name, at), 3):  # a watch takes 10 ms to be worked out anew
            whole, inner = edited(content, at, value)
            was = content
            for part in at:
                was = was[part]
            if was == value and type(was) is type(value):
                continue
            path.write_text(json.dumps(whole))
            with pytest.raises(
                rw.RankwellError, match=r"^\S*edited\.json: this file of a \w+ is damaged"
            ) as error:
                print(at, value, type(found).load(path))
            assert len(str(error.value).splitlines()) == 1
        if not free:
            whole, inner = edited(content, at, None)
            del inner[at[-1]]
            path.write_text(json.dumps(whole))
            with pytest.raises(rw.RankwellError, match=r"edited\.json"):
                print(at, type(found).load(path))


@pytest.mark.parametrize("name", MADE)
def test_what_may_be_edited_still_prints(name, tmp_path):
    found = MADE[name]()
    content, path = json.loads(found.to_json()), tmp_path / "edited.json"
    loaded = 0
    for at in leaves(content):
        for value in drawn(EDITS, (name, at), 4) if {*at} & FREE[name] else ():
            path.write_text(json.dumps(edited(content, at, value)[0]))
            try:
                own = type(found).load(path)
            except rw.RankwellError:
                continue
            loaded += 1
            assert str(own)
            assert own.to_html()
            assert json.loads(own.to_json())["rows"]
            assert len(own.to_frame()) == len(found.to_frame())
    assert loaded
