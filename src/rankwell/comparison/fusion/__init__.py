"""Fusion: one run made of several."""
