"""lmms-eval as the host. In a plain Python script, `registration.register_tasks()` makes our tasks known."""
