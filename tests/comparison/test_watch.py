"""Watching a daily mean: reference, z, sums and alarms against plain loops, what is skipped and counted, and what is refused."""

from __future__ import annotations

import datetime as dt
import json
import math
import random
import re
import statistics
from collections import defaultdict
from dataclasses import replace
from itertools import pairwise

import polars as pl
import pytest

import rankwell as rw
from rankwell.display.page import words_of
from rankwell.display.saved_files import ensure_same
from rankwell.errors import RankwellError
from rankwell.statistics.series import Reference, looks_to_see, threshold_for

FIRST = dt.date(2026, 1, 1)
TIERS = "new", "old"


def day(at):
    return FIRST + dt.timedelta(at)


def evaluated(at, chance, n=60, *, metrics=("rr",), tiers=None, seed=0, **options):
    """The results of a day: the relevant item is first with this chance, else second or third; ``tiers`` is the share of new users."""
    rng = random.Random(f"{seed} {at}")
    run = {}
    for q in range(n + rng.randrange(10) if n > 1 else n):
        items = ["a", "b", "c"] if rng.random() < chance else rng.sample(["b", "c", "a"], 3)
        run[f"{at}/{q}"] = items
    if tiers is not None:
        names = [TIERS[rng.random() >= tiers] for _ in run]
        options |= {"users": pl.DataFrame({"query": list(run), "tier": names}), "by": "tier"}
    return rw.evaluate(run, {query: {"a": 1} for query in run}, list(metrics), **options)


def season(days, *, drop=(), without=(), **options):
    """Results by date; the chance differs from day to day and by weekday, and falls where ``drop`` says."""
    rng = random.Random(8)
    found = {}
    for at in range(days):
        chance = 0.6 + rng.gauss(0, 0.05) + (0.1 if at % 7 == 2 else 0) - (0.35 if at in drop else 0)
        if at not in without:
            found[day(at)] = evaluated(at, chance, **options)
    return found


def values_of(res, metric="rr"):
    return [value for value in res.per_query[metric].to_list() if value is not None]


def by_hand(results, days, *, by_weekday=False, better=1):
    """The watch by plain loops, as its formulas say: z of each later day, S, the alarms, and the parts."""
    dates = list(results)
    means = {date: statistics.fmean(values_of(res)) for date, res in results.items()}
    held = dates[:days]
    kind = (lambda date: date.weekday()) if by_weekday else (lambda date: 0)
    groups = defaultdict(list)
    for date in held:
        groups[kind(date)].append(means[date])
    expected = {key: statistics.fmean(own) for key, own in groups.items()}
    errors = [means[date] - expected[kind(date)] for date in held]
    freedom = days - len(groups)
    variance = math.fsum(error**2 for error in errors) / freedom
    own = [values_of(results[date]) for date in held]
    sampling = statistics.fmean(statistics.variance(values) / len(values) for values in own)
    part = max(0.0, variance - sampling)
    pooled = math.fsum((len(v) - 1) * statistics.variance(v) for v in own) / sum(len(v) - 1 for v in own)
    h, total, rows = threshold_for(365, Reference(days, freedom)), 0.0, {}
    for date in dates[days:]:
        z = (means[date] - expected[kind(date)]) / math.sqrt(part + pooled / len(values_of(results[date])))
        z *= better / math.sqrt(1 + (len(groups) - 1) / days)
        total = max(0.0, total - z - 0.5)
        rows[date] = (z, total, total > h)
        total = 0.0 if total > h else total
    lagged = math.fsum(one * other for one, other in pairwise(errors))
    return rows, part, sampling, lagged / math.fsum(error**2 for error in errors), h


@pytest.mark.parametrize(("reference", "by_weekday"), [(14, False), (27, False), (28, True), (35, True)])
def test_each_day_is_held_against_the_reference_as_by_plain_loops(reference, by_weekday):
    results = season(60, drop=range(48, 60))
    found = rw.watch(results, "rr", reference)
    rows, part, sampling, correlation, h = by_hand(results, reference, by_weekday=by_weekday)
    assert [each.date for each in found.days] == list(results)
    assert [each.use for each in found.days] == ["reference"] * reference + ["watched"] * (60 - reference)
    own = found.design
    assert (own.day_part**2, own.sampling**2, own.autocorrelation) == pytest.approx(
        (part, sampling, correlation)
    )
    assert own.threshold == pytest.approx(h)
    for each in found.days[reference:]:
        z, total, is_alarm = rows[each.date]
        assert (each.z, each.total) == pytest.approx((z, total))
        assert each.is_alarm == is_alarm
    assert found.alarms == [date for date, (_, _, is_alarm) in rows.items() if is_alarm]
    assert found.alarms


