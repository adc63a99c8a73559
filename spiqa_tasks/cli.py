"""The `spiqa-tasks` command: parse, call, print.

Exit status: 0 the thing asked for was done; 2 unusable arguments or input; 3 done in part.
"""

from __future__ import annotations

import argparse
import errno
import gc
import importlib
import logging
import os
import platform
import signal
import sys
import threading
import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from spiqa_tasks import __version__
from spiqa_tasks.commands.own_files import check_apart
from spiqa_tasks.errors import InputError, MissingPartError, SpiqaTasksError
from spiqa_tasks.extras import what_is_missing
from spiqa_tasks.files.cache_folder import cache_path
from spiqa_tasks.printable import escape_unencodable, say

COMMANDS = {
    "list": "show every task and whether its data is there",
    "path": "print the folder of the task YAMLs, for lmms-eval --include_path",
    "describe": "count the data on this disk again, beside what the papers print",
    "prepare": "fetch, extract and check the data of tasks before a run",
    "demo": "run lmms-eval on the shipped demo data with two baselines (no network)",
    "doctor": "check the installation, the data and the judge",
    "new": "make a benchmark of one's own: the YAML, from a table of questions",
    "suite": "run a whole experiment with lmms-eval: plan, runs, tables and page",
    "score": "score answers that exist already; needs no model and no pictures",
    "report": "runs as one HTML page, with plots, comparisons and every sample",
    "compare": "paired differences of runs, with intervals and p-values",
    "gain": "multi-modal gain and leakage of runs",
    "filter": "keep the questions that text-only models cannot answer, or those of a list, as a new task of the host",
    "shortcuts": "what classifiers make of a task's texts alone, without any model",
    "breakdown": "any metric by any group of answers, with 95%% intervals",
    "bootstrap": "mean and variance of resampled accuracy",
    "alignment": "change of accuracy where a caption is marked, with paired intervals",
    "spread": "accuracy over orders of the options and over seeds",
    "correlate": "Spearman's rho of L3Score with each text metric (SPIQA Table 8)",
    "rank": "have judges rank the captions of several captioning runs",
    "calibrate": "how far judges agree with people's verdicts, and which traps they fall into",
    "choices": "which option each answer of a file picks, by which rule, and why",
    "export": "write SPIQA for fine-tuning (jsonl), or a task for a stock VLMEvalKit (tsv)",
}
"""The subcommands, each a module of `commands`, with their lines of the help page in its order."""
_KEPT = "what was finished is kept."
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class _Command(argparse.ArgumentParser):
    """The parser of a subcommand: tells more with `-v`, and refuses unknown arguments with its own usage."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        told = "tell on stderr what is read, from where, and what a judge is asked"
        self.add_argument("-v", "--verbose", action="store_true", help=told)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return found, unknown


def parser(commands: Collection[str] = COMMANDS) -> argparse.ArgumentParser:
    """Return the parser of subcommands; each sets `run`, a function of the parsed arguments."""
    result = argparse.ArgumentParser(
        prog="spiqa-tasks", description="SPIQA, MMStar and SciFIBench as tasks of lmms-eval: data, scores, analyses."
    )
    result.add_argument("--version", action="version", version=f"spiqa-tasks {__version__}")
    subparsers = result.add_subparsers(required=True, metavar="COMMAND", parser_class=_Command)
    if commands == COMMANDS:
        import shtab

        shtab.add_argument_to(result, "--print-completion", help="print what makes a shell complete the command")
    for name in commands:
        command = subparsers.add_parser(name, help=COMMANDS[name])
        try:
            module = importlib.import_module(f"spiqa_tasks.commands.{name}")
        except ModuleNotFoundError as error:
            if commands == COMMANDS and what_is_missing(error):
                continue  # the help page names it all the same
            raise
        command.set_defaults(run=module.run)
        module.add(command)
    return result


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; errors go to stderr in one sentence."""
    escape_unencodable(sys.stdout)
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115 - `print(file=None)` writes to stdout
    try:
        with _terminated_in_words(), _warned_in_words():
            return _run(sys.argv[1:] if argv is None else argv)
    except SpiqaTasksError as error:
        say(str(error))
        return error.exit_code
    except ModuleNotFoundError as error:
        missing = what_is_missing(error)
        if missing is None:
            raise
        say(missing)
        return MissingPartError.exit_code
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except (OSError, RuntimeError) as error:
        refusal = _refusal(error)
        if refusal is None:
            raise
        say(refusal)
        return InputError.exit_code
    except _Terminated:
        say(f"terminated; {_KEPT}")
        return 128 + signal.SIGTERM
    except KeyboardInterrupt:
        say(f"interrupted; {_KEPT}")
        return 130


def _refusal(error: BaseException | None) -> str | None:
    """The sentence on a disk, file or folder that cannot be used; None where none of them is the matter."""
    if isinstance(error, RuntimeError) and getattr(error.__context__, "errno", 0) == errno.ELOOP:
        error = error.__context__  # Path.resolve before Python 3.13
    if not isinstance(error, OSError):
        return None
    where = error.filename or (error.errno == errno.ENOENT and "the current folder")
    if error.errno in _NO_ROOM:
        told = f" for {where}" if where else ""
        return f"Expected room on the disk{told}, found none ({error.strerror}). Make room and run the command again."
    if not where:
        return None
    return f"Expected to use {where}, which failed: {error.strerror}. Mend it, or name another place."


class _Terminated(KeyboardInterrupt):
    """SIGTERM, which ends a command as Ctrl-C does."""


@contextmanager
def _terminated_in_words() -> Iterator[None]:
    """Raise `_Terminated` at a SIGTERM within this, where signals can be handled."""

    def terminate(*_: object) -> None:
        raise _Terminated

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before or signal.SIG_DFL)


@contextmanager
def _warned_in_words() -> Iterator[None]:
    """Show the package's own warnings as remarks, without the line of the source."""

    def show(message: Warning | str, category: type[Warning], filename: str, *more: Any, **options: Any) -> None:
        if category is UserWarning and Path(filename).is_relative_to(Path(__file__).parent):
            say(str(message))
        else:
            before(message, category, filename, *more, **options)

    with warnings.catch_warnings():
        before, warnings.showwarning = warnings.showwarning, show
        yield


def _run(given: Sequence[str]) -> int:
    if not given:
        parser().print_help()
        return 0
    named = given[:1] if given[0] in COMMANDS else COMMANDS  # what the others import takes seconds
    arguments = parser(named).parse_args(given)
    gc.set_threshold(200_000)  # a command reads many records, keeps them all, and ends
    check_apart(arguments)
    with _telling(arguments.verbose):
        status: int = arguments.run(arguments)
    return status


class _Stderr(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        say(self.format(record))


@contextmanager
def _telling(more: bool) -> Iterator[None]:
    """Show on stderr what the package logs, where more is wanted than warnings."""
    if not more:
        yield
        return
    logger, handler = logging.getLogger("spiqa_tasks"), _Stderr()
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.info("%s on Python %s, the cache in %s", __version__, platform.python_version(), cache_path())
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)


if __name__ == "__main__":
    sys.exit(main())
