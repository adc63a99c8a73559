"""What one process of several says for all: under `accelerate launch` and torchrun every process scores its answers."""

from __future__ import annotations

import os
import sys

from spiqa_tasks.judge.summary import Summary, combined


def several() -> bool:
    """Return whether the run has more than one process."""
    return int(os.environ.get("WORLD_SIZE", 1)) > 1


class JudgeReport:
    """The judge's summary line, printed by the first process, with the counts of all."""

    def __init__(self) -> None:
        self._others: list[Summary] = []
        self._told = ""

    def gather(self, own: Summary) -> None:
        """Exchange the processes' counts and print the line; every process must call it."""
        import torch.distributed as dist

        if not (dist.is_available() and dist.is_initialized()):
            return
        gathered: list[Summary] = [own] * dist.get_world_size()
        dist.all_gather_object(gathered, own)
        if dist.get_rank() == 0:
            self._others = gathered[1:]
            self.tell(own)

    def tell(self, own: Summary) -> None:
        """Print the line if it is a new one; for the first process, which aggregates alone."""
        line = combined([own, *self._others]).line()
        if line != self._told:
            self._told = line
            print(line, file=sys.stderr)
