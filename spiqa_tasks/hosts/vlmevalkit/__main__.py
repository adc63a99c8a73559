"""`spiqa-vlmevalkit ARGUMENTS`: the host's run.py with our tasks.

Exit status: 0 every task has scores; 1 the host wrote none of some; 2 unusable arguments, data or judge; 3 some answers
could not be had, judged or scored. `--help` says what is understood beside the host's own arguments.
"""

import itertools
import os
import sys
import time
from collections.abc import Sequence
from functools import partial

from spiqa_tasks.errors import SpiqaTasksError
from spiqa_tasks.hosts.lmms_eval_files import newest_summary
from spiqa_tasks.hosts.vlmevalkit import registration
from spiqa_tasks.hosts.vlmevalkit.arguments import Arguments, read
from spiqa_tasks.printable import counted, say

COMPLETE, NO_SCORES, IN_PART = 0, 1, 3
_FAILURES = {
    "request_failed": (
        "request",
        "to the model failed or got an empty answer. Run again with --reuse.",
    ),
    "judge_failed": (
        "answer",
        "could not be judged. `spiqa-tasks score` on the folder asks again.",
    ),
    "scoring_failed": ("answer", "could not be scored; see the samples file."),
}
_say = partial(say, program="spiqa-vlmevalkit")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the host on our tasks."""
    try:
        return _run(read(list(sys.argv[1:] if argv is None else argv), os.environ))
    except SpiqaTasksError as error:
        _say(str(error))
        return error.exit_code


def _run(arguments: Arguments) -> int:
    registration.import_host()
    from spiqa_tasks.hosts.vlmevalkit.checks import check, set_length
    from spiqa_tasks.hosts.vlmevalkit.scoring import judge_of

    remarks = check(arguments)
    argv_of_host, more = set_length(arguments)
    first = int(os.environ.get("RANK", 0)) == 0
    if first:
        _say(*remarks, *more)
        for task in arguments.ours if arguments.mode != "infer" else ():
            judge_of(task, arguments.judge)
    registration.serve_as(arguments.served)
    started = time.time()
    registration.run_host(argv_of_host)
    if not first:
        return COMPLETE
    status, remarks = status_of(arguments, started)
    _say(*remarks)
    return status


def status_of(arguments: Arguments, started: float) -> tuple[int, list[str]]:
    """Return the exit status of a run of the host, which itself always exits 0, and a sentence per failure.

    `started` is the start time of the host in seconds: older files are of earlier runs.
    """
    status, remarks = COMPLETE, []
    for model, task in itertools.product(arguments.models, arguments.ours):
        folder = arguments.work_dir / model
        if arguments.mode == "infer":
            written = any(
                path.stat().st_mtime >= started for path in folder.rglob(f"{model}_{task.name}.*")
            )
            counts: dict[str, int] | None = {} if written else None
        else:
            found = newest_summary(folder, task.name, started)
            counts = None if found is None else found["counts"]
        if counts is None:
            status = NO_SCORES
            what = "answers to" if arguments.mode == "infer" else "scores of"
            remarks.append(f"{model} has no {what} {task.name}; the host's log above says why.")
            continue
        failed = [
            f"{counted(counts[name], one)} {rest}"
            for name, (one, rest) in _FAILURES.items()
            if counts.get(name)
        ]
        status = IN_PART if failed and status == COMPLETE else status
        remarks += [f"{model}, {task.name}: {sentence}" for sentence in failed]
    return status, remarks


if __name__ == "__main__":
    sys.exit(main())
