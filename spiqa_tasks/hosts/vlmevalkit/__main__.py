"""`spiqa-vlmevalkit ARGUMENTS`: the host's run.py with our tasks.

Exit status: 0 every task has scores; 1 the host wrote none of some; 2 unusable arguments, data or
judge; 3 some answers could not be had, judged or scored.
"""

import itertools
import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from functools import partial

from spiqa_tasks.errors import SpiqaTasksError
from spiqa_tasks.hosts.lmms_eval_files import newest_summary
from spiqa_tasks.hosts.vlmevalkit import arguments, registration
from spiqa_tasks.hosts.vlmevalkit.arguments import Arguments
from spiqa_tasks.hosts.vlmevalkit.scoring import judge_of
from spiqa_tasks.hosts.vlmevalkit.tasks import earlier_answers
from spiqa_tasks.printable import counted, progress, say

PROGRAM = "spiqa-vlmevalkit"

COMPLETE, NO_SCORES, IN_PART = 0, 1, 3

# Count in a summary -> what is counted, and the rest of the sentence.
_FAILURES = {
    "request_failed": (
        "request",
        "to the model failed or got an empty answer. See the log above, then run again with "
        "--reuse.",
    ),
    "judge_failed": (
        "answer",
        "could not be judged. `spiqa-tasks score --judge ...` on the folder asks again.",
    ),
    "scoring_failed": ("answer", "could not be scored; see the samples file."),
}

# The host's options that name a judge, as its parser has them.
JUDGE_OPTIONS = ("judge", "judge_base_url", "judge_key", "judge_args")

_say = partial(say, program=PROGRAM)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the host on our tasks."""
    if argv is None:
        # Ctrl-C ends the process as a kill does. Interrupted, the host would ask all questions that
        # are left and lose their answers.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    else:  # the host reads and stores the command line
        sys.argv[1:] = argv
    try:
        return _run()
    except SpiqaTasksError as error:
        _say(str(error))
        return error.exit_code


def _run() -> int:
    """Run the host with our tasks; return the exit status that its result files show."""
    with progress("starting VLMEvalKit", program=PROGRAM):
        registration.import_host()
        from spiqa_tasks.hosts.vlmevalkit.checks import check, set_length  # imports the host

        host = registration.command_of_host()
    run = arguments.read(host.parse_args, sys.argv[1:])
    remarks = [*check(run), *set_length(run)]

    # Of several processes the first one speaks, asks the judge and has the scores.
    is_first = int(os.environ.get("RANK", 0)) == 0
    if is_first:
        _say(*remarks, *_remarks_on_earlier_answers(run))
        if run.host.mode != "infer":
            is_named = any(getattr(run.host, option) for option in JUDGE_OPTIONS)
            for task in run.ours:
                judge_of(task, is_named)

    registration.serve_as(run.served)
    started = time.time()
    run_mode = host.run_api_mode if run.host.api_mode else host.run_local_mode
    run_mode(run.host)

    if not is_first:
        return COMPLETE
    status, remarks = status_of(run, started)
    _say(*remarks)
    return status


def _remarks_on_earlier_answers(run: Arguments) -> list[str]:
    """Return a sentence per file of an earlier run that is continued without `--reuse`."""
    if run.host.reuse or run.host.mode == "eval":
        return []
    return [
        f"Answers of an earlier run in {path} are taken. Name another --work-dir to ask all"
        " questions."
        for model, task in itertools.product(run.models, run.ours)
        for path in earlier_answers(run.work_dir / model, model, task.name)
    ]


def status_of(run: Arguments, started: float) -> tuple[int, list[str]]:
    """Return the exit status of a run, and a sentence per failure; the host always exits 0.

    `started` is the start time of the host in seconds: older files are of earlier runs.
    """
    status = COMPLETE
    remarks = []
    for model, task in itertools.product(run.models, run.ours):
        counts = _counts(run, model, task.name, started)
        if counts is None:
            status = NO_SCORES
            missing = "answers to" if run.host.mode == "infer" else "scores of"
            remarks.append(f"{model} has no {missing} {task.name}; the host's log above says why.")
            continue

        failures = _failures(counts)
        if failures and status == COMPLETE:
            status = IN_PART
        remarks += [f"{model}, {task.name}: {sentence}" for sentence in failures]

    return status, remarks


def _counts(run: Arguments, model: str, task: str, started: float) -> Mapping[str, int] | None:
    """Return the counts in a task's summary, or None if no scores were written since the start.

    With `--mode infer`, {} if answers were written.
    """
    folder = run.work_dir / model
    if run.host.mode != "infer":
        summary = newest_summary(folder, task, started)
        return None if summary is None else summary["counts"]

    for path in folder.rglob(f"{model}_{task}.*"):
        if path.stat().st_mtime >= started:
            return {}
    return None


def _failures(counts: Mapping[str, int]) -> list[str]:
    """Return a phrase for each kind of failure that occurred."""
    return [
        f"{counted(counts[name], noun)} {rest}"
        for name, (noun, rest) in _FAILURES.items()
        if counts.get(name)
    ]


if __name__ == "__main__":
    sys.exit(main())