def test_a_metric_of_which_lower_is_better_is_turned_round():
    results = season(40, metrics=("rr", "first_rank"))
    worse, better = rw.watch(results, "first_rank", 14), rw.watch(results, "rr", 14)
    assert worse.metric.better == "lower"
    for each in worse.days[14:]:
        assert (each.z < 0) == (each.mean > each.expected)
    for each in better.days[14:]:
        assert (each.z < 0) == (each.mean < each.expected)


def test_the_verdict_is_of_the_newest_day_or_of_those_since_a_date():
    results = season(40, drop=range(30, 33))
    found = rw.watch(results, "rr", 14)
    assert (found.status, found.exit_code) == ("ok", 0)
    (last,) = found.alarms[-1:]
    assert last < day(39)
    assert found.headline() == f"rr: no alarm (2026-02-09); the last one was on {last}"
    until = {date: res for date, res in results.items() if date <= last}
    assert rw.watch(until, "rr", 14).status == "alarm"
    assert rw.watch(until, "rr", 14).headline() == f"rr: alarm on {last}"
    for since in (last, str(last), FIRST):
        later = rw.watch(results, "rr", 14, since=since)
        assert (later.status, later.exit_code) == ("alarm", 1)
        assert (
            f"rr: alarm on {', '.join(str(each) for each in later.alarms if str(each) >= str(since))}"
            == later.headline()
        )
    after = rw.watch(results, "rr", 14, since=last + dt.timedelta(1))
    assert (after.status, after.headline()) == (
        "ok",
        f"rr: no alarm (since {last + dt.timedelta(1)}); the last one was on {last}",
    )


def test_the_verdict_names_the_newest_day_that_was_looked_at():
    results = season(20)
    results[day(20)] = rw.evaluate({"20/0": []}, {"20/0": {"a": 0}}, ["rr"])
    assert rw.watch(results, "rr", 14).headline() == f"rr: no alarm ({day(19)}); {day(20)} was skipped"
    found = rw.watch(season(19, drop=range(15, 19)) | {day(20): results[day(20)]}, "rr", 14)
    assert found.newest == found.alarms[-1] == day(18)
    assert (found.status, found.headline()) == ("alarm", f"rr: alarm on {day(18)}; {day(20)} was skipped")


@pytest.mark.parametrize(
    "since", [dt.datetime.combine(day(19), dt.time()), "2026-01-20T00:00:00", "2026-01-20 00:00:00"]
)
def test_a_moment_at_midnight_is_a_date(since):
    assert rw.watch(season(30), "rr", 14, since=since).design.since == "2026-01-20"
    with pytest.raises(RankwellError, match="must be a date such as 2026-11-20"):
        rw.watch(season(30), "rr", 14, since=dt.datetime.combine(day(19), dt.time(8)))


@pytest.mark.parametrize("days", [1, 13, 27, 28])
def test_too_few_days_are_no_alarm_and_said(days):
    found = rw.watch(season(days), "rr")
    assert (found.status, found.exit_code, found.alarms) == ("too few", 0, [])
    assert (
        found.headline()
        == f"rr: nothing was watched yet, as there are {days} of 28 reference days and no day after them"
    )
    assert json.loads(found.to_json())["status"] == "too few"
    assert math.isnan(found.design.threshold) == (days < 28)


def test_missing_days_are_skipped_and_counted():
    found = rw.watch(season(50, without=(3, 20, 45)), "rr", 14)
    assert "3 days are missing, and were skipped" in found.notes()
    assert sum(each.use == "reference" for each in found.days) == 14
    assert found.days[14].date == day(15)
    assert "missing" not in " ".join(rw.watch(season(30), "rr", 14).notes())


