"""Load time and memory of SPIQA's train split: 262,524 questions of 25,459 papers, on a synthetic file of that size.

    python perf/train_load.py [--runs 2]

Writes annotations of about 300 MB and a zip with one small picture under every figure's name, and loads the split in
processes of their own.
"""

import io
import json
import random
import sys
import tempfile
import time
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from measure import arguments, fresh, peak_mb, ratio, resident_mb, show, spread, table, timed
from PIL import Image

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
    folder.mkdir(parents=True)
    made = papers([f"{1500 + number // 1000}.{number:05d}v1" for number in range(PAPERS)], QUESTIONS)
    (folder / "SPIQA_train.json").write_text(json.dumps(made))
    write_pictures(folder / "SPIQA_train_val_Images.zip", made, (8, 8))


def papers(names: Sequence[str], questions: int) -> dict[str, dict[str, Any]]:
    """Made annotations of papers of these names, with so many questions among them."""
    generator = random.Random(0)
    share, rest = divmod(questions, len(names))
    return {name: paper(generator, name, share + (number < rest)) for number, name in enumerate(names)}


def write_pictures(path: Path, annotations: Mapping[str, Mapping[str, Any]], size: tuple[int, int]) -> None:
    """Write an archive of the release's form with one white picture under every figure's name."""
    picture = io.BytesIO()
    Image.new("RGB", size, "white").save(picture, "PNG")
    with zipfile.ZipFile(path, "w") as archive:
        for name, each in annotations.items():
            for figure in each["all_figures"]:
                archive.writestr(f"{path.stem}/{name}/{figure}", picture.getvalue())


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
