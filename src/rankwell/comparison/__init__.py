"""The uncertainty of values and differences."""
