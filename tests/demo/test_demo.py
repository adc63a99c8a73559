"""The demo data set: complete, true to the release formats, and small."""

import io
import json
import re
import zipfile
from collections import Counter
from importlib import resources
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from datasets import Image, load_dataset
from PIL import Image as Pillow

DEMO = Path(str(resources.files("spiqa_tasks.demo")))
TEST_A = DEMO / "spiqa" / "test-A"
MMSTAR = DEMO / "mmstar" / "mmstar.parquet"
FIGURE_TO_CAPTION = DEMO / "scifibench" / "data" / "CS_Figure2Caption-00000-of-00001.parquet"
CAPTION_TO_FIGURE = DEMO / "scifibench" / "data" / "CS_Caption2Figure-00000-of-00001.parquet"
CORE_CAPABILITIES = {
    "coarse perception",
    "fine-grained perception",
    "instance reasoning",
    "logical reasoning",
    "science & technology",
    "math",
}


@pytest.fixture(scope="module")
def papers() -> dict[str, Any]:
    return json.loads((TEST_A / "SPIQA_testA.json").read_text(encoding="utf-8"))


def rows(path: Path) -> list[dict[str, Any]]:
    return pq.read_table(path).to_pylist()


def decoded(content: bytes) -> Pillow.Image:
    image = Pillow.open(io.BytesIO(content))
    image.load()
    return image


def keys_and_types(value: Any) -> Any:
    """The shape of an annotation: its keys and the types of its leaves."""
    return {key: type(item).__name__ for key, item in value.items()}


def test_the_demo_set_is_smaller_than_3_mb() -> None:
    """All files of the demo folder together stay below 3 MB."""
    assert sum(path.stat().st_size for path in DEMO.rglob("*") if path.is_file()) < 3_000_000


def test_annotations_have_the_schema_of_the_real_file(
    real_data: Path, papers: dict[str, Any]
) -> None:
    """Papers, figures and questions have the keys and types of SPIQA test-A."""
    theirs = next(
        iter(
            json.loads(
                (real_data / "spiqa/test-A/SPIQA_testA.json").read_text(encoding="utf-8")
            ).values()
        )
    )
    for paper in papers.values():
        assert keys_and_types(paper) == keys_and_types(theirs)
        for ours in paper["all_figures"].values():
            assert keys_and_types(ours) == keys_and_types(
                next(iter(theirs["all_figures"].values()))
            )
        for ours in paper["qa"]:
            assert keys_and_types(ours) == keys_and_types(theirs["qa"][0])


@pytest.mark.parametrize("stem", ["SPIQA_testA_Images", "SPIQA_testA_Images_224px"])
def test_every_figure_is_in_the_archive_and_decodes(papers: dict[str, Any], stem: str) -> None:
    """Each archive holds exactly the annotated figures, and those of the 224px one have that
    longest side.
    """
    wanted = {
        f"{stem}/{paper_id}/{name}"
        for paper_id, paper in papers.items()
        for name in paper["all_figures"]
    }
    with zipfile.ZipFile(TEST_A / f"{stem}.zip") as archive:
        assert set(archive.namelist()) == wanted
        longest = {max(decoded(archive.read(name)).size) for name in wanted}
    assert longest == {224} if stem.endswith("224px") else min(longest) > 150


def test_every_question_refers_to_a_figure_of_its_paper(papers: dict[str, Any]) -> None:
    """References name annotated figures, and questions and answers are not empty."""
    for paper_id, paper in papers.items():
        assert paper["paper_id"] == paper_id
        for question in paper["qa"]:
            assert question["reference"] in paper["all_figures"]
            assert all(question.values())


def test_mmstar_rows_cover_every_category_four_times() -> None:
    """Six core capabilities have four rows each and 18 detailed axes at least one, all with
    indices of their own.
    """
    found = rows(MMSTAR)
    assert Counter(row["category"] for row in found) == dict.fromkeys(CORE_CAPABILITIES, 4)
    assert len({(row["category"], row["l2_category"]) for row in found}) == 18
    assert len({row["index"] for row in found}) == len(found)


def test_mmstar_axes_are_the_real_ones(real_data: Path) -> None:
    """Each category has the detailed axes that the real rows have."""
    lines = (
        (real_data / "mmstar/llava_next_34b_sample.jsonl").read_text(encoding="utf-8").splitlines()
    )
    theirs = {(row["category"], row["l2_category"]) for row in map(json.loads, lines)}
    assert {(row["category"], row["l2_category"]) for row in rows(MMSTAR)} == theirs


def test_mmstar_questions_hold_four_different_options_and_a_picture() -> None:
    """The options are in the question's text, the answer is one of their letters, the picture
    decodes.
    """
    for row in rows(MMSTAR):
        match = re.fullmatch(
            r"[^\n]+\nOptions: A: (.+), B: (.+), C: (.+), D: (.+)", row["question"]
        )
        assert match is not None
        assert len(set(match.groups())) == 4
        assert row["answer"] in "ABCD"
        assert row["meta_info"]["image_path"] == row["image"]["path"]
        assert decoded(row["image"]["bytes"]).mode == "RGB"


@pytest.mark.parametrize(("path", "pictures"), [(FIGURE_TO_CAPTION, 1), (CAPTION_TO_FIGURE, 5)])
def test_scifibench_rows_are_answerable(path: Path, pictures: int) -> None:
    """Twelve rows have five different options, a letter among them and different pictures that
    decode.
    """
    found = rows(path)
    assert len(found) == 12
    for row in found:
        assert [option[:2] for option in row["Options"]] == ["A)", "B)", "C)", "D)", "E)"]
        assert row["Answer"] in "ABCDE"
        assert len({image["bytes"] for image in row["Images"]}) == len(row["Images"]) == pictures
        assert all(decoded(image["bytes"]).width > 150 for image in row["Images"])


@pytest.mark.parametrize("path", [FIGURE_TO_CAPTION, CAPTION_TO_FIGURE])
def test_scifibench_files_have_the_schema_of_the_real_one(real_data: Path, path: Path) -> None:
    """Columns, types and the features metadata equal those of the released parquet file."""
    theirs = pq.read_schema(real_data / "scifibench/data/CS_Figure2Caption-00000-of-00001.parquet")
    ours = pq.read_schema(path)
    assert ours.equals(theirs)
    assert json.loads(ours.metadata[b"huggingface"]) == json.loads(theirs.metadata[b"huggingface"])


def test_the_parquet_files_load_with_datasets(tmp_path: Path) -> None:
    """load_dataset reads every file and shows the pictures as images."""
    files = {"mmstar": MMSTAR, "fig2cap": FIGURE_TO_CAPTION, "cap2fig": CAPTION_TO_FIGURE}
    for name, path in files.items():
        data = load_dataset(
            "parquet", data_files=str(path), split="train", cache_dir=str(tmp_path / name)
        )
        column = data.features["image"] if name == "mmstar" else data.features["Images"].feature
        assert isinstance(column, Image)
        shown = data[0]["image"] if name == "mmstar" else data[0]["Images"][0]
        assert isinstance(shown, Pillow.Image)
