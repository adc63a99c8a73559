"""`spiqa-vlmevalkit ARGUMENTS`: the host's run.py with our tasks.

Exit status: 0 every task has scores; 1 the host wrote none of some; 2 unusable arguments, data or judge; 3 some answers
could not be had, judged or scored. `--help` says what is understood beside the host's own arguments.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from functools import partial

from spiqa_tasks.errors import SpiqaTasksError
from spiqa_tasks.hosts.vlmevalkit import registration
from spiqa_tasks.hosts.vlmevalkit.arguments import read
from spiqa_tasks.hosts.vlmevalkit.outcome import status_of
from spiqa_tasks.printable import say

_say = partial(say, program="spiqa-vlmevalkit")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the host on our tasks."""
    try:
        return _run(list(sys.argv[1:] if argv is None else argv))
    except SpiqaTasksError as error:
        _say(str(error))
        return error.exit_code


def _run(argv: list[str]) -> int:
    arguments = read(argv, os.environ)
    registration.import_host()
    from spiqa_tasks.hosts.vlmevalkit.checks import check, set_length
    from spiqa_tasks.hosts.vlmevalkit.judge_arguments import judge_of

    remarks = check(arguments)
    argv_of_host, more = set_length(arguments) if arguments.ours else (arguments.argv, [])
    first = int(os.environ.get("RANK", 0)) == 0
    if first:
        _say(*remarks, *more)
        for task in arguments.ours if arguments.mode != "infer" else ():
            judge_of(task, arguments.judge)
    registration.serve_as(arguments.served)
    started = time.time()
    registration.run_host(argv_of_host)
    if not first:
        return 0
    status, remarks = status_of(arguments, started)
    _say(*remarks)
    return status


if __name__ == "__main__":
    sys.exit(main())
