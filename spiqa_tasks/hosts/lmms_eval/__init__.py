"""lmms-eval as the host. Scripts that call `simple_evaluate` register our tasks first."""

from spiqa_tasks.hosts.lmms_eval.registration import register, register_tasks

__all__ = ["register", "register_tasks"]