def test_days_without_values_are_skipped_and_counted():
    results = season(30)
    for at, n in ((2, 1), (20, 1)):
        results[day(at)] = evaluated(at, 0.5, n)
    empty = rw.evaluate({"21/0": []}, {"21/0": {"a": 0}}, ["rr"])
    results[day(21)] = empty
    found = rw.watch(results, "rr", 14)
    assert [each.date for each in found.days if each.use == "no value"] == [day(2), day(20), day(21)]
    assert found.days[14].use == "reference"
    assert "3 days skipped: fewer than 2 queries have a value" in found.notes()
    without = {date: res for date, res in results.items() if date not in (day(2), day(20), day(21))}
    again = rw.watch(without, "rr", 14)
    assert [each.z for each in again.days[14:]] == [each.z for each in found.days if each.use == "watched"]


@pytest.mark.parametrize("n", [1, 20])
def test_days_that_all_lack_a_value_are_too_few(n):
    empty = rw.evaluate({"q": []}, {"q": {"a": 0}}, ["rr"])
    found = rw.watch({day(at): empty for at in range(n)}, "rr", 14)
    assert (found.status, [each.use for each in found.days]) == ("too few", ["no value"] * n)
    assert "there are 0 of 14 reference days" in found.headline()


def test_a_day_without_any_hit_is_held_against_the_spread_of_the_reference():
    results = season(20)
    results[day(20)] = rw.evaluate(
        {f"20/{q}": ["b"] for q in range(50)}, {f"20/{q}": {"a": 1} for q in range(50)}, ["rr"]
    )
    last = rw.watch(results, "rr", 14).days[-1]
    assert last.mean == 0
    assert -30 < last.z < -5


def test_a_weekday_that_the_reference_lacks_is_skipped_and_counted():
    # the first four weeks have no Sunday
    sundays = [at for at in range(32) if day(at).weekday() == 6]
    found = rw.watch(season(52, without=sundays), "rr", 27 + 1)
    assert found.design.is_by_weekday
    later = [each for each in found.days if each.date.weekday() == 6]
    assert {each.use for each in later} == {"no weekday"}
    assert f"{len(later)} days skipped: the reference has no such weekday" in found.notes()


def test_results_by_week_are_looked_at_once_a_week():
    weeks = {day(7 * at): res for at, res in enumerate(season(40).values())}
    found = rw.watch(weeks, "rr", 28)
    assert found.design.step == 7
    assert found.design.looks == pytest.approx(365 / 7)
    assert found.design.threshold == pytest.approx(threshold_for(365 / 7, Reference(28, 27)))
    daily = rw.watch(season(40), "rr", 28, false_alarms="7/year")
    assert daily.design.looks == pytest.approx(found.design.looks)


def test_the_order_in_which_days_are_given_changes_nothing():
    results = season(30)
    given = random.Random(1).sample(list(results.items()), len(results))
    assert rw.watch(dict(given), "rr", 14).to_json() == rw.watch(results, "rr", 14).to_json()


def test_the_promise_sets_the_threshold():
    results = season(30)
    looks = [
        rw.watch(results, "rr", 14, promise).design.looks
        for promise in ("1/year", "4/year", "1 / month", "0.5/quarter", "1/week")
    ]
    assert looks == pytest.approx([365, 91.25, 365 / 12, 182.5, 7])
    found = [
        rw.watch(results, "rr", 14, promise).design.threshold for promise in ("1/year", "4/year", "1/month")
    ]
    assert found == sorted(found, reverse=True)


def test_a_drop_is_a_share_of_the_reference_or_a_number():
    results = season(40)
    share, number = (
        rw.watch(results, "rr", 28, drop="10%").design,
        rw.watch(results, "rr", 28, drop=0.05).design,
    )
    assert share.mean == pytest.approx(
        statistics.fmean(res.mean["rr"] for res in list(results.values())[:28])
    )
    assert (share.drop, number.drop) == pytest.approx((0.1 * share.mean, 0.05))
    for own in (share, number):
        days = looks_to_see(own.drop / own.sigma / math.sqrt(1 + 6 / 28), own.threshold, Reference(28, 21))
        assert own.days_to_see == pytest.approx(days)
    said = f"a drop of 10% ({share.drop:.4f}, {share.drop / share.sigma:.2f} standard deviations) is seen after {share.days_to_see:.1f} days on average"
    assert said in rw.watch(results, "rr", 28, drop="10%").notes()


