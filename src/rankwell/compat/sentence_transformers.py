"""An evaluator for sentence-transformers: what an embedding model finds, with the value of each query, in a training or alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rankwell.display.trackers import folder_name
from rankwell.errors import DataError, NotInstalledError
from rankwell.evaluation import Evaluator
from rankwell.matching.policy import Policy
from rankwell.metrics import Wanted
from rankwell.readers.top_k import top_k
from rankwell.results import Results

try:
    from sentence_transformers.base.evaluation import BaseEvaluator
except ImportError:
    try:  # before 6.0
        from sentence_transformers.evaluation import SentenceEvaluator as BaseEvaluator
    except ImportError as error:
        raise NotInstalledError(
            f"rankwell.compat.sentence_transformers needs sentence-transformers ({error}): pip install 'rankwell[sentence_transformers]'."
        ) from error

__all__ = ["RetrievalEvaluator"]

PRODUCTS = ("cosine", "dot")  # similarities that are products of vectors, the cosine of those of length 1


class RetrievalEvaluator(BaseEvaluator):
    """Evaluates the documents that an embedding model ranks highest for each query.

    It is called with a model, or given to ``SentenceTransformerTrainer(evaluator=…)``, and returns the metrics by name, after the name of
    the evaluator (``dev_ndcg@10``); the first is the one that chooses the best checkpoint. The embeddings of all documents are in memory at once.

    Parameters
    ----------
    queries, corpus
        The texts of queries and of documents, by their ids.
    qrels
        The judgements, in any form that ``rankwell.read_qrels`` accepts, such as ``{query: {document: grade}}`` or ``{query: {document, …}}``.
    metrics
        Text such as ``"ndcg@10"``, or metrics such as ``rankwell.P @ 5``.
    name
        What is evaluated, such as ``"dev"``.
    k
        How many documents are listed for each query.
    encode
        Arguments for ``model.encode_query`` and ``model.encode_document``, such as ``{"batch_size": 64}``.
    train
        Pairs of query and document that are not listed, as for ``rankwell.top_k``.
    policy, rules
        The rules for edge cases, or some of them by themselves.

    Attributes
    ----------
    results
        The ``Results`` of the last call, with the value of each query; None before. Where sentence-transformers names a folder, as its trainer
        does, they are saved there as well: ``dev_3.parquet`` after epoch 3, ``dev_3_500.parquet`` at its step 500.

    Examples
    --------
    >>> from sentence_transformers import SentenceTransformer
    >>> from sentence_transformers.sentence_transformer.modules import BoW
    >>> model = SentenceTransformer(modules=[BoW(["apple", "pear", "pie", "juice"])], device="cpu")
    >>> corpus = {"d1": "apple juice", "d2": "pear pie", "d3": "apple pie"}
    >>> evaluate = RetrievalEvaluator({"q": "apple pie"}, corpus, {"q": {"d2": 1, "d3": 2}}, ["ndcg@10", "p@1"], name="dev")
    >>> evaluate(model)["dev_p@1"]
    1.0
    >>> evaluate.primary_metric
    'dev_ndcg@10'
    """

    def __init__(
        self,
        queries: Mapping[Any, Any],
        corpus: Mapping[Any, Any],
        qrels: Any,
        metrics: Iterable[Wanted] | Wanted,
        *,
        name: str = "",
        k: int = 100,
        encode: Mapping[str, Any] | None = None,
        train: Any = None,
        policy: Policy | None = None,
        **rules: Any,
    ) -> None:
        super().__init__()
        if not queries or not corpus:
            raise DataError(f"{'corpus' if queries else 'queries'} holds no texts; give {{id: text}}.")
        self.queries, self.corpus, self.name, self.k, self.train = dict(queries), dict(corpus), name, k, train
        self.encode = dict(encode or {})
        self.evaluator = Evaluator(qrels, metrics, policy=policy, **rules)
        first = self.evaluator.metrics[0]
        self.primary_metric, self.greater_is_better = str(first), first.better != "lower"
        self.results: Results | None = None

    def __call__(
        self, model: Any, output_path: str | None = None, epoch: float = -1, steps: int = -1
    ) -> dict[str, float]:
        """Evaluate a model, save the results to a folder if one is named, and return the metrics by name."""
        name = self.name or "retrieval"
        found, known = self._embed(model)
        run = top_k(
            # a product is that of all blocks; any other similarity is asked of the model, block by block
            (found, known) if model.similarity_fn_name in PRODUCTS else lambda rows: model.similarity(found[rows], known),
            self.k, train=self.train, queries=list(self.queries), items=list(self.corpus), name=name,
        )  # fmt: skip
        self.results = self.evaluator.evaluate(run)
        if output_path is not None:
            moment = "".join(f"_{number:g}" for number in (epoch, steps) if number >= 0)
            Path(output_path).mkdir(parents=True, exist_ok=True)
            self.results.save(Path(output_path) / f"{folder_name(name)}{moment}.parquet")
        values: dict[str, float] = self.prefix_name_to_metrics(self.results.mean, self.name)
        self.store_metrics_in_model_card_data(model, values, epoch, steps)
        return values

    def _embed(self, model: Any) -> tuple[Any, Any]:
        """The vectors of queries and documents; for the cosine of length 1, once and not for each block of scores."""
        options = {"normalize_embeddings": model.similarity_fn_name == "cosine"} | self.encode
        return (
            model.encode_query(list(self.queries.values()), **options),
            model.encode_document(list(self.corpus.values()), **options),
        )
