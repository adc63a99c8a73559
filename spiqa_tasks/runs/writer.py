"""Write scored runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from spiqa_tasks.benchmarks import summary
from spiqa_tasks.benchmarks.run_file import SUFFIX, RunHeader, write_run
from spiqa_tasks.runs import scoring
from spiqa_tasks.runs.run import Run


def write_runs(runs: Sequence[Run], folder: Path) -> list[Path]:
    """Write each scored run to a file of its own; return their paths."""
    judges = len({run.judge_name for run in runs}) > 1
    paths = []
    for run in runs:
        name = "_".join([run.name, run.task, *([run.judge_name or "none"] if judges else [])])
        path = folder / (re.sub(r"[^\w.,=@+-]+", "-", name) + SUFFIX)
        scores = scoring.score_object(run)
        answers = ((a.record, a.response.text, a.place) for a in run.by_id.values() if a.record is not None)
        who, task = run.identity, run.own
        names = (run.task, who.model, who.ablation, who.seed, run.judge, task.benchmark, task.split, task.settings)
        header = RunHeader(*names, run.asked, len(run.by_id), scores["metrics"], task.entry.definition)
        write_run(path, header, scores | summary.intervals(scoring.values_of(run)), answers)
        paths.append(path)
    return paths
