"""The CLIP and SigLIP baseline on tiny checkpoints built here, against a computation of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image
from tiny_clip import CONTEXT, build

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.vision.clip_encoder import ClipEncoder


@pytest.fixture(scope="module", params=["clip", "siglip"])
def checkpoint(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(request.param, tmp_path_factory.mktemp(request.param))


def expected(checkpoint: Path, rows: list[dict[str, Any]]) -> list[str]:
    """The letters by the model's own forward pass on each question, which normalises and multiplies for itself."""
    from transformers import AutoImageProcessor, AutoModel, AutoTokenizer

    model = AutoModel.from_pretrained(checkpoint).eval()
    tokenizer, images = AutoTokenizer.from_pretrained(checkpoint), AutoImageProcessor.from_pretrained(checkpoint)
    padding = "max_length" if model.config.model_type == "siglip" else True
    letters = []
    for row in rows:
        texts = [row["question"]] if row["subcategory"] == "cap2fig" else row["options"]
        tokens = tokenizer(texts, padding=padding, truncation=True, max_length=CONTEXT, return_tensors="pt")
        pixels = images(images=[Image.open(path).convert("RGB") for path in row["images"]], return_tensors="pt")
        with torch.no_grad():
            logits = model(**tokens, **pixels).logits_per_image
        letters.append(str(row["letters"][int(logits.flatten().argmax())]))
    return letters


def test_answers_are_those_of_the_models_own_similarities(
    checkpoint: Path, evaluate: Callable[..., dict[str, Any]]
) -> None:
    """Through the host, in both directions and in small batches, every letter is that of the highest logit."""
    result = evaluate("clip_choice", ["scifibench_demo"], f"pretrained={checkpoint},device=cpu", batch_size=5)
    letters = [sample["accuracy"]["prediction"] for sample in result["samples"]["scifibench_demo"]]
    assert letters == expected(checkpoint, load_rows("scifibench", "demo", ""))
    assert len(set(letters)) > 1


def test_similar_examples_can_go_by_image_and_caption(checkpoint: Path) -> None:
    """With a checkpoint the last example is the nearest by the joint embedding of caption and figure."""
    rows = load_rows("scifibench", "demo_fig2cap", f"shots=2,shot_kind=similar,encoder={checkpoint}")
    encoder = ClipEncoder(str(checkpoint), "cpu")
    texts = encoder.texts([row["caption"] for row in rows])
    images = encoder.images([row["images"][0] for row in rows])
    for index, row in enumerate(rows):
        near = [float(texts[index] @ texts[i] + images[index] @ images[i]) for i in range(len(rows))]
        near[index] = -9
        best = rows[max(range(len(rows)), key=near.__getitem__)]
        assert row["shots"][-1]["images"] == best["images"]


def test_task_without_pictures_is_refused(checkpoint: Path, evaluate: Callable[..., dict[str, Any]]) -> None:
    """There is nothing to compare in a text-only task."""
    with pytest.raises(SystemExit, match="shows its figures"):
        evaluate("clip_choice", ["scifibench_demo_text"], f"pretrained={checkpoint},device=cpu", limit=1)
