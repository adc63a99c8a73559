"""The `spiqa-tasks` command: parse, call, print.

Exit status: 0 the thing asked for was done; 2 unusable arguments or input; 3 done in part.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from spiqa_tasks.benchmarks.signature import version
from spiqa_tasks.commands import (
    alignment,
    bootstrap,
    breakdown,
    catalogue,
    demo,
    doctor,
    filter,
    gain,
    rank,
    score,
    spread,
)
from spiqa_tasks.errors import SpiqaTasksError

COMMANDS = (catalogue, demo, doctor, score, gain, filter, breakdown, bootstrap, alignment, spread, rank)


def parser() -> argparse.ArgumentParser:
    """The parser of all subcommands; each sets `run`, a function of the parsed arguments."""
    result = argparse.ArgumentParser(
        prog="spiqa-tasks", description="SPIQA, MMStar and SciFIBench as tasks of lmms-eval: data, scores, analyses."
    )
    result.add_argument("--version", action="version", version=f"spiqa-tasks {version('spiqa-tasks')}")
    subparsers = result.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add(subparsers)
    return result


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; errors go to stderr in one sentence."""
    arguments = parser().parse_args(argv)
    try:
        status: int = arguments.run(arguments)
    except SpiqaTasksError as error:
        print(f"spiqa-tasks: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("spiqa-tasks: interrupted; what was finished is kept.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    return status


if __name__ == "__main__":
    sys.exit(main())
