"""The CLIP and SigLIP baseline on tiny checkpoints built here, against a computation of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.embeddings import ClipEncoder

CONTEXT = 128
VISION = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
TEXT = {**VISION, "max_position_embeddings": CONTEXT, "vocab_size": 400}


def build(kind: str, folder: Path) -> Path:
    """A checkpoint with random weights, tokenizer and image processor included."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
    from transformers import (
        CLIPConfig,
        CLIPImageProcessor,
        CLIPModel,
        CLIPProcessor,
        PreTrainedTokenizerFast,
        SiglipConfig,
        SiglipImageProcessor,
        SiglipModel,
    )

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()
    special = ["<s>", "</s>", "<pad>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(
        ["loss accuracy of the model"], trainers.BpeTrainer(special_tokens=special, initial_alphabet=alphabet)
    )
    tokenizer.post_processor = processors.TemplateProcessing("<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)])
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", pad_token="<pad>", model_max_length=CONTEXT
    )
    torch.manual_seed(0)
    if kind == "clip":
        text = {**TEXT, "bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 2}
        vision = {**VISION, "image_size": 32, "patch_size": 8}
        model: Any = CLIPModel(CLIPConfig(text_config=text, vision_config=vision, projection_dim=8))
        size = {"size": {"shortest_edge": 32}, "crop_size": {"height": 32, "width": 32}}
        processor: Any = CLIPProcessor(CLIPImageProcessor(**size), fast)
    else:
        vision = {**VISION, "image_size": 32, "patch_size": 8}
        model = SiglipModel(SiglipConfig(text_config=TEXT, vision_config=vision))
        processor = CLIPProcessor(SiglipImageProcessor(size={"height": 32, "width": 32}), fast)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    model.save_pretrained(folder)
    processor.image_processor.save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder


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


def test_embeddings_do_not_depend_on_the_batch_and_long_texts_are_cut(checkpoint: Path) -> None:
    """One at a time or all together gives the same unit vectors; words beyond the context change nothing."""
    texts = ["loss", "accuracy of the model " * 50, "accuracy of the model " * 50 + "and more"]
    together = ClipEncoder(str(checkpoint), "cpu").texts(texts)
    alone = ClipEncoder(str(checkpoint), "cpu", batch_size=1).texts(texts)
    assert together == pytest.approx(alone, abs=1e-6)
    assert (together**2).sum(axis=1) == pytest.approx([1, 1, 1])
    assert together[1] == pytest.approx(together[2])


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


def test_what_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    """A folder without a model is one sentence."""
    with pytest.raises(InputError, match="CLIP or SigLIP"):
        ClipEncoder(str(tmp_path))


def test_task_without_pictures_is_refused(checkpoint: Path, evaluate: Callable[..., dict[str, Any]]) -> None:
    """There is nothing to compare in a text-only task."""
    with pytest.raises(InputError, match="shows its figures"):
        evaluate("clip_choice", ["scifibench_demo_text"], f"pretrained={checkpoint},device=cpu", limit=1)
