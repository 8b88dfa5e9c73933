"""Tensors of PyTorch and arrays of JAX are the NumPy arrays that they come from: runs, judgements, scores and factors."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest
import torch
from scipy.sparse import csr_array

import rankwell as rw

DRAW = np.random.default_rng(6)
SCORES = DRAW.integers(-8, 9, (9, 30)) / 4  # which half precision and bfloat16 hold exactly; many are equal
TRUTH = csr_array((DRAW.random(SCORES.shape) < 0.2).astype(float))
TRAIN = csr_array((DRAW.random(SCORES.shape) < 0.2).astype(float))
METRICS = ["ndcg@5", "ap(denom=R)@5", "rr@5"]
KINDS = {
    "float64": torch.tensor,
    "float32": lambda x: torch.tensor(x, dtype=torch.float32),
    "float16": lambda x: torch.tensor(x, dtype=torch.float16),
    "bfloat16": lambda x: torch.tensor(x, dtype=torch.bfloat16),
    "with gradients": lambda x: torch.tensor(x, requires_grad=True),
    "a parameter": lambda x: torch.nn.Parameter(torch.tensor(x)),
    "not contiguous": lambda x: torch.tensor(np.repeat(x, 2, axis=1))[:, ::2],
    "transposed": lambda x: torch.tensor(x.T.copy()).T,
    "jax": jnp.asarray,
    "jax bfloat16": lambda x: jnp.asarray(x, dtype=jnp.bfloat16),
}


def lists(run):
    table = run.rows.table()
    return table.query.tolist(), table.item.tolist(), table.key.tolist()


@pytest.fixture(params=KINDS)
def made(request):
    return KINDS[request.param]


def test_scores_of_all_items_are_evaluated(made):
    expected = rw.evaluate(SCORES, TRUTH, METRICS).per_query
    assert rw.evaluate(made(SCORES), TRUTH, METRICS).per_query.equals(expected)


def test_the_best_items_are_chosen_from_scores_factors_functions_and_blocks(made):
    expected = lists(rw.top_k(SCORES, 5, train=TRAIN))
    assert lists(rw.top_k(made(SCORES), 5, train=TRAIN)) == expected
    assert lists(rw.top_k(made(SCORES), 5, train=TRAIN, batch=2)) == expected
    assert lists(rw.top_k((made(SCORES), made(np.eye(30))), 5, train=TRAIN)) == expected
    assert (
        lists(rw.top_k((made(SCORES[low : low + 4]) for low in range(0, 9, 4)), 5, train=TRAIN)) == expected
    )
    whole = made(SCORES)
    assert lists(rw.top_k(lambda rows: whole[rows], 5, train=TRAIN, queries=range(9))) == expected
    ids = rw.top_k(made(SCORES), 5, train=TRAIN, queries=torch.arange(9) + 7, items=jnp.arange(30) * 2)
    assert ids.queries == list(range(7, 16))


def test_item_numbers_are_lists_and_what_topk_returns_too():
    scores = torch.tensor(DRAW.permuted(np.tile(np.arange(30.0), (9, 1)), axis=1))  # no two are equal
    expected = rw.evaluate(scores.numpy(), TRUTH, METRICS).per_query
    best = scores.topk(5)
    for given in (
        best,
        best.indices,
        (best.indices, best.values),
        best.indices.int(),
        jnp.asarray(best.indices.numpy()),
    ):
        assert rw.evaluate(given, TRUTH, METRICS).per_query.equals(expected)


def test_judgements_may_be_tensors():
    expected = rw.evaluate(SCORES, TRUTH, METRICS).per_query
    labels = TRUTH.toarray()
    for given in (
        torch.tensor(labels),
        torch.tensor(labels).to_sparse(),
        torch.tensor(labels).to_sparse_csr(),
        jnp.asarray(labels),
    ):
        assert rw.evaluate(SCORES, given, METRICS).per_query.equals(expected)
    train = torch.tensor(TRAIN.toarray())
    for sparse in (train.to_sparse(), train.to_sparse_csr()):
        assert lists(rw.top_k(SCORES, 5, train=sparse)) == lists(rw.top_k(SCORES, 5, train=TRAIN))


def test_a_tensor_without_values_is_one_error():
    with pytest.raises(rw.RankwellError, match="the Tensor cannot be converted"):
        rw.top_k(torch.zeros(2, 3, device="meta"), 1)


@pytest.mark.parametrize("made", [torch.tensor, jnp.asarray], ids=["torch", "jax"])
def test_columns_of_a_run_and_of_judgements_may_be_tensors(made):
    query, item, score, grade = [1, 1, 2, 2], [5, 6, 7, 5], [0.25, 0.5, 0.75, 0.125], [0, 2, 1, 3]
    plain = rw.evaluate(rw.Run(query, item, score), rw.Qrels(query, item, grade), METRICS)
    run = rw.Run(made(query), made(item), made(score))
    found = rw.evaluate(run, rw.Qrels(made(query), made(item), made(grade)), METRICS)
    assert found.mean == plain.mean
    assert found.queries == [1, 2]
    ranked = rw.Run(made(query), made(item), rank=made([2, 1, 1, 2]))
    assert rw.evaluate(ranked, rw.Qrels(query, item, grade), METRICS).mean == plain.mean


def test_a_score_that_is_still_learned_is_a_number():
    score = torch.nn.Parameter(torch.tensor([0.25, 0.5]))
    assert rw.Run(["q", "q"], ["a", "b"], score).rows.table().key.tolist() == [0.25, 0.5]


def test_a_column_has_one_dimension():
    with pytest.raises(rw.RankwellError, match="item ids are one column; this array has 2 dimensions"):
        rw.Run(["q", "q"], torch.tensor([[1], [2]]), [1.0, 2.0])
    with pytest.raises(
        rw.RankwellError, match="the numbers of score are one column; this array has 2 dimensions"
    ):
        rw.Run(["q", "q"], ["a", "b"], torch.tensor([[1.0], [2.0]]))
