"""Off-policy values: the worked numbers, Open Bandit Pipeline's formulas as plain loops on a thousand logs, refusals, bad logs."""

from __future__ import annotations

import json
import math
import random

import numpy as np
import pytest
from benchmarks.simulate_clicks import POLICIES, _choices
from tests.clicks.worked import expected, given
from tests.evidence import PACKED, evidence

import rankwell as rw
from rankwell.clicks.policy_value import Choices, _valued
from rankwell.errors import DataError, UsageError

LOG = given("off_policy")


@pytest.mark.parametrize("clip", [None, 2.0])
@pytest.mark.parametrize("how", ["snips", "ips", "dr"])
def test_the_worked_numbers(how, clip):
    truth = expected("off_policy")["force=true" if clip is None else "clip=2, force=true"]
    if how not in truth:
        return
    found = rw.clicks.off_policy(dict(LOG), how=how, clip=clip, force=True)
    own = [found.value, found.error, found.freedom]
    assert own == pytest.approx([truth[how][name] for name in ("value", "se", "nu")], rel=1e-12)
    names = ("effective n", "largest weight's share", "mean weight before clipping")
    assert [found.n_effective, found.largest, found.weight] == pytest.approx([truth[name] for name in names])


def test_few_rows_are_refused():
    found = rw.clicks.off_policy(dict(LOG))
    assert math.isnan(found.value)
    assert found.refused == "effective n 2.2 < 30 and ν 2.0 < 20"
    assert "effective n 2.2 < 30" in found.to_text()


def drawn(rng, n):
    """A log of n choices, of users."""
    return {
        "user": [f"u{rng.randrange(1 + n // 3)}" for _ in range(n)],
        "reward": [rng.choice([0, 1, rng.random()]) for _ in range(n)],
        "propensity": [rng.uniform(0.05, 0.95) for _ in range(n)],
        "target": [rng.choice([0.0, rng.random(), 1.0]) for _ in range(n)],
        "q": [rng.random() for _ in range(n)],
        "v": [rng.random() for _ in range(n)],
    }


def plain(log, how, clusters=None, clip=None):
    """Value, standard error and ν in loops, as Open Bandit Pipeline computes the values."""
    n = len(log["reward"])
    weights = [
        t / p if clip is None else min(t / p, clip)
        for t, p in zip(log["target"], log["propensity"], strict=True)
    ]
    if how == "snips":
        mean_w = sum(weights) / n
        value = sum(w * r for w, r in zip(weights, log["reward"], strict=True)) / n / mean_w
        parts = [w * (r - value) / (n * mean_w) for w, r in zip(weights, log["reward"], strict=True)]
    else:
        q = log["q"] if how == "dr" else [0.0] * n
        v = log["v"] if how == "dr" else [0.0] * n
        terms = [v[i] + weights[i] * (log["reward"][i] - q[i]) for i in range(n)]
        value = sum(terms) / n
        parts = [(term - value) / n for term in terms]
    units = parts
    if clusters is not None:
        summed = {}
        for cluster, part in zip(clusters, parts, strict=True):
            summed[cluster] = summed.get(cluster, 0.0) + part
        units = list(summed.values())
    squares, fourths = sum(g**2 for g in units), sum(g**4 for g in units)
    small = len(units) / (len(units) - 1) if how != "snips" or clusters is not None else 1
    return value, math.sqrt(squares * small), squares**2 / fourths


@pytest.mark.parametrize("how", ["snips", "ips", "dr"])
@pytest.mark.parametrize("cluster", [None, "user"])
def test_a_thousand_logs_equal_the_loops(how, cluster):
    rng = random.Random(f"{how} {cluster}")
    for _ in range(170):
        log = drawn(rng, rng.randrange(12, 60))
        clip = rng.choice([None, rng.uniform(0.5, 4)])
        found = rw.clicks.off_policy(log, how=how, cluster=cluster, clip=clip, force=True)
        truth = plain(log, how, log["user"] if cluster else None, clip)
        assert [found.value, found.error, found.freedom] == pytest.approx(truth, rel=1e-12, abs=1e-12)


