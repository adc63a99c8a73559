"""MMStar: settings of its tasks, rows of its 1,500 questions with options in the text (MMStar
paper, section 4.2).
"""

from dataclasses import dataclass
from typing import Any, Literal, get_args

from spiqa_tasks.benchmarks.benchmark import Row, settings_text
from spiqa_tasks.benchmarks.choice import check_answer, check_unique
from spiqa_tasks.benchmarks.prompting import Ablation, ablated_pictures
from spiqa_tasks.files.pictures import check_pictures, encoded, write_pictures
from spiqa_tasks.files.records import read_rows
from spiqa_tasks.files.source import MMSTAR, Source, fingerprint
from spiqa_tasks.scoring.options import options_in

Prompt = Literal[
    "letter",
    "select",
    "bare",
    "authors",
    "lmms_eval",
    "lmms_eval_qwen",
    "vlmevalkit",
    "vlmevalkit_llava",
    "vlmevalkit_qwen",
]
# The prompts that reported numbers were made with (docs/mmstar.md): all but the two of ours.
REPORTED: tuple[str, ...] = get_args(Prompt)[2:]


@dataclass(frozen=True)
class MMStarSettings:
    """Settings of an MMStar task: the keys of its `dataset_name`.

    `prompt` is one of `prompts.WORDINGS`; `ablation` `grey` shows grey pictures of the same size,
    `text` none (paper section 5.1); `shots` `2` puts two solved text questions of ours before each
    question (there: LLMs answer 2-shot), `authors` those of the authors' code, as chat turns.
    """

    prompt: Prompt = "letter"
    ablation: Ablation = "none"
    shots: Literal["0", "2", "authors"] = "0"


# The release has one split in one file.
FILE = "mmstar.parquet"

# Column with the source benchmark of a question (paper Figure 4); copies of the release may lack
# it.
META = "meta_info"
COLUMNS = ("index", "question", "image", "answer", "category", "l2_category")

# Option texts that VLMEvalKit loses: pandas reads them as missing values.
MISSING = frozenset(("", "#N/A", "N/A", "NA", "<NA>", "NULL", "null", "NaN", "nan", "None", "n/a"))


def load(source: Source, split: str, settings: MMStarSettings) -> list[Row]:
    """Return one row per question of the release's only split, in the order of the file.

    Raises DataError: the file is missing, unreadable or lacks a column; a picture that cannot be
    decoded.
    """
    paths = source.files(MMSTAR, FILE)
    data = fingerprint(paths)
    records = read_rows(paths, COLUMNS, optional=(META,))
    check_unique([str(record["index"]) for record in records], FILE)

    images = [""] * len(records)
    if settings.ablation != "text":
        named = [
            (f"{record['index']}", encoded(record["image"], f"row {record['index']} of {FILE}"))
            for record in records
        ]
        images = write_pictures(f"mmstar-{data}", named)
        check_pictures(images)
        images = ablated_pictures(images, settings.ablation)
    shared = {
        "benchmark": "mmstar",
        "split": split,
        "prompt": settings.prompt,
        "settings": settings_text(settings),
        "data": data,
    }
    return [_row(record, image) | shared for record, image in zip(records, images, strict=True)]


def read_options(question: str) -> dict[str, str]:
    """Return letter -> option text from a question's text; '' for A to D if its form is unknown.

    The release has two forms: `Options: A: x, B: y, ...` and a list of lines `(A) x`, once without
    the blank.
    """
    return options_in(question) or dict.fromkeys("ABCD", "")


def table_options(row: Row) -> dict[str, str]:
    """Return letter -> text as VLMEvalKit reads them: without the options in `MISSING`."""
    options = zip(row["letters"], row["options"], strict=True)
    return {letter: text for letter, text in options if text not in MISSING}


def _row(record: dict[str, Any], image: str) -> dict[str, Any]:
    """Return the row of a line of the release; `image` is the path of its picture, or ''."""
    row_id = str(record["index"])
    options = read_options(record["question"])
    return {
        "id": row_id,
        "question": record["question"],
        "letters": list(options),
        "options": list(options.values()),
        "answer": check_answer(row_id, record["answer"], list(options)),
        "images": [image] if image else [],
        "category": record["category"],
        "subcategory": record["l2_category"],
        "source": (record.get(META) or {}).get("source") or "",
    }
