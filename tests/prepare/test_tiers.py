"""Scaling by tier: against plain loops, and what it may not change."""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest
from tests.prepare.logs import movietweetings, random_log

import rankwell as rw
from rankwell.prepare import scale_by_tier

NAMES = ["VIP", "gold", "silver"]
FACTORS = {"VIP": 3, "gold": 2, "silver": 1}


def tiers_of(log, seed=0):
    users = sorted(set(log["user_id"]))
    return {user: NAMES[(at + seed) % 3] for at, user in enumerate(users)}


@pytest.mark.parametrize("how", ["multiply", "confidence"])
@pytest.mark.parametrize("threshold", [None, 6])
def test_weights_are_those_of_a_plain_loop(how, threshold):
    for seed in range(5):
        log = random_log(seed)
        held = tiers_of(log, seed)
        expected = []
        for row in log.to_dicts():
            if threshold is not None and row["rating"] < threshold:
                continue
            value = 1 if threshold is not None else row["rating"]
            factor = FACTORS[held[row["user_id"]]]
            expected.append({**row, "w": float(value * factor if how == "multiply" else 1 + factor * value)})
        scaled, report = scale_by_tier(log, held, FACTORS, how=how, threshold=threshold, into="w")
        assert scaled.to_dicts() == expected
        weights = [row["w"] for row in expected]
        assert report["effective sample size"] == pytest.approx(
            sum(weights) ** 2 / sum(w * w for w in weights)
        )
        per_tier = Counter()
        for row in expected:
            per_tier[held[row["user_id"]]] += row["w"]
        assert {row[0]: row[5] for row in report.tables[0].rows} == pytest.approx(per_tier)


def test_rows_are_repeated_or_drawn_by_the_factor():
    log = random_log(1, rows=3000)
    held = tiers_of(log)
    repeated, _ = scale_by_tier(log, held, {**FACTORS, "silver": 0}, how="replicate")
    factors = {**FACTORS, "silver": 0}
    assert repeated.rows() == [row for row in log.rows() for _ in range(factors[held[row[0]]])]
    drawn, report = scale_by_tier(log, held, FACTORS, how="sample", seed=3)
    assert drawn.equals(scale_by_tier(log, held, FACTORS, how="sample", seed=3).table)
    before, after = (Counter(held[user] for user in each["user_id"]) for each in (log, drawn))
    assert after["VIP"] == before["VIP"]
    for tier, chance in (("gold", 2 / 3), ("silver", 1 / 3)):
        spread = (before[tier] * chance * (1 - chance)) ** 0.5
        assert abs(after[tier] - before[tier] * chance) < 4 * spread
    assert str(report["rows after"]).startswith(f"{len(drawn):,} of 3,000")


def test_the_tier_is_the_one_held_at_the_time_of_the_interaction():
    for seed in range(6):
        log = random_log(seed)
        table, expected = [], []
        for at, user in enumerate(sorted(set(log["user_id"]))):
            table += [
                (user, NAMES[(at + step) % 3], since) for step, since in enumerate([0, 20, 35][: at % 3 + 1])
            ]
        for row in log.to_dicts():
            own = [(since, tier) for user, tier, since in table if user == row["user_id"]]
            tier = max(each for each in own if each[0] <= row["timestamp"])[1]
            expected.append(float(row["rating"] * FACTORS[tier]))
        frame = pl.DataFrame(table, schema=["user", "tier", "valid_from"], orient="row").sample(
            fraction=1, shuffle=True, seed=seed
        )
        assert scale_by_tier(log, frame, FACTORS).table["weight"].to_list() == expected
    late = frame.with_columns(valid_from=pl.lit(1000))
    with pytest.raises(rw.RankwellError, match="has no tier at that time"):
        scale_by_tier(log, late, FACTORS)
    assert set(scale_by_tier(log, late, FACTORS, default=1, how="replicate").table.rows()) == set(log.rows())


def test_a_column_a_file_and_a_frame_say_the_same(tmp_path):
    log = random_log(2)
    held = tiers_of(log)
    expected = scale_by_tier(log, held, FACTORS).table
    frame = pl.DataFrame({"userId": list(held), "tier": list(held.values())})
    frame.write_csv(tmp_path / "tiers.csv")
    with_column = log.with_columns(level=pl.col("user_id").replace_strict(held))
    assert scale_by_tier(log, frame, FACTORS).table.equals(expected)
    assert scale_by_tier(log, str(tmp_path / "tiers.csv"), FACTORS).table.equals(expected)
    assert scale_by_tier(with_column, "level", FACTORS).table.drop("level").equals(expected)


