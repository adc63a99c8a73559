"""SPIQA, MMStar and SciFIBench as tasks of lmms-eval."""
