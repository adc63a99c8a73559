"""VLMEvalKit as the host; `spiqa-vlmevalkit` runs its run.py with our tasks."""
