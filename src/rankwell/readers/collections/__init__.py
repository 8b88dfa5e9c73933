"""Test collections: documents, topics and judgements, in the formats in which they are handed on; one file per format."""
