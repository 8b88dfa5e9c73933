"""Test collections: documents, topics and judgements, in the formats in which they are handed on; one file per format."""

from __future__ import annotations

from rankwell.readers.collections.collection import read_collection
from rankwell.readers.collections.topics import read_topics

__all__ = ["read_collection", "read_topics"]
