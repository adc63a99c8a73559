"""Load time and memory of SPIQA's train split: 262,524 questions of 25,459 papers, on a synthetic file of that size.

    python perf/train_load.py [FOLDER]

Writes FOLDER/spiqa/train_val/ (annotations of about 300 MB, and a zip with one small picture under every figure's
name), or takes what is there, and loads the split in a process of its own.
"""

from __future__ import annotations

import io
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

PAPERS, QUESTIONS = 25_459, 262_524
WORDS = ("the", "model", "accuracy", "of", "figure", "table", "shows", "method", "training", "results", "layer", "loss")
LABELS = ("plot", "Plot", "schematic", "photograph(s)", "other", "** plot", "table")


def main() -> None:
    """Make the files, then measure in a fresh process."""
    if len(sys.argv) > 2:
        return measure(Path(sys.argv[2]))
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else temporary)
        make(folder / "spiqa" / "train_val")
        subprocess.run([sys.executable, __file__, "measure", str(folder)], check=True)
    return None


def measure(folder: Path) -> None:
    """Load once, as the host's hook does, and print seconds and peak memory."""
    import datasets

    from spiqa_tasks.benchmarks.registry import load_table
    from spiqa_tasks.files.source import LocalSource

    start, start_cpu = time.perf_counter(), time.process_time()
    table = load_table("spiqa", "train", "", LocalSource(folder))
    dataset = datasets.Dataset(datasets.table.InMemoryTable(table), fingerprint="benchmark")
    seconds, cpu = time.perf_counter() - start, time.process_time() - start_cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{len(dataset):,} questions in {seconds:.1f} s ({cpu:.1f} s of CPU), peak memory {peak:.2f} GiB")


def make(folder: Path) -> None:
    """Write the annotations and the pictures."""
    annotations = folder / "SPIQA_train.json"
    if annotations.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
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


def paper(generator: random.Random, paper_id: str, questions: int) -> dict[str, object]:
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
