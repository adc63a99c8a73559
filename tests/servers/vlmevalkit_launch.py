"""VLMEvalKit's launcher as a process, with the models of `vlmevalkit_models`, without a GPU."""

import sys
from typing import Any

import torch.distributed
from vlmeval.config import supported_VLM
from vlmevalkit_models import MODELS

from spiqa_tasks.hosts.vlmevalkit.__main__ import main

start = torch.distributed.init_process_group


def with_gloo(backend: str = "gloo", **options: Any) -> Any:
    """Start the host's process group with gloo instead of nccl, which needs a GPU."""
    return start(backend="gloo" if backend == "nccl" else backend, **options)


torch.distributed.init_process_group = with_gloo
supported_VLM.update(MODELS)
if __name__ == "__main__":
    sys.exit(main())
