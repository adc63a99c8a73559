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
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from spiqa_tasks import __version__
from spiqa_tasks.errors import InputError, MissingPartError, SpiqaTasksError
from spiqa_tasks.printable import say

# Heading of the help page -> its commands, each a module of `commands`, with their lines.
GROUPS = {
    "start": {
        "list": "show every task, or the folder of their YAMLs",
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

# Command -> its line of the help page.
COMMANDS = {name: line for group in GROUPS.values() for name, line in group.items()}
# Shells that shtab writes completion for.
SHELLS = ("bash", "zsh", "tcsh")
# Signal that ends a command -> the word for it.
_ENDS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}
# The signals that may have ended the command, the last one did. SIGTERM is added when it comes, as
# both signals raise KeyboardInterrupt.
_signals = [signal.SIGINT]

# Options that name a file to write, in the order of the help page.
_OUTPUT_OPTIONS = ("output", "html")

# A full disk, the user's quota, the shell's limit on the size of a file.
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

# Objects made between two garbage collections (Python: at most 2,000). A command reads records,
# keeps them all and ends: collections would take time and free little.
_COLLECTION_THRESHOLD = 200_000


class _Parser(argparse.ArgumentParser):
    """Parser whose errors are one line, without the usage."""

    def error(self, message: str) -> NoReturn:
        """Print the error and where the arguments are explained; exit with status 2."""
        say(f"{message}. See {self.prog} --help.", program=self.prog)
        sys.exit(InputError.exit_code)


def command_of(name: str) -> tuple[Any, argparse.ArgumentParser]:
    """Return the module of a command and its parser. Importing all commands takes a second."""
    module = importlib.import_module(f"spiqa_tasks.commands.{name}")
    # An option that a version no longer has must not be read as a longer one.
    parser = _Parser(prog=f"spiqa-tasks {name}", allow_abbrev=False)
    module.add(parser)
    return module, parser


def _completion(shell: str) -> str:
    """Return a shell's completion script for the commands that this installation can run."""
    import shtab

    from spiqa_tasks.extras import missing_extra

    parser = _parser()
    subparsers = parser.add_subparsers(metavar="COMMAND", parser_class=_Parser)
    for name, line in COMMANDS.items():
        command = subparsers.add_parser(name, help=line)
        try:
            importlib.import_module(f"spiqa_tasks.commands.{name}").add(command)
        except ModuleNotFoundError as error:
            # A command whose extra is missing is completed without its arguments.
            missing_extra(error)
    return str(shtab.complete(parser, shell))


def _parser() -> argparse.ArgumentParser:
    """Return the parser without commands; its help lists them without importing them."""
    widest = max(map(len, COMMANDS))
    help_lines = []
    for title, commands in GROUPS.items():
        help_lines.append(f"{title}:")
        help_lines += [f"  {name:{widest}}  {line}" for name, line in commands.items()]
        help_lines.append("")
    help_lines.append("`spiqa-tasks COMMAND -h` shows the arguments of a command.")

    parser = _Parser(
        prog="spiqa-tasks",
        usage="spiqa-tasks [-h] [--version] [--print-completion SHELL] COMMAND ...",
        description="SPIQA, MMStar and SciFIBench as tasks of lmms-eval: data, scores, analyses.",
        epilog="\n".join(help_lines),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"spiqa-tasks {__version__}")
    parser.add_argument(
        "--print-completion",
        choices=SHELLS,
        metavar="SHELL",
        help=f"print the script for completion by a shell: {', '.join(SHELLS)}",
    )
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status; errors go to stderr in one sentence."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Texts of models are in any script, and may hold half a surrogate pair.
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    if argv is None:
        signal.signal(signal.SIGTERM, _terminate)
    try:
        return _run(sys.argv[1:] if argv is None else argv)
    except SpiqaTasksError as error:
        say(str(error))
        return error.exit_code
    except ModuleNotFoundError as error:
        from spiqa_tasks.extras import missing_extra  # of no use to `--help`

        say(missing_extra(error))
        return MissingPartError.exit_code
    except BrokenPipeError:  # of `spiqa-tasks ... | head`
        sys.stderr.close()
        return 0
    except OSError as error:
        say(_file_error(error))
        return InputError.exit_code
    except KeyboardInterrupt:
        # Each verdict and file is written as soon as it is complete.
        say(f"{_ENDS[_signals[-1]]}; what was finished is kept.")
        return 128 + _signals[-1]


def _file_error(error: OSError) -> str:
    """Return the message on a file that failed; raise the error again if it names no file."""
    if error.errno in _NO_ROOM:
        file = f" for {error.filename}" if error.filename else ""
        return (
            f"Expected room on the disk{file}, found none ({error.strerror}). "
            "Make room and run the command again."
        )
    if not error.filename:
        raise error
    return (
        f"Expected to use {error.filename}, which failed: {error.strerror}. "
        "Mend it, or name another place."
    )


def _terminate(*signal_and_frame: Any) -> None:
    """Handle SIGTERM as Ctrl-C, by asyncio's handler while its loop runs."""
    _signals.append(signal.SIGTERM)
    handler = signal.getsignal(signal.SIGINT)
    # A shell's background jobs ignore Ctrl-C: their handler is no function.
    interrupt = handler if callable(handler) else signal.default_int_handler
    interrupt(*signal_and_frame)


def _run(words: Sequence[str]) -> int:
    """Run the command of a command line, given as words; return the exit status."""
    if not words:
        _parser().print_help()
        return 0
    if words[0] not in COMMANDS:
        return _without_command(words)

    gc.set_threshold(_COLLECTION_THRESHOLD)
    module, parser = command_of(words[0])
    # Files may follow options: `score TASK --judge J FILE`.
    arguments = parser.parse_intermixed_args(words[1:])
    _check_output_files(arguments)
    status: int = module.run(arguments)

    has_left_out_answers = bool(getattr(arguments, "left_out", ()))
    return 3 if status == 0 and has_left_out_answers else status


def _without_command(words: Sequence[str]) -> int:
    """Print the completion script; other words end the process, as no command is among them."""
    parser = _parser()
    parser.add_argument("command", nargs="?", choices=COMMANDS, help=argparse.SUPPRESS)
    shell = parser.parse_args(words).print_completion
    if shell is None:
        parser.error("expected a command")
    print(_completion(shell))
    return 0


def _check_output_files(arguments: argparse.Namespace) -> None:
    """Raise InputError if a file to write is also named by another argument, as answers in it
    would be lost.
    """
    count: Counter[Path] = Counter()
    for argument in vars(arguments).values():
        for value in argument if isinstance(argument, list) else [argument]:
            path = getattr(value, "path", value)  # of a RunPath, `TASK=FILE`
            if isinstance(path, str | Path):
                count[Path(path).resolve()] += 1

    for option in _OUTPUT_OPTIONS:
        name = getattr(arguments, option, None)
        if not isinstance(name, Path):
            continue
        path = name.resolve()
        if count[path] > 1 and not path.is_dir():
            raise InputError(
                f"Expected a file of its own for --{option}, found {path} twice. Name another one."
            )


if __name__ == "__main__":
    sys.exit(main())