@pytest.mark.parametrize(("drop", "same"), [("1e-2", 0.01), ("5e-1 %", "0.5%"), (1e-05, "0.00001")])
def test_a_drop_may_be_written_with_an_exponent(drop, same):
    written, plain = (rw.watch(season(20), "rr", 14, drop=each).design.drop for each in (drop, same))
    assert written == pytest.approx(plain, rel=1e-12)


@pytest.mark.parametrize("drop", ["1e-400", "0e-3", "1e", "e-3", "1e-(1, 2)"])
def test_what_is_no_drop_is_refused(drop):
    with pytest.raises(RankwellError, match="a share such as 5%"):
        rw.watch(season(20), "rr", 14, drop=drop)


@pytest.mark.parametrize(
    ("metric", "drop"), [("rr", 5), ("rr", "500%"), ("rr", "100.1%"), ("fallout(collection=3)@2", 0.9)]
)
def test_a_drop_that_cannot_happen_is_said_and_has_no_delay(metric, drop):
    found = rw.watch(season(20, metrics=("rr", "fallout(collection=3)@2")), metric, 14, drop=drop)
    assert math.isnan(found.design.days_to_see)
    worst = {"rr": "0"}.get(metric, "1")
    said = f"cannot be seen, as {found.metric} is {found.design.mean:.4f} in the reference and never worse than {worst}"
    assert [note for note in found.notes() if said in note]
    assert "is seen after" not in found.to_text()
    whole = rw.watch(season(20), "rr", 14, drop="100%")
    assert whole.design.days_to_see > 0


def test_queries_that_are_on_each_day_are_no_draw():
    results = {}
    rng = random.Random(3)
    for at in range(30):
        # half of the queries always succeed, so that a day differs by much less than s²/n of a draw
        found = {q: q < 30 or rng.random() < (0.5 if at < 26 else 0.3) for q in range(33)}
        run = {f"q{q}": ["a"] if is_found else ["b"] for q, is_found in found.items()}
        results[day(at)] = rw.evaluate(run, {query: {"a": 1} for query in run}, ["hit@1"])
    own = rw.watch(results, "hit@1", 14)
    means = [res.mean["hit@1"] for res in results.values()]
    sd, expected = statistics.stdev(means[:14]), statistics.fmean(means[:14])
    assert (own.design.sampling, own.design.sigma) == pytest.approx((0, sd))
    assert [each.z for each in own.days[14:]] == pytest.approx(
        [(mean - expected) / sd for mean in means[14:]]
    )
    assert any("estimated from the daily means alone" in note for note in own.notes())
    with pytest.raises(
        RankwellError, match="all days of the reference have the same queries, and 2026-01-21 has others"
    ):
        rw.watch(results | {day(20): evaluated(20, 0.5, metrics=("hit@1",))}, "hit@1", 14)
    in_reference = rw.watch(results | {day(5): evaluated(5, 0.5, metrics=("hit@1",))}, "hit@1", 14)
    assert in_reference.design.sampling > 0
    assert not any("daily means alone" in note for note in in_reference.notes())


def test_days_without_any_spread_are_refused():
    res = evaluated(0, 0.5)
    with pytest.raises(RankwellError, match="one value for all queries or all days of the reference"):
        rw.watch({day(at): res for at in range(40)}, "rr", 30)


def test_correlated_days_are_said():
    rng, level, results = random.Random(2), 0.0, {}
    for at in range(20):
        level = 0.9 * level + rng.gauss(0, 0.1)
        results[day(at)] = evaluated(at, 0.6 + level, 300)
    found = rw.watch(results, "rr", 14)
    assert found.design.autocorrelation > 0.1
    assert any(
        "if days hang together, there are more false alarms than promised" in note for note in found.notes()
    )


# ------------------------------------------------------------------------------------------------------------- segments


def by_tier(res):
    values = dict(zip(res.queries, res.per_query["rr"].to_list(), strict=True))
    labels = dict(zip(res.part.queries.tolist(), res.division.labels.of(res.part.segment), strict=True))
    found = defaultdict(list)
    for query, value in values.items():
        found[labels[query][0]].append(value)
    return found


