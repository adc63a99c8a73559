"""Load time and memory of SPIQA's train split: 262,524 questions of 25,459 papers, on a synthetic file of that size.

    python perf/train_load.py [--runs 2]

Writes annotations of about 300 MB and a zip with one small picture under every figure's name, and loads the split in
processes of their own.
"""

from __future__ import annotations

import io
import json
import random
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Any

from measure import arguments, fresh, peak_mb, ratio, resident_mb, show, spread, table, timed

PAPERS, QUESTIONS = 25_459, 262_524
WORDS = ("the", "model", "accuracy", "of", "figure", "table", "shows", "method", "training", "results", "layer", "loss")
LABELS = ("plot", "Plot", "schematic", "photograph(s)", "other", "** plot", "table")


def main() -> None:
    """Make the files, measure in fresh processes, print the section."""
    if sys.argv[1:2] == ["measure"]:
        return measure(Path(sys.argv[2]))
    options = arguments(__doc__, runs=2)
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder) / "spiqa" / "train_val")
        found = [fresh(__file__, folder) for _ in range(options.runs)]
    times, floor, memory = ([each[name] for each in found] for name in ("seconds", "floor", "memory"))
    row = [f"{found[0]['rows']:,}", spread(times), ratio(times, floor), spread(memory, "MB")]
    show(
        "Train split",
        "Loading SPIQA's train split (25,459 papers, on made annotations of about 300 MB) as the host's hook does, "
        "against `json.loads` of the same file.",
        table(["questions", "time", "ratio to parsing alone", "memory above the imports"], [row]),
    )
    return None


def measure(folder: Path) -> None:
    """Load once, as the host's hook does, and print seconds and memory; then the seconds of parsing alone."""
    import datasets

    from spiqa_tasks.benchmarks.registry import load_table
    from spiqa_tasks.files.source import LocalSource

    before, start = resident_mb(), time.perf_counter()
    rows_table = load_table("spiqa", "train", "", LocalSource(folder))
    dataset = datasets.Dataset(datasets.table.InMemoryTable(rows_table), fingerprint="benchmark")
    seconds, memory, rows = time.perf_counter() - start, peak_mb() - before, len(dataset)
    del rows_table, dataset
    floor = timed(lambda: json.loads((folder / "spiqa" / "train_val" / "SPIQA_train.json").read_bytes()))
    print(json.dumps({"rows": rows, "seconds": seconds, "memory": memory, "floor": floor}))


def make(folder: Path) -> None:
    """Write the annotations and the pictures."""
    annotations = folder / "SPIQA_train.json"
    folder.mkdir(parents=True)
    generator = random.Random(0)
    papers = {}
    for number in range(PAPERS):
        paper_id = f"{1500 + number // 1000}.{number:05d}v1"
        questions = QUESTIONS // PAPERS + (number < QUESTIONS % PAPERS)
        papers[paper_id] = paper(generator, paper_id, questions)
    annotations.write_text(json.dumps(papers))
    picture = io.BytesIO()
    from PIL import Image

    Image.new("RGB", (8, 8), "white").save(picture, "PNG")
    with zipfile.ZipFile(folder / "SPIQA_train_val_Images.zip", "w") as archive:
        for paper_id, content in papers.items():
            for name in content["all_figures"]:
                archive.writestr(f"SPIQA_train_val_Images/{paper_id}/{name}", picture.getvalue())


def paper(generator: random.Random, paper_id: str, questions: int) -> dict[str, Any]:
    """A paper with about ten figures, in the release's format."""
    figures = {
        f"{paper_id}-Figure{index + 1}-1.png": {
            "caption": text(generator, 30),
            "content_type": "table" if generator.random() < 0.4 else "figure",
            "figure_type": generator.choice(LABELS),
        }
        for index in range(generator.randint(5, 16))
    }
    qa = [
        {
            "question": text(generator, 13) + "?",
            "answer": text(generator, 15),
            "explanation": text(generator, 30),
            "reference": generator.choice(list(figures)),
        }
        for _ in range(questions)
    ]
    return {"paper_id": paper_id, "all_figures": figures, "qa": qa}


def text(generator: random.Random, words: int) -> str:
    """Words, about as many as asked for."""
    return " ".join(generator.choices(WORDS, k=generator.randint(words // 2, words * 3 // 2)))


if __name__ == "__main__":
    main()
