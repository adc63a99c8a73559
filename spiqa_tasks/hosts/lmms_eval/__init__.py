"""lmms-eval as the host. Scripts register our tasks with `registration.register_tasks()`."""
