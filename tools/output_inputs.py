"""Make the inputs of `compare_outputs.py`: predictions by a fixed rule, and release files with
small coloured pictures instead of the real ones.

They are made from the demo files and the real files in SPIQA_TASKS_TEST_DATA (default:
`shared/data` beside the checkout). The package is not imported, so that no change of it changes an
input.
"""

import colorsys
import csv
import hashlib
import io
import json
import os
import re
import shutil
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
from PIL import Image

REPOSITORY = Path(__file__).resolve().parents[1]
DEMO = REPOSITORY / "spiqa_tasks" / "demo"
REAL = Path(os.environ.get("SPIQA_TASKS_TEST_DATA", REPOSITORY.parent / "shared" / "data"))

Answers = Sequence[tuple[str, str]]
"""(id, reference) of each question."""


def make_inputs(folder: Path) -> None:
    """Write the subfolders `inputs` and `data`, replacing earlier ones."""
    for name in ("inputs", "data"):
        shutil.rmtree(folder / name, ignore_errors=True)
        (folder / name).mkdir(parents=True)

    _release_files(folder / "data")
    _demo_predictions(folder / "inputs")
    _real_predictions(folder / "inputs")
    _labels(folder / "inputs")


def picked(answers: Answers, letters: str, model: int = 1) -> list[dict[str, str]]:
    """Return predictions of a choice task in seven forms, some of them wrong or refusals.

    Another `model` has the forms in another order.
    """
    lines = []
    for index, (key, right) in enumerate(answers):
        wrong = letters[(letters.index(right) + 1 + index % 2) % len(letters)]
        forms = (
            right,
            f"The answer is ({wrong}).",
            f"Answer: {right}",
            "Sorry, I cannot see any image. Could you provide it?",
            f"A man holds an umbrella, therefore option {right}",
            f"Option {wrong} is correct. {right} is the distractor.",
            "A chart shows growth.",
        )
        lines.append({"id": key, "prediction": forms[(index * model) % len(forms)]})
    return lines


