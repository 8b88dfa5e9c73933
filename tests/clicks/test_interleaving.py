"""Interleaving: the worked numbers, a loop in plain Python, exact p-values, teams, bad logs, and the gate."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from tests.clicks.worked import columns, expected, given

import rankwell as rw
from rankwell.cli.main import run
from rankwell.clicks.means import flips_of_halves
from rankwell.errors import DataError, UsageError

ROWS = "impression", "user", "item", "team", "click"


def drafts(rng, users=12, teams="AB"):
    """A log of impressions of four items, some of both teams, some users without a name."""
    rows = []
    for impression in range(users * 4):
        user = f"u{rng.randrange(users)}" if rng.random() < 0.9 and impression else None
        for item in range(4):
            team = rng.choice([*teams, *(["AB"] if teams == "AB" else [])])
            rows.append((impression, user, f"d{item}", team, rng.choice([0, 0, 0, 1, 2])))
    rows[0], rows[1] = (0, None, "d0", "A", 1), (0, None, "d1", "B", 1)
    return rows


def plain(rows, credit, team="A", other="B"):
    """Delta, its error and degrees of freedom, and the p-value over all signs, in loops."""
    shown = {}
    for impression, user, _, own, click in rows:
        one = shown.setdefault(
            impression, {"user": user or f"alone {impression}", "A": 0, "B": 0, "C": 0, "held": set()}
        )
        if own in ("A", "B", "C"):
            one["held"].add(own)
            one[own] += click if credit == "clicks" else click > 0
    several = len({own for *_, own, _ in rows} & {"A", "B", "C"}) > 2
    shown = {key: one for key, one in shown.items() if not several or {team, other} <= one["held"]}
    clusters = {}
    for one in shown.values():
        clusters.setdefault(one["user"], []).append(
            Fraction((one[team] > one[other]) - (one[team] < one[other]), 2)
        )
    n = len(shown)
    mean = sum(sum(own) for own in clusters.values()) / n
    squares = sum((float(sum(own) - len(own) * mean) / (1 - len(own) / n)) ** 2 for own in clusters.values())
    error = math.sqrt((len(clusters) - 1) / len(clusters) * squares) / n
    freedom = n**2 / sum(len(own) ** 2 for own in clusters.values()) - 1
    # the distribution of the sum, cluster by cluster
    sums, ways = {Fraction(0): Fraction(1)}, [sum(own) for own in clusters.values()]
    for way in ways:
        grown = {}
        for total, share in sums.items():
            for sign in (way, -way):
                grown[total + sign] = grown.get(total + sign, 0) + share / 2
        sums = grown
    p = sum(share for total, share in sums.items() if abs(total) >= abs(sum(ways)))
    return float(mean), error, freedom, float(p)


@pytest.mark.parametrize("credit", ["clicks", "items"])
def test_the_worked_log(credit):
    rows, truth = given("log")["impression, user, item, team, clicks"], expected("log")[credit]
    found = rw.clicks.interleaved(columns(rows, *ROWS), credit=credit)
    assert {"A": found.won, "B": found.lost, "tied": found.tied} == truth["won"]
    assert (found.without_clicks, found.clusters) == (truth["without clicks"], truth["clusters"])
    own = [found.delta, found.error, found.freedom, found.low, found.high, found.p]
    assert own == pytest.approx(
        [truth["delta"], truth["se"], truth["df"], *truth["interval"], truth["p"]], rel=1e-9
    )
    assert found.counts == {"items of both teams, which give no credit": 1}


def test_the_worked_counts():
    won, lost, tied = given("counts")["won by A, won by B, tied"]
    teams = ["A"] * won + ["B"] * lost + ["A"] * tied
    log = {
        "impression": [*range(1000), 0],
        "team": [*teams, "B"],
        "click": [1] * (won + lost) + [0] * (tied + 1),
    }
    found, truth = rw.clicks.interleaved(log, cluster=None), expected("counts")
    own = [found.delta, found.clusters, found.error, found.freedom, found.low, found.high, found.p]
    assert own == pytest.approx(
        [truth["delta"], truth["clusters"], truth["se"], truth["df"], *truth["interval"], truth["p"]],
        rel=1e-9,
    )
    assert found.winner == "A"
    assert found.p == pytest.approx(stats.binomtest(won, won + lost).pvalue, rel=1e-9)


def test_one_user_has_no_interval():
    rows, truth = given("one_user")["impression, user, item, team, clicks"], expected("one_user")
    found = rw.clicks.interleaved(columns(rows, *ROWS))
    assert (found.won, found.lost, found.delta) == (truth["won"]["A"], truth["won"]["B"], truth["delta"])
    assert math.isnan(found.low)
    assert math.isnan(found.p)
    assert "One cluster: no interval." in found.to_text()


@pytest.mark.parametrize("credit", ["clicks", "items"])
@pytest.mark.parametrize("seed", range(8))
def test_a_loop_finds_the_same(credit, seed):
    rows = drafts(random.Random(seed))
    found = rw.clicks.interleaved(columns(rows, *ROWS), credit=credit)
    assert [found.delta, found.error, found.freedom, found.p] == pytest.approx(plain(rows, credit), abs=1e-12)


def test_three_teams_are_compared_where_both_are_shown():
    rows = drafts(random.Random(3), users=30, teams="ABC")
    found = rw.clicks.interleaved(columns(rows, *ROWS))
    assert [(pair.team, pair.other) for pair in found.pairs] == [("A", "B"), ("A", "C"), ("B", "C")]
    for pair in found.pairs:
        truth = plain(rows, "clicks", pair.team, pair.other)
        assert [pair.delta, pair.error, pair.freedom, pair.p] == pytest.approx(truth, abs=1e-12)
        assert pair.p <= pair.adjusted + 0.01
    with pytest.raises(UsageError, match=r"found\.pairs\[0\]\.delta"):
        _ = found.delta


@pytest.mark.parametrize("seed", range(40))
def test_p_is_that_of_all_signs(seed):
    rng = random.Random(seed)
    sums = [Fraction(rng.randrange(-9, 10), 2) for _ in range(rng.randrange(1, 11))]
    reached = sum(
        abs(sum(a * b for a, b in zip(sums, signs, strict=True))) >= abs(sum(sums))
        for signs in itertools.product((1, -1), repeat=len(sums))
    )
    assert flips_of_halves(np.array(sums, float)) == pytest.approx(reached / 2 ** len(sums), abs=1e-12)


def test_p_of_many_clusters_is_near_its_normal_limit():
    sums = np.random.default_rng(0).integers(-60, 61, 20_000) / 2
    normal = 2 * stats.norm.sf(abs(sums.sum()) / math.sqrt((sums**2).sum()))
    assert flips_of_halves(sums) == pytest.approx(normal, abs=1e-3)


def test_an_item_that_stands_there_for_each_team_is_of_both():
    log = {
        "impression": [1, 1, 1, 2, 2],
        "user": list("aaabb"),
        "item": list("xxyxy"),
        "team": list("ABAAB"),
        "click": [3, 3, 0, 0, 1],
    }
    found = rw.clicks.interleaved(log)
    assert (found.won, found.lost, found.tied) == (0, 1, 1)


def test_rows_in_any_order_say_the_same():
    rows = drafts(random.Random(5))
    one = rw.clicks.interleaved(columns(rows, *ROWS))
    random.Random(1).shuffle(rows)
    assert rw.clicks.interleaved(columns(rows, *ROWS)).to_dict() == one.to_dict()


def test_users_who_come_back_are_warned_of():
    rows = drafts(random.Random(2))
    found = rw.clicks.interleaved(columns(rows, *ROWS), cluster=None)
    assert any("came back" in what for what in found.counts)
    assert "each impression counts alone" in found.to_text().lower()


def test_weeks_are_those_of_the_calendar():
    days = ["2026-11-02", "2026-11-08", "2026-11-09", "2026-11-16"]
    rows = [
        (f"{day} {user}", user, day, team, int(team == "A"))
        for day in days
        for user in "abc"
        for team in "AB"
    ]
    found = rw.clicks.interleaved(columns(rows, "impression", "user", "time", "team", "click"))
    assert [(week.week, week.impressions) for week in found.weeks] == [
        ("2026-11-02", 6),
        ("2026-11-09", 3),
        ("2026-11-16", 3),
    ]


@pytest.mark.parametrize(
    "times", [[1793577600, 1794787200], ["11/02/2026", "12/01/2026"], ["2026-11-02", None]]
)
def test_times_that_are_no_dates_are_counted_and_give_no_weeks(times):
    log = {"impression": [1, 1, 2, 2], "user": list("uuvv"), "team": ["A", "B"] * 2, "click": [1, 0] * 2}
    found = rw.clicks.interleaved(log | {"time": [times[0]] * 2 + [times[1]] * 2})
    assert not found.weeks
    assert found.counts == {
        "impressions whose time is no date such as 2026-11-02, so that there are no weeks": 1
        + (None not in times)
    }


def test_a_saved_one_is_the_same(tmp_path):
    found = rw.clicks.interleaved(columns(drafts(random.Random(4)), *ROWS))
    found.save(tmp_path / "found.json")
    assert rw.clicks.Interleaving.load(tmp_path / "found.json").to_dict() == found.to_dict()
    text = (tmp_path / "found.json").read_text().replace('"won": ', '"won": 1')
    (tmp_path / "other.json").write_text(text)
    with pytest.raises(DataError, match="wins and ties are not the impressions"):
        rw.clicks.Interleaving.load(tmp_path / "other.json")


def preferred():
    """A log in which users prefer B."""
    rows = [(i, f"u{i % 40}", team, int(team == "B" and i % 3 > 0)) for i in range(400) for team in "AB"]
    return rw.clicks.interleaved(columns(rows, "impression", "user", "team", "click"))


RUN, QRELS = {str(q): ["a"] for q in range(9)}, {str(q): {"a": 1} for q in range(9)}


@pytest.mark.parametrize(("team", "status"), [("A", "fail"), ("B", "pass")])
def test_a_gate_takes_one_as_a_check(team, status, tmp_path):
    found = preferred()
    found.save(tmp_path / "found.json")
    old, new = rw.read_run(RUN, name="old"), rw.read_run(RUN, name=team)
    for check in (found.check(team), found, tmp_path / "found.json", str(tmp_path / "found.json")):
        decided = rw.gate(new, QRELS, ["rr"], baseline=old, checks=[check])
        assert decided.status == status
        assert decided.checks[-1].check.name.startswith(f"clicks of {team} over")
    with pytest.raises(UsageError, match=r"Say which is: checks=\[found\.check\('A'\)\]"):
        rw.gate(rw.read_run(RUN, name="new"), QRELS, ["rr"], baseline=old, checks=[found])


@pytest.mark.parametrize(
    ("words", "code"), [(["A=found.json"], 1), (["B=found.json"], 0), (["found.json"], 2), (["qrels.txt"], 2)]
)
def test_the_gate_on_the_command_line(words, code, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    preferred().save("found.json")
    (tmp_path / "qrels.txt").write_text("".join(f"{q} 0 a 1\n" for q in QRELS))
    for name in ("new.run", "old.run"):
        (tmp_path / name).write_text("".join(f"{q} Q0 a 1 1 x\n" for q in RUN))
    assert (
        run(["gate", "qrels.txt", "new.run", "--baseline", "old.run", "-m", "rr", "--checks", *words]) == code
    )
    said = capsys.readouterr()
    assert ("clicks of" in said.out) == (code < 2)
    assert code < 2 or said.err.count("\n") == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"team": None}, "no column for the team"),
        ({"user": None}, "no column for the user, and what one user does is not independent"),
        ({"team": ["A"] * 4}, "has two teams or more"),
        ({"click": [1, 0, -1, 0]}, "log, row 3: the click is -1"),
        ({"click": [1, 0, None, 0]}, "log, row 3: the click is missing"),
        ({"impression": [1, 1, None, 2]}, "log, row 3: the impression is missing"),
        ({"user": ["a", "b", "c", "c"]}, "impression 1 has two values of 'user', 'a' and 'b'"),
        ({"item": ["a", "a", "b", "c"], "team": ["A", "A", "A", "B"]}, "impression 1 shows item 'a' a second time"),
    ],
)  # fmt: skip
def test_bad_logs_are_refused_with_the_row(change, said):
    log = {
        "impression": [1, 1, 2, 2],
        "user": list("aabb"),
        "item": list("abab"),
        "team": list("ABAB"),
        "click": [1, 0, 0, 1],
    }
    log |= change
    with pytest.raises(DataError, match=said):
        rw.clicks.interleaved({name: column for name, column in log.items() if column is not None})


def test_a_cluster_is_any_column():
    log = {"impression": [1, 1, 2, 2], "session": list("aabb"), "team": list("ABAB"), "click": [1, 0, 0, 1]}
    assert rw.clicks.interleaved(log, cluster="session").clusters == 2
    with pytest.raises(UsageError, match="Did you mean session"):
        rw.clicks.interleaved(log, cluster="sesion")


def test_clicks_on_items_of_no_team_and_items_called_both_are_counted():
    log = {
        "impression": [1] * 4,
        "item": list("abcd"),
        "team": ["A", "B", "both", None],
        "click": [1, 0, 1, 1],
    }
    found = rw.clicks.interleaved(log, cluster=None)
    assert (found.won, found.lost) == (1, 0)
    assert found.counts == {
        "items of both teams, which give no credit": 1,
        "clicked rows of no team, which give no credit": 1,
    }


def test_a_part_of_a_click_is_refused_as_sums_of_parts_are_rounded():
    log = {"impression": [1] * 3, "item": list("abc"), "team": ["A", "A", "B"], "click": [0.1, 0.2, 0.3]}
    with pytest.raises(DataError, match=r"row 1: the click is 0\.1; it must be 0, 1 or a count"):
        rw.clicks.interleaved(log, cluster=None)


@pytest.mark.parametrize("nobody", [None, math.nan, ""])
def test_rows_of_nobody_are_not_one_user(nobody):
    users = [nobody, nobody, nobody, nobody, 1.0, 1.0]
    log = {"impression": [1, 1, 2, 2, 3, 3], "team": ["A", "B"] * 3, "click": [1, 0] * 3, "rank": [1, 2] * 3}
    log["user"] = ["" if each == "" else "u" for each in users] if nobody == "" else users
    found = rw.clicks.interleaved(log)
    assert found.clusters == 3
    assert found.counts == {"impressions without a user, each counted alone": 2}
    assert rw.clicks.positions(log).clusters == 5


def test_pairs_of_teams_that_never_met_are_left_out_and_counted():
    rows = [
        (i, f"u{i % 9}", team, (i + k) % 2)
        for i in range(40)
        for k, team in enumerate(("AB", "BC", "CD", "DE")[i % 4])
    ]
    found = rw.clicks.interleaved(columns(rows, "impression", "user", "team", "click"))
    assert [(pair.team, pair.other, pair.impressions) for pair in found.pairs] == [
        ("A", "B", 10), ("B", "C", 10), ("C", "D", 10), ("D", "E", 10)
    ]  # fmt: skip
    assert found.counts["pairs of teams that no impression holds both of"] == 6
    with pytest.raises(DataError, match="no impression holds items of two teams"):
        rw.clicks.interleaved(
            columns([(i, "u", "ABC"[i % 3], 1) for i in range(9)], "impression", "user", "team", "click")
        )


def test_blanks_around_a_team_make_no_other_team():
    rows = [
        (i, f"u{i % 9}", team, (i * k) % 2)
        for i in range(40)
        for k, team in enumerate((" A" if i % 2 else "A", "B "))
    ]
    assert rw.clicks.interleaved(columns(rows, "impression", "user", "team", "click")).teams == ["A", "B"]