def test_two_targets_are_compared_on_the_same_rows():
    rng = random.Random(0)
    log = drawn(rng, 300)
    log["new"], log["old"] = [rng.random() for _ in range(300)], [rng.random() for _ in range(300)]
    del log["target"]
    found = rw.clicks.off_policy(log, target=["new", "old"])
    one, other = found.policies
    assert (one.policy, other.policy) == ("new", "old")
    assert found.difference.value == pytest.approx(one.value - other.value)
    parts = []
    for policy in ("new", "old"):
        weight = np.array(log[policy]) / np.array(log["propensity"])
        r = np.array(log["reward"])
        parts.append(weight * (r - (weight * r).sum() / weight.sum()) / weight.sum())
    assert found.difference.error == pytest.approx(math.sqrt(((parts[0] - parts[1]) ** 2).sum()), rel=1e-12)
    with pytest.raises(UsageError, match=r"found\.policies\[0\]\.value"):
        _ = found.value


def test_the_feedback_of_open_bandit_pipeline_is_read():
    folder = evidence("shapes/obp")
    policy = json.loads((folder / "action_dist.json").read_text())
    truth = json.loads((PACKED / "shapes" / "clicks_truth.json").read_text())["off_policy"]
    for source in (
        folder / "bandit_feedback.json",
        json.loads((folder / "bandit_feedback.json").read_text()),
    ):
        found = rw.clicks.off_policy(source, target=policy, force=True)
        own = [found.value, found.error, found.n_effective]
        assert own == pytest.approx(
            [truth[name] for name in ("snips", "snips_se_delta", "effective_sample_size")]
        )
        assert rw.clicks.off_policy(
            source, target=np.array(policy), how="ips", force=True
        ).value == pytest.approx(truth["ips"])


def test_a_wrong_shape_of_a_policy_is_refused():
    feedback = {"n_rounds": 2, "action": [0, 5], "reward": [1, 0], "pscore": [0.5, 0.5], "position": None}
    with pytest.raises(DataError, match="beyond the policy's shape"):
        rw.clicks.off_policy(feedback, target=[[0.5, 0.5], [0.5, 0.5]])
    with pytest.raises(DataError, match=r"the log holds actions from -1 to 1, beyond the policy's shape"):
        rw.clicks.off_policy(feedback | {"action": [-1, 1]}, target=[[0.5, 0.5], [0.5, 0.5]])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"propensity": [0.5, 0.2, 0, 0.1]}, "log, row 3: the propensity is 0"),
        ({"propensity": [0.5, 0.2, 0.3, 1.2]}, "log, row 4: the propensity is 1.2"),
        ({"propensity": [0.5, None, 0.3, 0.1]}, "log, row 2: the propensity is missing"),
        ({"propensity": [1, 1, 1, 1]}, "deterministic"),
        ({"target": [0.5, 1.5, 0, 0]}, "log, row 2: the target is 1.5"),
        ({"reward": [1, math.inf, 0, 0]}, "log, row 2: the reward is inf"),
        ({"target": None}, "no column for the target"),
        ({"propensity": None}, "no column for the propensity"),
        ({"target": [0, 0, 0, 0]}, "tells nothing of it"),
        ({"reward": [1, 0, 1e200, 1]}, r"log, row 3: the reward is 1e\+200; it must be a number, at most 1e\+50"),
    ],
)  # fmt: skip
def test_bad_logs_are_refused_with_the_row(change, said):
    log = {name: LOG[name] for name in ("reward", "propensity", "target")} | change
    with pytest.raises(DataError, match=said):
        rw.clicks.off_policy({name: column for name, column in log.items() if column is not None})


def test_mass_on_what_is_never_shown_is_refused():
    log = drawn(random.Random(1), 500) | {"unseen": [0.08] * 500}
    assert rw.clicks.off_policy(log).refused == (
        "8 % of the target's mass lies on actions that the log cannot show (limit 5 %)"
    )
    assert rw.clicks.off_policy(log | {"unseen": [0.02] * 500}).refused == ""


