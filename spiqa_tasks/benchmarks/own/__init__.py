"""Benchmarks of one's own: data, and a YAML that says what its columns are."""
