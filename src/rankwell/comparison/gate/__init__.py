"""The gate: whether a change may go through, by checks of what it changes."""