def test_a_count_of_clicks_is_one_click_as_in_every_other_answer():
    log = drawn(random.Random(4), 300)
    log["click"] = [round(3 * reward) for reward in log.pop("reward")]
    once = log | {"click": [min(click, 1) for click in log["click"]]}
    found = rw.clicks.off_policy(once, force=True).value
    assert rw.clicks.off_policy(log, force=True).value == found
    counted = rw.clicks.read_log(log, columns={"click": "reward"})
    assert rw.clicks.off_policy(counted, force=True).value > found


@pytest.mark.parametrize("how", ["snips", "ips", "dr"])
def test_what_leaves_a_value_without_freedom_is_the_reason_that_holds(how, tmp_path):
    log = drawn(random.Random(3), 500)
    one = rw.clicks.off_policy(log | {"user": ["u"] * 500}, cluster="user", how=how)
    assert one.refused == "there is only one user"
    same = {word: [0.25] * 500 for word in ("reward", "q", "v")} | {"target": log["propensity"]}
    for cluster, unit in ((None, "row"), ("user", "user")):
        found = rw.clicks.off_policy(log | same | {"user": [*map(str, range(500))]}, cluster=cluster, how=how)
        assert found.refused == f"every {unit} with weight gives the same value"
        found.save(tmp_path / "found.json")
        assert found.refused in rw.clicks.OffPolicy.load(tmp_path / "found.json").to_text()
    single = {name: column[:1] for name, column in log.items()}
    assert rw.clicks.off_policy(single | {"target": [0.5]}, how=how).refused == (
        "effective n 1.0 < 30 and there is only one row"
    )


def test_where_ips_covers_too_little_the_mean_weight_says_so_in_most_logs():
    """Heavy weights, of which nine in ten logs are refused: most of the others that miss lack the rows that weigh most."""
    rng, answered, missed, named = np.random.default_rng(5), 0, 0, 0
    for _ in range(1_500):
        columns, codes, truth = _choices(*POLICIES["very heavy weights"], rng)
        found, _, _ = _valued(
            "target", Choices(columns, codes, len(codes), None, 0.95), "ips", None, force=False
        )
        is_missed = not found.refused and not found.low <= truth <= found.high
        answered, missed = answered + (not found.refused), missed + is_missed
        # what ``wrong`` asks, which the text says
        named += is_missed and not found.weight_low <= 1 <= found.weight_high
    assert answered > 60
    assert missed > 0.15 * answered
    assert named > missed / 2


def test_weights_that_are_all_alike_and_wrong_are_said():
    log = {"reward": [0, 1] * 50, "propensity": [0.25] * 100, "target": [0.5] * 100}
    assert "should be 1, which its interval excludes" in rw.clicks.off_policy(log).to_text()
    assert "should be 1" not in rw.clicks.off_policy(log | {"target": [0.25] * 100}).to_text()


def test_wrong_propensities_are_said():
    rng = random.Random(2)
    chosen = [rng.random() < 0.2 for _ in range(2_000)]
    log = drawn(rng, 2_000) | {
        "propensity": [0.2 if one else 0.8 for one in chosen],
        "target": [0.4 if one else 0.6 for one in chosen],
    }
    assert "should be 1" not in rw.clicks.off_policy(log).to_text()
    log["propensity"] = [0.3 if one else 0.7 for one in chosen]
    assert "should be 1, which its interval excludes" in rw.clicks.off_policy(log).to_text()


def test_users_who_come_back_are_counted_where_rows_count_alone():
    log = drawn(random.Random(6), 300)
    counts = rw.clicks.off_policy(log, force=True).counts
    assert counts == {"users who came back, whom cluster=None counts as others": 300 - len({*log["user"]})}
    assert rw.clicks.off_policy(log, cluster="user", force=True).counts == {}
    assert rw.clicks.off_policy(log | {"user": [*range(300)]}, force=True).counts == {}
