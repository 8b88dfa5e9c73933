"""The query explorer: which queries of many are kept, their lists, and the pictures of items."""
