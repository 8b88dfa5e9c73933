"""What people conclude from evaluations: comparisons, verdicts, agreement, fusion."""
