"""The launcher as a process, with the models of `vlmevalkit_models`, and gloo where there is no
GPU for nccl.
"""

import sys
from typing import Any

import torch.distributed
from vlmeval.config import supported_VLM
from vlmevalkit_models import MODELS

from spiqa_tasks.hosts.vlmevalkit.__main__ import main

start = torch.distributed.init_process_group


def with_gloo(backend: str = "gloo", **options: Any) -> Any:
    """Start the process group that the host starts, with the backend that needs no GPU."""
    return start(backend="gloo" if backend == "nccl" else backend, **options)


torch.distributed.init_process_group = with_gloo
supported_VLM.update(MODELS)
if __name__ == "__main__":
    sys.exit(main())
