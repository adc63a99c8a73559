"""Draw the demo data set in the release formats of the three benchmarks: `python tools/demo [OUT]`.

Everything is our own and drawn from fixed seeds: two runs on one machine write the same bytes.
"""

from __future__ import annotations

import argparse
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from datasets import Features, Image, List, Value
from drawing.board import png_bytes
from mmstar import perception, reasoning
from mmstar.rows import mmstar_rows
from PIL import Image as Pillow
from scifibench.rows import caption_to_figure, figure_to_caption
from spiqa import balloons, caching, hillside, library, waste, weather
from spiqa.paper import Figure, Paper

PACKAGE_DEMO = Path(__file__).resolve().parents[2] / "spiqa_tasks" / "demo"
LONGEST_SIDE = 224

MMSTAR_FEATURES = Features(
    {
        "index": Value("int64"),
        "question": Value("string"),
        "image": Image(),
        "answer": Value("string"),
        "category": Value("string"),
        "l2_category": Value("string"),
        "meta_info": {"source": Value("string"), "split": Value("string"), "image_path": Value("string")},
    }
)
SCIFIBENCH_FEATURES = Features(
    {
        "ID": Value("int64"),
        "Question": Value("string"),
        "Options": List(Value("string")),
        "Answer": Value("string"),
        "Category": Value("string"),
        "Images": List(Image()),
    }
)


def draw(out: Path) -> None:
    """Write the whole demo set below `out`."""
    write_spiqa(out / "spiqa")
    write_parquet(
        out / "mmstar" / "mmstar.parquet",
        MMSTAR_FEATURES,
        mmstar_rows({**perception.categories(), **reasoning.categories()}),
    )
    for name, rows in (
        ("CS_Figure2Caption", figure_to_caption()),
        ("CS_Caption2Figure", caption_to_figure()),
    ):
        write_parquet(out / "scifibench" / "data" / f"{name}-00000-of-00001.parquet", SCIFIBENCH_FEATURES, rows)


def write_spiqa(folder: Path) -> None:
    """Write the annotations, both picture archives and the full texts of the demo papers."""
    papers = [module.paper() for module in (weather, waste, hillside, caching, library, balloons)]
    test_a = folder / "test-A"
    test_a.mkdir(parents=True, exist_ok=True)
    annotations = {paper.paper_id: paper.annotation() for paper in papers}
    (test_a / "SPIQA_testA.json").write_text(json.dumps(annotations, indent=1) + "\n", encoding="utf-8")
    for stem, small in (("SPIQA_testA_Images", False), ("SPIQA_testA_Images_224px", True)):
        members = {
            f"{stem}/{paper.paper_id}/{paper.file(figure.name)}": _picture(figure, small)
            for paper in papers
            for figure in paper.figures
        }
        write_zip(test_a / f"{stem}.zip", members)
    write_zip(folder / "SPIQA_train_val_test-A_extracted_paragraphs.zip", _texts(papers))


def write_zip(path: Path, members: Mapping[str, bytes]) -> None:
    """Write an archive whose bytes depend on nothing but its members."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            info.create_system = 3
            info.external_attr = 0o644 << 16
            info.compress_type = zipfile.ZIP_STORED if name.endswith(".png") else zipfile.ZIP_DEFLATED
            archive.writestr(info, content)


def write_parquet(path: Path, features: Features, rows: list[dict[str, Any]]) -> None:
    """Write rows with the metadata by which `datasets` knows its pictures."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows, schema=features.arrow_schema), path)


def _picture(figure: Figure, small: bool) -> bytes:
    colours = 192 if "photograph" in figure.kind else 64
    if not small:
        return png_bytes(figure.image, colours)
    share = LONGEST_SIDE / max(figure.image.size)
    size = (round(figure.image.width * share), round(figure.image.height * share))
    return png_bytes(figure.image.resize(size, Pillow.Resampling.LANCZOS), colours)


def _texts(papers: list[Paper]) -> dict[str, bytes]:
    return {f"{paper.paper_id}.txt": ("\n\n".join(paper.paragraphs) + "\n").encode() for paper in papers}


def main() -> None:
    """Read the one optional argument and draw."""
    parser = argparse.ArgumentParser(description="Draw the demo data set that the package ships.")
    parser.add_argument("out", nargs="?", type=Path, default=PACKAGE_DEMO, help="folder to write to")
    draw(parser.parse_args().out)


if __name__ == "__main__":
    main()
