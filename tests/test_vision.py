"""Text that the real engine reads out of figures; embeddings of tiny checkpoints against the
models' own.
"""

import hashlib
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from spiqa_tasks import extras, vision
from spiqa_tasks.errors import DataError, InputError, MissingPartError
from spiqa_tasks.vision import ClipEncoder, figure_texts


def figure(path: Path, text: str) -> tuple[str, str]:
    """Return a small picture with a text in large letters."""
    image = Image.new("RGB", (260, 60), "white")
    ImageDraw.Draw(image).text((10, 10), text, fill="black", font=ImageFont.load_default(32))
    image.save(path)
    return hashlib.sha256(path.read_bytes()).hexdigest(), str(path)


def test_engine_reads_a_figure_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text is that of the picture; the second time no engine is made."""
    pytest.importorskip("rapidocr")
    pytest.importorskip("onnxruntime")
    known = figure(tmp_path / "a.png", "accuracy 97")
    texts = figure_texts([known, known])
    assert texts[known[0]].lower().split() == ["accuracy", "97"]
    monkeypatch.setattr(vision, "_engine", lambda: pytest.fail("the engine was made again"))
    assert figure_texts([known]) == {known[0]: texts[known[0]]}
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    with pytest.raises(MissingPartError, match=r"pip install '\.\[ocr\]'"):
        figure_texts([known])


@pytest.fixture(scope="module", params=["clip", "siglip"])
def checkpoint(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tiny checkpoint, of CLIP or SigLIP."""
    pytest.importorskip("torch", reason="the extra hf is not installed")
    from tiny_clip import build

    return build(request.param, tmp_path_factory.mktemp(request.param))


def test_embeddings_do_not_depend_on_the_batch_and_long_texts_are_cut(checkpoint: Path) -> None:
    """One at a time or all together gives the same unit vectors; words beyond the context change
    nothing.
    """
    texts = ["loss", "accuracy of the model " * 50, "accuracy of the model " * 50 + "and more"]
    together = ClipEncoder(str(checkpoint), "cpu").texts(texts)
    alone = ClipEncoder(str(checkpoint), "cpu", batch_size=1).texts(texts)
    assert together == pytest.approx(alone, abs=1e-6)
    assert (together**2).sum(axis=1) == pytest.approx([1, 1, 1])
    assert together[1] == pytest.approx(together[2])


def test_pictures_are_embedded_in_their_order(checkpoint: Path, tmp_path: Path) -> None:
    """As the model itself embeds them, at unit length, whatever their sizes and in any batches."""
    import torch
    from transformers import AutoImageProcessor, AutoModel

    generator = np.random.default_rng(0)
    paths = [tmp_path / f"{place}.png" for place in range(3)]
    for place, path in enumerate(paths):
        pixels = generator.integers(256, size=(40 + place, 50 - place, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(path)
    found = ClipEncoder(str(checkpoint), "cpu", batch_size=2).images([str(path) for path in paths])
    model, processor = (
        AutoModel.from_pretrained(checkpoint).eval(),
        AutoImageProcessor.from_pretrained(checkpoint),
    )
    for row, path in zip(found, paths, strict=True):
        with torch.no_grad():
            output = model.get_image_features(
                **processor(images=[Image.open(path)], return_tensors="pt")
            )
        features = output if isinstance(output, torch.Tensor) else output.pooler_output
        expected = features.double().numpy()[0]
        assert row == pytest.approx(expected / np.linalg.norm(expected), abs=1e-6)
    assert len({tuple(row.round(3)) for row in found}) == 3
    (tmp_path / "broken.png").write_bytes(b"no picture")
    with pytest.raises(DataError, match=r"broken\.png"):
        ClipEncoder(str(checkpoint), "cpu").images([str(tmp_path / "broken.png")])


def test_what_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    """A folder without a model, and a model that embeds no pictures, are one sentence."""
    pytest.importorskip("torch", reason="the extra hf is not installed")
    from transformers import BertConfig, BertModel

    with pytest.raises(InputError, match="to be a CLIP or SigLIP checkpoint") as error:
        ClipEncoder(str(tmp_path))
    assert "\n" not in str(error.value)
    size = {
        "hidden_size": 8,
        "intermediate_size": 8,
        "num_hidden_layers": 1,
        "num_attention_heads": 1,
    }
    BertModel(BertConfig(vocab_size=5, **size)).save_pretrained(tmp_path)
    (tmp_path / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n")
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "BertTokenizer"}')
    with pytest.raises(InputError, match="BertConfig"):
        ClipEncoder(str(tmp_path), "cpu")


def test_without_torch_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is loaded."""
    monkeypatch.setattr(extras, "_missing", lambda _: ["torch"])
    with pytest.raises(MissingPartError, match=r"checkpoint needs torch.*'\.\[hf\]'"):
        ClipEncoder("nowhere")