def test_the_standardised_mean_has_the_shares_of_the_reference():
    results = {}
    for at in range(30):
        # new users have a lower mean, and there are more of them in the end
        results[day(at)] = evaluated(at, 0.6, 80, tiers=0.3 if at < 20 else 0.8)
    found = rw.watch(results, "rr", 14, by="tier")
    own = {date: by_tier(res) for date, res in results.items()}
    held = list(own)[:14]
    sizes = {tier: sum(len(own[date][tier]) for date in held) for tier in TIERS}
    spread = {
        tier: sum((len(own[date][tier]) - 1) * statistics.variance(own[date][tier]) for date in held)
        / (sizes[tier] - 14)
        for tier in TIERS
    }
    for each in found.days:
        shares = {tier: sizes[tier] / sum(sizes.values()) for tier in TIERS}
        groups = own[each.date]
        assert each.mean == pytest.approx(
            sum(shares[tier] * statistics.fmean(groups[tier]) for tier in TIERS)
        )
        assert each.plain == pytest.approx(results[each.date].mean["rr"])
        square = sum(
            shares[tier] ** 2
            * (statistics.variance(groups[tier]) if each.use == "reference" else spread[tier])
            / len(groups[tier])
            for tier in TIERS
        )
        assert each.error == pytest.approx(math.sqrt(square))
    assert "plain mean" in [column.name for column in found.to_table().columns]
    assert any(note.startswith("mean: each segment of tier counts with the share") for note in found.notes())


def test_a_segment_that_is_new_since_the_reference_does_not_count():
    def results(with_new):
        found = {}
        for at in range(20):
            run = {f"{at}/{q}": ["a"] if q % 3 and (q + at) % 5 else ["b"] for q in range(40)}
            tiers = [TIERS[q % 2] for q in range(40)]
            if with_new and at > 15:
                tiers = ["vip" if q > 30 else tier for q, tier in enumerate(tiers)]
            elif at > 15:
                run = {query: items for q, (query, items) in enumerate(run.items()) if q <= 30}
                tiers = tiers[:31]
            users = pl.DataFrame({"query": [*run], "tier": tiers})
            found[day(at)] = rw.evaluate(
                run, {query: {"a": 1} for query in run}, ["hit@1"], users=users, by="tier"
            )
        return found

    with_new, without = (rw.watch(results(each), "hit@1", 14, by="tier") for each in (True, False))
    assert [each.z for each in with_new.days[14:]] == [each.z for each in without.days[14:]]
    assert with_new.days[-1].plain != without.days[-1].plain
    assert any("one that is new since does not count" in note for note in with_new.notes())


def test_a_change_of_the_mix_alone_raises_no_alarm():
    def mixed(at, share):
        rng = random.Random(at)
        tiers = [rng.random() < share for _ in range(400)]
        run = {
            f"{at}/{q}": ["a"] if rng.random() < (0.2 if is_new else 0.7) else ["b"]
            for q, is_new in enumerate(tiers)
        }
        users = pl.DataFrame({"query": list(run), "tier": [TIERS[not is_new] for is_new in tiers]})
        return rw.evaluate(run, {query: {"a": 1} for query in run}, ["hit@1"], users=users, by="tier")

    results = {day(at): mixed(at, 0.2 if at < 24 else 0.6) for at in range(40)}
    assert rw.watch(results, "hit@1", 20, since=FIRST).status == "alarm"
    assert rw.watch(results, "hit@1", 20, since=FIRST, by=["tier"]).status == "ok"


def test_a_day_that_lacks_a_segment_is_skipped_and_counted():
    results = {day(at): evaluated(at, 0.6, tiers=0 if at in (5, 25) else 0.4) for at in range(30)}
    found = rw.watch(results, "rr", 14, by="tier")
    assert [each.date for each in found.days if each.use == "no segment"] == [day(5), day(25)]
    assert [each.use for each in found.days[:16]].count("reference") == 14
    assert "2 days skipped: a segment of the reference has fewer than 2 queries" in found.notes()


