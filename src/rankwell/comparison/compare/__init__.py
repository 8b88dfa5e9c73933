"""Several systems, with intervals and tests of their differences."""
