"""Values in memory: dicts, matrices, arrays in groups, and answers of search systems."""
