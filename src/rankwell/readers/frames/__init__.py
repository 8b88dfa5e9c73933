"""Tables with named columns: which column is which, in memory or in pieces."""
