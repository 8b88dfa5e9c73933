"""Two systems, query by query and rank by rank."""
