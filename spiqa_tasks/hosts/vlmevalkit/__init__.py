"""VLMEvalKit as the host: `spiqa-vlmevalkit` with the arguments of its run.py runs our tasks."""
