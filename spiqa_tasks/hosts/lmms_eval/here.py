"""For plain scripts: `import spiqa_tasks.hosts.lmms_eval.here` lets `simple_evaluate` find our tasks and models.

`lmms-eval`, `python -m lmms_eval`, its servers and its user interface need no such import.
"""

from spiqa_tasks.hosts.lmms_eval.registration import index_tasks

index_tasks()