def test_segments_that_files_hold_are_those_of_the_results(tmp_path):
    results = {day(at): evaluated(at, 0.6, tiers=0.4) for at in range(20)}
    for suffix in ("json", "parquet"):
        for date, res in results.items():
            res.save(tmp_path / f"{suffix}-{date}.{suffix}")
        found = rw.watch(str(tmp_path / f"*.{suffix}"), "rr", 14, by="tier")
        ensure_same(found.to_dict()["rows"], rw.watch(results, "rr", 14, by="tier").to_dict()["rows"], "rows")


# ---------------------------------------------------------------------------------------------------------------- forms


def test_a_file_holds_everything(tmp_path):
    for found in (
        rw.watch(season(40, drop=range(30, 40)), "rr", 14, since="2026-01-20"),
        rw.watch(season(3), "rr"),
    ):
        found.save(tmp_path / "watch.json")
        again = rw.Watch.load(tmp_path / "watch.json")
        assert again.to_json() == found.to_json()
        assert again.to_text() == found.to_text()
        assert again.to_frame().equals(found.to_frame())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data["rows"][-1].update(total=0.1), r"rows\[39\].total: 0.1 in place of"),
        (lambda data: data["rows"][3].update(date="2026-01-03"), r"rows\[3\].date: dates are not in order"),
        (lambda data: data["rows"][3].update(n=-1), r"rows\[3\].n: it is no count"),
        (lambda data: data["rows"][3].update(z=0.1), r"rows\[3\].z: 0.1 in place of None"),
        (lambda data: data["rows"][20].update(use="reference"), "design.days: they are 28 of 28|design"),
        (lambda data: data["rows"].clear(), "rows: there is none"),
        (lambda data: data["design"].update(step=0), r"design.step: 0 in place of 1"),
        (lambda data: data["design"].pop("looks"), r"design.*looks"),
    ],
)
def test_a_file_that_contradicts_itself_is_refused(tmp_path, change, message):
    file = tmp_path / "watch.json"
    data = json.loads(rw.watch(season(40, drop=range(30, 40)), "rr", 14).to_json())
    change(data)
    file.write_text(json.dumps(data))
    with pytest.raises(RankwellError, match=rf"this file of a watch is damaged \({message}"):
        rw.Watch.load(file)


def test_the_table_shows_a_fortnight_and_the_alarms_before():
    found = rw.watch(season(60, drop=range(20, 26)), "rr", 14)
    dates = [row[0] for row in found.to_table().rows]
    assert dates == [str(each) for each in sorted({*found.alarms, *(day(at) for at in range(46, 60))})]
    assert f"{found.days[-1].total:.4f}" in found.to_text()
    assert sum(" *" in line for line in found.to_text().splitlines() if line.startswith("2026")) == len(
        found.alarms
    )


def test_markdown_calls_nobody_and_makes_no_links():
    results = season(20)
    results[day(19)] = replace(results[day(19)], name="@someone https://a.example")
    text = rw.watch(results, "rr", 14).to_markdown()
    assert "@<!-- -->someone" in text
    assert "https:<!-- -->//a.example" in text


def test_a_run_that_is_called_otherwise_is_said():
    results = season(20)
    results[day(19)] = replace(results[day(19)], name="v2")
    assert "from 2026-01-20 on the run is called v2, before run" in rw.watch(results, "rr", 14).notes()


def test_both_languages_say_the_same_things():
    korean, results = words_of("ko"), season(40, drop=range(30, 40), without=(3,))
    later = {day(40 + at): evaluated(40 + at, 0.9) for at in range(3)}
    same = {date: evaluated(0, 0.6, seed=date) for date in results}
    for found in (
        rw.watch(results, "rr", 14),
        rw.watch(results | later, "rr", 14),
        rw.watch(same, "rr", 14, drop=2),
    ):
        assert len(found.notes(korean)) == len(found.notes())
        assert all(re.search("[가-힣]", note) for note in [found.headline(korean), *found.notes(korean)])


