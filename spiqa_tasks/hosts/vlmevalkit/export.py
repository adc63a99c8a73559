"""Export our tasks to tables for a host without this package."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from spiqa_tasks.benchmarks.mmstar.release import MISSING
from spiqa_tasks.benchmarks.prompting import plain_text
from spiqa_tasks.benchmarks.registry import benchmark_of
from spiqa_tasks.files.atomic import write_atomically
from spiqa_tasks.files.pictures import page_path
from spiqa_tasks.hosts.vlmevalkit.answer_files import ID, QUESTION, REFERENCE, as_tsv
from spiqa_tasks.hosts.vlmevalkit.tasks import Row, picture_paths, rows_of
from spiqa_tasks.scoring.options import question_before

PICTURES = "image_path"
# The host's columns of groups -> our fields.
_GROUPS = {"category": "category", "l2-category": "subcategory"}


def write_dataset(name: str, folder: Path) -> tuple[Path, bool, list[str]]:
    """Write `LMUData/<task>.tsv` and picture files.

    Choices have their options in columns, for the host's own prompt and matching; open questions
    have our prompt with all pictures before one text, and are for `--mode infer`. Returns the
    table's path, whether the host can score the answers, and warnings.
    """
    folder = folder.resolve()
    pictures = folder / "images" / "spiqa_tasks"
    lines = [_line(row, pictures) for row in rows_of(name)]

    columns = list(dict.fromkeys(column for line in lines for column in line))
    cells = [[line.get(column, "") for column in columns] for line in lines]
    path = folder / f"{name}.tsv"
    write_atomically(path, as_tsv([columns, *cells]))

    has_options = all("A" in line for line in lines)
    return path, has_options, _warnings(name, lines)


def _line(row: Row, folder: Path) -> dict[str, str]:
    """Return a line of the table, its pictures copied into `folder`."""
    line = {
        ID: str(row["id"]),
        QUESTION: plain_text(benchmark_of(row).prompt(row)),
        REFERENCE: str(row.get("answer", "")),
    }
    if row.get("letters"):
        line[QUESTION] = question_before(row["question"])
        line |= _options(row)

    for column, name in _GROUPS.items():
        if row.get(name):
            line[column] = str(row[name])

    copies = [_copy(page_path(path), folder) for path in picture_paths(row)]
    if copies:
        line[PICTURES] = repr(copies) if len(copies) > 1 else copies[0]
    return line


def _options(row: Row) -> dict[str, str]:
    """Return letter -> option; options that are pictures are called by their numbers."""
    options = {}
    for place, (letter, text) in enumerate(zip(row["letters"], row["options"], strict=True), 1):
        options[letter] = text or f"picture {place}"
    return options


def _copy(path: str, folder: Path) -> str:
    """Copy a picture under a name by its content, once; return the path of the copy."""
    content = Path(path).read_bytes()
    copy = folder / f"{hashlib.sha256(content).hexdigest()[:24]}{Path(path).suffix}"
    if not copy.is_file():
        copy.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(copy, content)
    return str(copy)


def _warnings(name: str, lines: Sequence[dict[str, str]]) -> list[str]:
    """Return a sentence on options that the host reads as missing values, if there are any."""
    lost = []
    for line in lines:
        if any(line.get(letter) in MISSING for letter in "ABCDE"):
            lost.append(line[ID])
    if not lost:
        return []
    return [
        f"{name}: VLMEvalKit loses an option of {len(lost)} questions ({', '.join(lost[:5])}), "
        "whose text it takes for a missing value."
    ]
