"""One process of a distributed evaluation: python training_process.py RANK WORLD FOLDER; writes the values of all cases."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist

from rankwell.compat.torchmetrics import RetrievalMetrics, TopKMetrics

USERS, ITEMS, K = 61, 40, 5
CASES = ["rows", "lists", "counts", "idle", "repeated"]


def data():
    draw = np.random.default_rng(11)
    scores = torch.tensor(draw.random((USERS, ITEMS), np.float32))
    truth = {user: sorted(set(draw.integers(0, ITEMS, 4).tolist())) for user in range(USERS)}
    rows = (
        torch.tensor(draw.integers(0, 9, 500)),
        torch.tensor(draw.random(500)),
        torch.tensor(draw.random(500) < 0.3),
    )
    return scores, truth, rows


def lists(metric, rank, world, *, idle=False, repeated=False):
    """Give each process the users whose number leaves its rank, in batches of 7; an idle one gets none."""
    scores, _, _ = data()
    users = torch.arange(USERS)[rank::world]
    if idle:
        users = torch.arange(USERS) if rank == 0 else users[:0]
    if repeated and rank:  # to have as many as the others
        users = torch.cat([users, torch.tensor([0])])
    for batch in users.split(7) if len(users) else ():
        metric.update(scores[batch].topk(K), queries=batch)
    return metric


def rows(metric, rank, world):
    """Every so many rows, so that each query is on every process; one process has more updates."""
    query, score, grade = (each[rank::world] for each in data()[2])
    for batch in torch.arange(len(query)).split(50 if rank else 150):
        metric.update(score[batch], grade[batch], query[batch])
    return metric


def made(case, rank, world):
    truth = data()[1]
    if case == "rows":
        return rows(RetrievalMetrics(["ndcg@5", "rr", "ap", "p@3"]), rank, world)
    wanted = ["ndcg@5", "rr", "ap", "hit@3"]
    if case == "counts":
        return lists(
            TopKMetrics([*wanted, "coverage@5", "gini@5", "personalization@5"], truth, items=range(ITEMS)),
            rank,
            world,
        )
    return lists(TopKMetrics(wanted, truth), rank, world, idle=case == "idle", repeated=case == "repeated")


def computed(case, rank, world):
    """The values as hexadecimal text, which has every bit."""
    return {name: value.item().hex() for name, value in made(case, rank, world).compute().items()}


if __name__ == "__main__":
    rank, world, folder = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder / 'met'}", rank=rank, world_size=world)
    found = {case: computed(case, rank, world) for case in CASES}
    dist.barrier()
    dist.destroy_process_group()
    (folder / f"{rank}.json").write_text(json.dumps(found), encoding="utf-8")