# -------------------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reference": 13}, "reference=13: must be at least 14 days, such as 28 or 28d"),
        ({"reference": "4w"}, "reference='4w': must be at least 14 days"),
        ({"reference": "007d"}, "reference='007d': must be at least 14 days"),
        ({"reference": 28.5}, "reference"),
        ({"false_alarms": "1"}, "false_alarms='1': must be such as 1/year, 4/year or 1/month"),
        ({"false_alarms": "0/year"}, "false_alarms='0/year': must be such as"),
        ({"false_alarms": "200/year"}, "one false alarm in 1.82 looks is no watch; allow one in 4 or rarer"),
        ({"drop": 0}, "drop=0.0: must be a share such as 5%, or a number such as 0.02, above 0"),
        ({"drop": "-5%"}, "drop='-5%': must be a share"),
        ({"drop": "1e-400"}, "drop='1e-400': must be a share"),
        ({"since": "2026-13-01"}, "since='2026-13-01': must be a date such as 2026-11-20"),
        ({"since": "2027-01-01"}, "since=2027-01-01 is after the last day, 2026-01-20"),
        (
            {"by": "tier"},
            "by=tier: the results of 2026-01-01 were evaluated by no column. Evaluate all days with by=",
        ),
        ({"metric": "ap"}, "2026-01-01: ap was not evaluated; its metrics are rr"),
    ],
)
def test_an_argument_that_is_none_is_refused(options, message):
    with pytest.raises(RankwellError, match=re.escape(message)):
        rw.watch(season(20), **{"metric": "rr", "reference": 14, **options})


def test_a_metric_of_which_no_drop_can_be_told_is_refused():
    users = pl.DataFrame({"query": [f"{at}/{q}" for at in range(20) for q in range(70)], "w": 2.0})
    for metrics, options, message in (
        (("rr", "p@1"), {}, "one metric is watched; name it, of rr, p@1"),
        (
            ("coverage@1",),
            {"items": ["a", "b", "c"]},
            "coverage@1 has one value for all lists and none per query",
        ),
        (("arp",), {"train": {"u": ["a", "b", "c"]}}, "arp: neither end is better, so nothing is a drop"),
        (("gmap",), {}, "gmap is no mean of its values per query"),
        (
            ("rr",),
            {"users": users, "weights": "w"},
            "rr is weighted by w, and results do not hold the weight of each query",
        ),
    ):
        with pytest.raises(RankwellError, match=message):
            rw.watch(season(20, metrics=metrics, **options), reference=14)


def test_what_holds_no_results_by_date_is_refused_in_the_words_of_a_watch():
    with pytest.raises(
        RankwellError, match=r"watch takes results by date, then the metric: rw\.watch\('days/', "
    ):
        rw.watch(3, "rr")


def test_days_that_differ_in_definition_are_refused_by_both_dates():
    results = season(20)
    results[day(5)] = evaluated(5, 0.5, ties="order")
    with pytest.raises(
        RankwellError, match=r"2026-01-01 and 2026-01-06 were evaluated with different policies: ties"
    ):
        rw.watch(results, "rr", 14)


def test_other_judgements_of_the_same_queries_are_refused_by_both_dates():
    rng = random.Random(3)
    results = {}
    for at in range(20):
        qrels = {f"q{q}": {"a": 1, "b": 1} if at == 7 and q == 0 else {"a": 1} for q in range(30)}
        results[day(at)] = rw.evaluate({query: rng.sample("abc", 3) for query in qrels}, qrels, ["rr"])
    message = r"2026-01-07 and 2026-01-08 have the same queries and other judgements \(30 and 31 judgements\), as other days have not"
    with pytest.raises(RankwellError, match=message):
        rw.watch(results, "rr", 14)


def test_a_reference_of_one_value_is_refused():
    results = {
        day(at): rw.evaluate(
            {f"{at}/{q}": ["a"] for q in range(5)}, {f"{at}/{q}": {"a": 1} for q in range(5)}, ["rr"]
        )
        for at in range(20)
    }
    with pytest.raises(RankwellError, match="rr has one value for all queries or all days of the reference"):
        rw.watch(results, "rr", 14)


def test_dates_are_refused_as_a_trend_refuses_them(tmp_path):
    res = evaluated(0, 0.5)
    with pytest.raises(RankwellError, match=r"is no date; keys are datetime\.date"):
        rw.watch({"2026-01-01T00:00:00+09:00": res}, "rr")
    for name in ("2026-01-01.json", "other-2026-01-01.json"):
        res.save(tmp_path / name)
    with pytest.raises(RankwellError, match="are both of 2026-01-01, and a date has one result"):
        rw.watch(tmp_path, "rr")
