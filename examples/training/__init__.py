"""Training loops that evaluate after each epoch."""
