"""Comparisons of systems whose values lie on Spark, by sums over their queries."""