def written(answers: Answers, model: int = 1) -> list[dict[str, str]]:
    """Return predictions of an open task in six forms: the reference, half of it, another one, ...

    Another `model` has the forms in another order.
    """
    lines = []
    for index, (key, right) in enumerate(answers):
        words = right.split()
        forms = (
            right,
            f"{{'Answer': '{right}'}}",
            " ".join(words[: (len(words) + 1) // 2]),
            answers[index - 1][1],
            f"According to the figure, {right}",
            "I cannot answer this question.",
        )
        lines.append({"id": key, "prediction": forms[(index * model) % len(forms)]})
    return lines


def _demo_predictions(folder: Path) -> None:
    """Write predictions for the demo tasks."""
    papers = json.loads((DEMO / "spiqa/test-A/SPIQA_testA.json").read_text(encoding="utf-8"))
    spiqa = _answers_of_papers(papers)
    _write_lines(folder / "spiqa_1.jsonl", written(spiqa))
    _write_lines(folder / "spiqa_2.jsonl", written(spiqa, 5))
    cot = [
        {
            "id": line["id"],
            "prediction": (
                f"{{'Image': {index % 3}, 'Rationale': 'It shows it.'}} "
                f"The answer is : {line['prediction']}"
            ),
        }
        for index, line in enumerate(written(spiqa))
    ]
    _write_lines(folder / "spiqa_cot.jsonl", cot)

    rows = pyarrow.parquet.read_table(DEMO / "mmstar/mmstar.parquet").to_pylist()
    mmstar = [(str(row["index"]), row["answer"]) for row in rows]
    lines = picked(mmstar, "ABCD")
    _write_lines(folder / "mmstar_1.jsonl", lines)
    _write_lines(folder / "mmstar_2.jsonl", picked(mmstar, "ABCD", 3))
    _write_lines(folder / "mmstar_part.jsonl", lines[:18])
    _write_table(folder / "mmstar_1.tsv", lines)
    (folder / "ids.txt").write_text("".join(f"{key}\n" for key, _ in mmstar[:12]))

    for kind, name in (("fig2cap", "CS_Figure2Caption"), ("cap2fig", "CS_Caption2Figure")):
        file = DEMO / f"scifibench/data/{name}-00000-of-00001.parquet"
        rows = pyarrow.parquet.read_table(file).to_pylist()
        answers = [(str(row["ID"]), row["Answer"]) for row in rows]
        _write_lines(folder / f"scifibench_{kind}_1.jsonl", picked(answers, "ABCDE"))


def _real_predictions(folder: Path) -> None:
    """Write predictions for the real annotation files, and real answers of models."""
    papers = json.loads((REAL / "spiqa/test-A/SPIQA_testA.json").read_text(encoding="utf-8"))
    _write_lines(folder / "real_spiqa_testA.jsonl", written(_answers_of_papers(papers)))

    papers = json.loads((REAL / "spiqa/test-B/SPIQA_testB.json").read_text(encoding="utf-8"))
    answers = [
        (f"{paper}/{index}", str(answer))
        for paper, fields in papers.items()
        for index, answer in enumerate(fields["composition"])
    ]
    _write_lines(folder / "real_spiqa_testB.jsonl", written(answers))

    rows = _lines(REAL / "mmstar/llava_next_34b_sample.jsonl")
    predictions = [{"id": str(row["index"]), "prediction": row["prediction"]} for row in rows]
    _write_lines(folder / "real_mmstar.jsonl", predictions)
    _write_table(folder / "real_mmstar_table.tsv", rows)

    file = REAL / "scifibench/data/CS_Figure2Caption-00000-of-00001.parquet"
    rows = pyarrow.parquet.read_table(file, columns=["ID", "Answer"]).to_pylist()
    answers = [(str(row["ID"]), row["Answer"]) for row in rows]
    _write_lines(folder / "real_scifibench.jsonl", picked(answers, "ABCDE"))

    answers_of_models = _lines(REAL / "mcq/answers.jsonl")[::20]
    _write_lines(folder / "choices.jsonl", answers_of_models)


def _labels(folder: Path) -> None:
    """Write answers with people's verdicts, of EVOUNA, for `calibrate`, and without for `score`."""
    questions = json.loads((REAL / "evouna/NQ.json").read_text(encoding="utf-8"))[:120]
    (folder / "evouna.json").write_text(json.dumps(questions), encoding="utf-8")

    lines = [
        {
            "question": row["question"],
            "reference": row["golden_answer"],
            "prediction": row[f"answer_{system}"],
            "label": row[f"judge_{system}"],
            "system": system,
        }
        for row in questions[:60]
        if not row.get("improper")
        for system in ("fid", "gpt4")
    ]
    _write_lines(folder / "labels.jsonl", lines)
    kept = ("question", "reference", "prediction")
    _write_lines(folder / "open.jsonl", [{name: line[name] for name in kept} for line in lines])


def _release_files(data: Path) -> None:
    """Write a data folder of the real annotation files with stand-ins for their pictures."""
    for split, name in (("A", "all_figures"), ("B", "all_figures_tables")):
        source = REAL / f"spiqa/test-{split}/SPIQA_test{split}.json"
        target = data / f"spiqa/test-{split}"
        target.mkdir(parents=True)
        shutil.copy(source, target)
        papers = json.loads(source.read_text(encoding="utf-8"))
        folder = f"SPIQA_test{split}_Images"
        with zipfile.ZipFile(target / f"{folder}.zip", "w") as archive:
            for paper, fields in papers.items():
                for file in fields[name]:
                    path = f"{paper}/{file}" if split == "A" else file
                    archive.writestr(f"{folder}/{path}", stand_in(path))

    (data / "scifibench/data").mkdir(parents=True)
    file = "scifibench/data/CS_Figure2Caption-00000-of-00001.parquet"
    shutil.copy(REAL / file, data / file)

    rows = [
        {
            "index": row["index"],
            "question": row["question"],
            "image": {"bytes": stand_in(str(row["index"])), "path": None},
            "answer": row["answer"],
            "category": row["category"],
            "l2_category": row["l2_category"],
            "meta_info": {"source": row["bench"], "split": "val", "image_path": ""},
        }
        for row in _lines(REAL / "mmstar/llava_next_34b_sample.jsonl")
    ]
    (data / "mmstar").mkdir()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), data / "mmstar/mmstar.parquet")


def stand_in(name: str) -> bytes:
    """Return a small PNG whose size and colour depend on the picture's name alone."""
    digest = hashlib.sha256(name.encode()).digest()
    red, green, blue = (
        round(255 * part) for part in colorsys.hsv_to_rgb(digest[0] / 255, 0.6, 0.9)
    )
    image = Image.new("RGB", (32 + digest[1] % 64, 32 + digest[2] % 64), (red, green, blue))
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def _answers_of_papers(papers: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return (id, reference) of the questions of test-A's papers."""
    return [
        (f"{paper}/{index}", question["answer"])
        for paper, fields in papers.items()
        for index, question in enumerate(fields["qa"])
    ]


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def _write_lines(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")


def _write_table(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter="\t")
        writer.writeheader()
        for row in rows:
            writer.writerow({key: re.sub(r"\s+", " ", str(value)) for key, value in row.items()})
