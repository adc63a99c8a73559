"""The command `spiqa-tasks`: parses arguments and calls a module of `commands`.

Exit status: 0 the thing asked for was done; 2 unusable arguments or input; 3 done in part.
"""

import argparse
import errno
import gc
import importlib
import io
import signal
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, NoReturn

from spiqa_tasks import __version__
from spiqa_tasks.errors import InputError, MissingPartError, SpiqaTasksError
from spiqa_tasks.printable import say

# Groups of the help page -> command, a module of `commands`, -> its line there.
GROUPS = {
    "start": {
        "list": "show every task and whether its data is there, or the folder of their YAMLs",
        "prepare": "fetch, extract and check the data of tasks before a run",
        "doctor": "check the installation, the data and the judge",
        "demo": "run two baselines on the shipped questions, and conclude from their answers",
    },
    "score": {
        "score": "score answers that exist, as a whole or by group; needs no model and no pictures",
        "choices": "read the option that each answer of a file picks, by which rule, and why",
    },
    "conclude": {
        "report": "write runs as one HTML page, with plots, comparisons and every sample",
        "compare": "paired differences of runs, with intervals and p-values",
        "gain": "multi-modal gain and leakage of runs",
        "filter": "keep the questions that text-only models cannot answer, as a new task",
        "paper": "tables and figures of the three papers, with your runs beside the printed rows",
    },
    "extend": {
        "calibrate": "agreement of judges with people's verdicts",
        "export": "write SPIQA's training questions for fine-tuning (jsonl)",
    },
}

# Command -> its line of help.
COMMANDS = {name: line for group in GROUPS.values() for name, line in group.items()}
# Those that shtab writes completion for.
SHELLS = ("bash", "zsh", "tcsh")
# Signals that end a command -> what it says.
_ENDS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}
# The last one ended the command. SIGTERM is added as it comes: asyncio raises the same
# KeyboardInterrupt for both.
_signals = [signal.SIGINT]

# Arguments that name a file to write.
_WRITTEN = ("output", "samples", "html", "csv", "markdown", "json")

# A full disk, a user's quota, a limit of the shell.
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

# a command imports much, reads many records, keeps them all, and ends: fewer collections pay
_COLLECTED_AFTER = 200_000


class _Parser(argparse.ArgumentParser):
    """Parser whose errors are one line, without the usage."""

    def error(self, message: str) -> NoReturn:
        """Print the error and where the arguments are explained; exit with status 2."""
        say(f"{message}. See {self.prog} --help.", program=self.prog)
        sys.exit(InputError.exit_code)


