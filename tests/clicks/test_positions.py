"""Position bias: the worked numbers, loops, logs of known bias, intervals, saved files, bad logs."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from scipy import optimize
from tests.clicks.worked import columns, expected, given

import rankwell as rw
from rankwell.errors import DataError


def of_counts(rows):
    """A log from query, item, rank, clicks and impressions."""
    shown = [(q, i, rank, int(at < clicks)) for q, i, rank, clicks, n in rows for at in range(n)]
    return columns(shown, "query", "item", "rank", "click")


def test_the_worked_rates():
    counts = given("swap")["clicks, impressions"]
    found = rw.clicks.positions(
        of_counts([("q", "a", at + 1, *each) for at, each in enumerate(counts)]), cluster=None
    )
    assert found.theta == pytest.approx(expected("swap")["theta"])
    assert [row[1:3] for row in found.rows] == [(n, clicks) for clicks, n in counts]
    assert "all of it must have been shuffled" in found.to_text()


def test_the_worked_chain():
    rows = given("harvest")["query, item, rank, clicks, impressions"]
    found = rw.clicks.positions(of_counts(rows), how="harvest", cluster=None)
    truth = [math.nan if each is None else each for each in expected("harvest")["theta"]]
    assert found.theta == pytest.approx(truth, abs=1e-4, nan_ok=True)
    assert "linked to rank 1 by no chain" in found.to_text()


def swapped(rng, users=30):
    """Impressions of four ranks, a pair of which is swapped or not, at the other rank in half of them."""
    rows = []
    for impression in range(users * 8):
        swap = rng.choice([None, 2, 3, 4])
        rows += [
            (impression, f"u{rng.randrange(users)}", rank, swap, int(rng.random() < 0.8 / rank))
            for rank in (1, 2, 3, 4)
        ]
    return rows


@pytest.mark.parametrize("seed", range(6))
def test_a_loop_over_swapped_pairs_finds_the_same(seed):
    rows = swapped(random.Random(seed))
    found = rw.clicks.positions(columns(rows, "impression", "user", "rank", "swap", "click"))
    for k in (2, 3, 4):
        pairs = [(rank, click) for *_, rank, swap, click in rows if swap == k]
        here, first = ([click for rank, click in pairs if rank == at] for at in (k, 1))
        assert found.theta[k - 1] == pytest.approx((sum(here) / len(here)) / (sum(first) / len(first)))


def test_intervals_are_those_of_leaving_users_out():
    rows = swapped(random.Random(1))
    found = rw.clicks.positions(columns(rows, "impression", "user", "rank", "swap", "click"))
    users = sorted({user for _, user, *_ in rows})

    def log_theta(left_out, k):
        pairs = [(rank, click) for _, user, rank, swap, click in rows if swap == k and user != left_out]
        here, first = ([click for rank, click in pairs if rank == at] for at in (k, 1))
        return math.log((sum(here) / len(here)) / (sum(first) / len(first)))

    from scipy.stats import t

    for k in (2, 3, 4):
        logs = np.array([log_theta(user, k) for user in users])
        error = math.sqrt((len(users) - 1) / len(users) * ((logs - logs.mean()) ** 2).sum())
        reach = t.ppf(0.975, len(users) - 1) * error
        row = found.rows[k - 1]
        assert [row.low, row.high] == pytest.approx(
            [row.theta * math.exp(-reach), row.theta * math.exp(reach)]
        )


@pytest.mark.parametrize("seed", range(4))
def test_harvest_is_the_maximum_of_the_likelihood(seed):
    rng = random.Random(seed)
    counts = {}
    for q in range(12):
        for item in range(4):
            for rank in rng.sample(range(1, 5), rng.choice([1, 2, 3])):
                n = rng.randrange(20, 60)
                counts[q, item, rank] = (rng.randrange(1, 1 + n // (1 + rank)), n)
    found = rw.clicks.positions(
        of_counts([(*key, *value) for key, value in counts.items()]), how="harvest", cluster=None
    )
    clicked, passed = np.zeros((4, 4)), np.zeros((4, 4))
    for (q, item, k), (clicks, n) in counts.items():
        for other in range(1, 5):
            if other != k and (q, item, other) in counts:
                clicked[k - 1, other - 1] += clicks / n
                passed[k - 1, other - 1] += 1 - clicks / n
    pairs = [(k, j) for k in range(4) for j in range(k + 1, 4)]

    def loss(x):
        p, r = x[:4], dict(zip(pairs, x[4:], strict=True))
        total = 0.0
        for k in range(4):
            for j in range(4):
                if k != j:
                    share = min(p[k] * r[min(k, j), max(k, j)], 1 - 1e-12)
                    total -= clicked[k, j] * math.log(share) + passed[k, j] * math.log1p(-share)
        return total

    best = optimize.minimize(
        loss, [0.5] * 10, bounds=[(1e-6, 1)] * 10, method="SLSQP", options={"maxiter": 2_000, "ftol": 1e-13}
    )
    assert found.theta == pytest.approx(best.x[:4] / best.x[0], abs=2e-3)


def test_intervals_of_harvest_are_those_of_leaving_users_out():
    rng = random.Random(5)
    rows = [
        (f"u{rng.randrange(8)}", f"q{rng.randrange(5)}", f"d{rng.randrange(4)}", rng.randrange(1, 4), int(rng.random() < 0.5)) for _ in range(400)
    ]  # fmt: skip
    rows += [("u0", "rare", "x", 1, 1), ("u1", "rare", "x", 2, 0)]  # a rank that is lost with a user
    names = "user", "query", "item", "rank", "click"

    def thetas(left_out):
        kept = [row for row in rows if row[0] != left_out]
        return rw.clicks.positions(columns(kept, *names), how="harvest", cluster=None).theta

    from scipy.stats import t

    found = rw.clicks.positions(columns(rows, *names), how="harvest")
    logs = np.log([thetas(f"u{user}") for user in range(8)])
    error = np.sqrt(7 / 8 * ((logs - logs.mean(axis=0)) ** 2).sum(axis=0))
    reach = t.ppf(0.975, 7) * error
    for row in found.rows[1:]:
        ends = [row.theta * math.exp(sign * reach[row.rank - 1]) for sign in (-1, 1)]
        assert [row.low, row.high] == pytest.approx(ends, rel=1e-4)


def test_a_known_bias_is_found_within_its_intervals():
    rng, theta = np.random.default_rng(0), np.array([1.0, 0.6, 0.4])
    worth = rng.uniform(0.1, 0.8, (40, 6))
    # rankers that know something of the worth, so that ranks and worth hang together
    orders = np.argsort(-(worth + rng.normal(0, 0.3, (3, 40, 6))), axis=2)[:, :, :3]
    n = 20_000
    query, ranker = rng.integers(0, 40, n), rng.integers(0, 3, n)
    item = orders[ranker, query]
    click = rng.random((n, 3)) < theta * np.take_along_axis(worth[query], item, axis=1)
    log = {
        "user": np.repeat(rng.integers(0, 400, n), 3), "query": np.repeat(query, 3), "item": item.ravel(),
        "rank": np.tile([1, 2, 3], n), "click": click.ravel().astype(int),
    }  # fmt: skip
    found = rw.clicks.positions(log, how="harvest")
    for row, truth in zip(found.rows[1:], theta[1:], strict=True):
        assert row.low < truth < row.high
        assert row.high - row.low < 0.1
    rates = click.mean(axis=0)
    assert rates[1] / rates[0] < found.rows[1].low  # what the ranks alone would say


def test_no_click_at_the_first_rank_and_few_at_others():
    with pytest.raises(DataError, match="theta is relative to rank 1, which has no click"):
        rw.clicks.positions({"rank": [1, 2], "click": [0, 1]}, cluster=None)
    for often, is_said in (20, True), (30, False):
        found = rw.clicks.positions({"rank": [1, 2] * often, "click": [1, 1] * often}, cluster=None)
        assert ("fewer than 30 clicks" in found.to_text()) == is_said


def test_nothing_that_tells_of_rank_1_is_said_as_it_is():
    log = {"query": ["q"] * 40, "item": ["a", "b"] * 20, "rank": [1, 2] * 20, "click": [1] * 40}
    with pytest.raises(DataError, match="stood there and at another rank, too: harvest needs"):
        rw.clicks.positions(log, how="harvest", cluster=None)
    with pytest.raises(DataError, match="the column of the swap says for each row"):
        rw.clicks.positions(log | {"swap": [None] * 40}, cluster=None)


def test_an_id_for_a_rank_is_refused():
    with pytest.raises(
        DataError, match="row 2: the rank is 10000001; it must be a whole number from 0 to 10,000"
    ):
        rw.clicks.positions({"rank": [1, 10_000_001], "click": [1, 1]}, cluster=None)


def test_the_base_of_ranks_is_seen_said_or_refused():
    log = {"rank": [0, 1] * 4, "click": [1, 0, 1, 1, 1, 0, 1, 0]}
    assert rw.clicks.positions(log, cluster=None).theta == [1.0, 0.25]
    later = {"rank": [3, 4], "click": [1, 1]}
    with pytest.raises(DataError, match=r"rank_base=1 \(--rank-base 1\)"):
        rw.clicks.positions(later, cluster=None)
    with pytest.raises(DataError, match="rank 1, which has no click"):
        rw.clicks.positions(rw.clicks.read_log(later, rank_base=1), cluster=None)
    with pytest.raises(DataError, match="below the rank_base=1"):
        rw.clicks.positions(rw.clicks.read_log(log, rank_base=1), cluster=None)
    mixed = {"impression": [1, 1, 2, 2], "rank": [0, 1, 1, 2], "click": [1] * 4}
    with pytest.raises(DataError, match="impression 1 counts its ranks from 0 and impression 2 from 1"):
        rw.clicks.positions(mixed, cluster=None)


def test_a_swap_counts_from_where_the_ranks_do():
    log = columns(swapped(random.Random(2)), "impression", "user", "rank", "swap", "click")
    later = rw.clicks.positions(log)
    log |= {"rank": [rank - 1 for rank in log["rank"]], "swap": [swap and swap - 1 for swap in log["swap"]]}
    assert rw.clicks.positions(log).rows[1:] == later.rows[1:]
    for swap, said in ((0, r"row 2: the swap is 0; it must be a rank below the first"), (4, "a swap of 4, but the ranks of a log that counts from 0 end at 3")):  # fmt: skip
        with pytest.raises(DataError, match=said):
            rw.clicks.positions(log | {"swap": [None, swap, *log["swap"][2:]]})


def test_a_saved_one_is_the_same(tmp_path):
    found = rw.clicks.positions(
        columns(swapped(random.Random(3)), "impression", "user", "rank", "swap", "click")
    )
    found.save(tmp_path / "found.json")
    assert rw.clicks.Positions.load(tmp_path / "found.json").to_dict() == found.to_dict()


def test_ranks_too_deep_to_be_harvested_have_no_theta_and_change_none():
    rng = random.Random(0)
    rows = [
        (q, item, rank, rng.randrange(5, 15), 40) for q in range(6) for item in range(5) for rank in (1, 2, 3)
    ]
    deep = [
        (q, item, rank, rng.randrange(1, 5), 40) for q in range(6) for item in range(5) for rank in (64, 70)
    ]
    found = rw.clicks.positions(of_counts(rows + deep), how="harvest", cluster=None)
    alone = rw.clicks.positions(of_counts(rows), how="harvest", cluster=None)
    assert found.theta[:3] == pytest.approx(alone.theta, abs=1e-9)
    assert all(math.isnan(each) for each in found.theta[3:])
    assert found.counts == {"rows below rank 62, which are not harvested": 6 * 5 * 2 * 40}
