"""What the multiple-choice benchmarks share."""
