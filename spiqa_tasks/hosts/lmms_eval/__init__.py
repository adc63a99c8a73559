"""lmms-eval as the host. In a plain Python script, `import spiqa_tasks.hosts.lmms_eval.here` makes our tasks known."""
