"""How sure a value or a difference is."""