class _Command(_Parser):
    """Parser of a command: has `-v`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs["allow_abbrev"] = False  # an option that went must not mean a longer one
        super().__init__(*args, **kwargs)
        about = "report on stderr what is read, from where, and what a judge is asked"
        self.add_argument("-v", "--verbose", action="store_true", help=about)


def command_of(name: str) -> tuple[Any, argparse.ArgumentParser]:
    """Return the module of a command and its parser; to import all takes more than a second."""
    module = importlib.import_module(f"spiqa_tasks.commands.{name}")
    parser = _Command(prog=f"spiqa-tasks {name}")
    module.add(parser)
    return module, parser


def _completion(shell: str) -> str:
    """Return the script by which a shell completes the commands that this installation can run."""
    import shtab

    whole = _parser()
    subparsers = whole.add_subparsers(metavar="COMMAND", parser_class=_Command)
    for name, line in COMMANDS.items():
        command = subparsers.add_parser(name, help=line)
        try:
            importlib.import_module(f"spiqa_tasks.commands.{name}").add(command)
        except ModuleNotFoundError as error:
            _missing_part(error)  # raises unless it is of an extra: then the command cannot run
    return str(shtab.complete(whole, shell))


def _parser() -> argparse.ArgumentParser:
    """Return the parser without commands; its help lists them without importing them."""
    widest = max(map(len, COMMANDS))
    groups = (
        "\n".join([f"{title}:", *(f"  {name:{widest}}  {line}" for name, line in commands.items())])
        for title, commands in GROUPS.items()
    )
    result = _Parser(
        prog="spiqa-tasks",
        usage="spiqa-tasks [-h] [--version] [--print-completion SHELL] COMMAND ...",
        description="SPIQA, MMStar and SciFIBench as tasks of lmms-eval: data, scores, analyses.",
        epilog="\n\n".join([*groups, "`spiqa-tasks COMMAND -h` shows the arguments of a command."]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    result.add_argument("--version", action="version", version=f"spiqa-tasks {__version__}")
    about = f"print the script for completion by a shell: {', '.join(SHELLS)}"
    result.add_argument("--print-completion", choices=SHELLS, metavar="SHELL", help=about)
    return result


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; errors go to stderr in one sentence."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # names in any script, and half a surrogate pair
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    if argv is None:
        signal.signal(signal.SIGTERM, _terminate)
    try:
        return _run(sys.argv[1:] if argv is None else argv)
    except SpiqaTasksError as error:
        say(str(error))
        return error.exit_code
    except ModuleNotFoundError as error:
        say(_missing_part(error))
        return MissingPartError.exit_code
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except OSError as error:
        say(_file_error(error))
        return InputError.exit_code
    except KeyboardInterrupt:
        # verdicts and files are written as they come, so an end at any time loses none
        say(f"{_ENDS[_signals[-1]]}; what was finished is kept.")
        return 128 + _signals[-1]


def _missing_part(error: ModuleNotFoundError) -> str:
    """Return a sentence on the extra that is not installed. Raises the error: it is not of one."""
    from spiqa_tasks.extras import what_is_missing

    missing = what_is_missing(error)
    if missing is None:
        raise error
    return missing


def _file_error(error: OSError) -> str:
    """Return a sentence on a file that failed. Raises the error: it is not of a file."""
    if error.errno in _NO_ROOM:
        of = f" for {error.filename}" if error.filename else ""
        return (
            f"Expected room on the disk{of}, found none ({error.strerror}). "
            "Make room and run the command again."
        )
    if not error.filename:
        raise error
    return (
        f"Expected to use {error.filename}, which failed: {error.strerror}. "
        "Mend it, or name another place."
    )


def _terminate(*came: Any) -> None:
    """End the command as Ctrl-C does, by the handler of asyncio if that is at work."""
    _signals.append(signal.SIGTERM)
    handler = signal.getsignal(signal.SIGINT)
    # a shell's background jobs ignore Ctrl-C
    end = handler if callable(handler) else signal.default_int_handler
    end(*came)


def _run(words: Sequence[str]) -> int:
    if not words:
        _parser().print_help()
        return 0
    if words[0] not in COMMANDS:
        return _without_command(words)

    gc.set_threshold(_COLLECTED_AFTER)
    module, command = command_of(words[0])
    # files may follow options: `score TASK --judge J FILE`
    arguments = command.parse_intermixed_args(words[1:])
    _check_written(arguments)
    with _logged() if arguments.verbose else nullcontext():
        status: int = module.run(arguments)
    # whatever the command found in the other answers, it is done in part
    return status or 3 * bool(getattr(arguments, "left_out", ()))


def _without_command(words: Sequence[str]) -> int:
    """Print the completion; anything else is an error of the arguments, which ends the process."""
    parser = _parser()
    parser.add_argument("command", nargs="?", choices=COMMANDS, help=argparse.SUPPRESS)
    shell = parser.parse_args(words).print_completion
    if shell is None:
        parser.error("expected a command")
    print(_completion(shell))
    return 0


def _check_written(arguments: argparse.Namespace) -> None:
    """Raise InputError if a file to write is also named by another argument: answers would be
    lost.
    """
    paths = []
    for name, value in vars(arguments).items():
        for each in value if isinstance(value, list) else [value]:
            path = getattr(each, "path", each)
            if isinstance(path, str | Path):
                paths.append((name, Path(path).resolve()))

    count = Counter(path for _, path in paths)
    for name, path in paths:
        if name in _WRITTEN and count[path] > 1 and not path.is_dir():
            option = name.replace("_", "-")
            raise InputError(
                f"Expected a file of its own for --{option}, found {path} twice. Name another one."
            )


@contextmanager
def _logged() -> Iterator[None]:
    import logging
    import platform

    from spiqa_tasks.files.atomic import cache_path

    handler = logging.Handler()
    handler.emit = lambda record: say(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger("spiqa_tasks")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.info(
        "%s on Python %s, the cache in %s", __version__, platform.python_version(), cache_path()
    )
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(logging.NOTSET)


if __name__ == "__main__":
    sys.exit(main())
