"""Nodes of LlamaIndex: ``NodeWithScore`` and dumps of it, a list for each query; ``expected_ids`` beside them are judgements."""

from __future__ import annotations

from typing import Any

from rankwell.readers.memory.answers import Hit, HitLists, field, has


def hit(value: Any) -> Hit | None:
    """Return the id of a node and its score, which may be None."""
    if not has(value, "node", "score"):
        return None
    node = field(value, "node")
    ids = [field(node, name) for name in ("node_id", "id_") if has(node, name)]
    return (ids[0], field(value, "score")) if ids else None


SHAPE = HitLists("llamaindex", "a list of LlamaIndex nodes", hit, words="node id_ class_name source_nodes")
