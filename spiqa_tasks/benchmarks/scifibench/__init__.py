"""SciFIBench: figure -> caption and caption -> figure choices."""