def test_normalised_weights_have_mean_one_and_bounds_are_counted():
    log = random_log(3)
    held = tiers_of(log)
    plain = scale_by_tier(log, held, FACTORS).table["weight"]
    normal = scale_by_tier(log, held, FACTORS, normalise="mean_one").table["weight"]
    assert normal.mean() == pytest.approx(1)
    assert normal.to_list() == pytest.approx((plain / plain.mean()).to_list())
    clipped, report = scale_by_tier(log, held, FACTORS, bounds=(2, 10))
    assert clipped["weight"].to_list() == [min(max(each, 2), 10) for each in plain]
    assert str(report["rows set to a bound"]).startswith(
        f"{sum(not 2 <= each <= 10 for each in plain)} of 200"
    )


def test_factors_of_one_leave_values_to_the_bit_and_a_common_factor_leaves_linear_ndcg():
    log = random_log(4).unique(["user_id", "item_id"], keep="first", maintain_order=True)
    users = sorted(set(log["user_id"]))
    run = {user: {f"i{number}": -((number * 7) % 31) for number in range(30)} for user in users}
    raw, policy = log.select("user_id", "item_id", "rating"), rw.Policy(grades="judgements")
    metrics = ["ndcg@5", "ap", "rr"]
    values = rw.evaluate(run, raw, metrics, policy=policy).mean
    for factors in (dict.fromkeys(NAMES, 1), FACTORS):
        scaled = scale_by_tier(log, tiers_of(log), factors).table
        grades = scaled.select("user_id", "item_id", rating="weight")
        assert rw.evaluate(run, grades, metrics, policy=policy).mean == (
            values if set(factors.values()) == {1} else pytest.approx(values, rel=1e-12)
        )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"factors": {"vip": 3, "gold": 2, "silver": 1}},
            r"the tier 'VIP' of user 'u\d+' has no factor.*Did you mean vip",
        ),
        ({"tiers": {"u0": "VIP"}}, r"user 'u\d+' has no tier"),
        ({"tiers": "tire"}, "neither a column of table nor a file"),
        ({"tiers": [{"user": "u0", "level": "VIP"}]}, "has no column 'tier'.*tier="),
        ({"tiers": [{"user": "u0", "tier": "VIP"}] * 2}, "user 'u0' has two tiers"),
        ({"factors": {}}, "give the factor of each tier"),
        ({"factors": {"VIP": -1}}, "the factor of 'VIP' is -1"),
        ({"factors": {"VIP": 1.5}, "how": "replicate"}, "must be a whole number"),
        ({"how": "multiplied"}, "Did you mean multiply"),
        ({"column": "ratings"}, "Did you mean rating"),
        ({"column": "note"}, "the note is"),
        ({"threshold": 11}, "no row has a value of at least 11"),
        ({"factors": dict.fromkeys(NAMES, 0)}, "all weights are 0"),
        ({"factors": dict.fromkeys(NAMES, 0), "how": "replicate"}, "nothing is left"),
        ({"normalise": "mean_one", "bounds": (0, 1)}, "exclude each other"),
        ({"normalise": "sum"}, "must be mean_one or None"),
        ({"bounds": (2, 1)}, "must be below the upper one"),
        ({"bounds": (0, 1), "how": "sample"}, "makes none"),
    ],
)
def test_a_wrong_argument_is_refused(options, message):
    log = random_log(1)
    arguments = {"tiers": tiers_of(log), "factors": FACTORS} | options
    with pytest.raises(rw.RankwellError, match=message):
        scale_by_tier(log, **arguments)


def test_movietweetings_by_how_active_users_are():
    log = pl.read_csv(movietweetings() / "split" / "train.csv", infer_schema=False)
    counts = Counter(log["user_id"])
    held = {user: "VIP" if n > 40 else "gold" if n > 12 else "silver" for user, n in counts.items()}
    scaled, report = scale_by_tier(movietweetings() / "split" / "train.csv", held, FACTORS)
    expected = [
        int(rating) * FACTORS[held[user]] for user, rating in zip(log["user_id"], log["rating"], strict=True)
    ]
    assert scaled["weight"].to_list() == expected
    assert report["sum of weights"] == sum(expected) == 728_767
    assert scaled["rating"].to_list() == [int(each) for each in log["rating"]]
    assert [row[:4] for row in report.tables[0].rows] == [
        ("VIP", 3.0, 161, 10_769), ("gold", 2.0, 1_203, 24_990), ("silver", 1.0, 2_806, 18_685)
    ]  # fmt: skip
