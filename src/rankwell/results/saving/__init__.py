"""Saving of results: files of them, by days, and the states in them."""
