"""Baselines by similarity."""

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PIL import Image
from tiny_clip import CONTEXT, build

from spiqa_tasks import vision
from spiqa_tasks.benchmarks.record import Response
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.scorer import make_scorer
from spiqa_tasks.benchmarks.spiqa.definition import SPIQA
from spiqa_tasks.errors import MissingPartError

Row = dict[str, Any]


def rows_of(setting: str) -> list[Row]:
    """The demo's questions."""
    return load_rows("spiqa", "demo", f"setting={setting},ablation=text")


def nearest(row: Row, rows: Sequence[Row]) -> int:
    """Return the position of the nearest caption, by TF-IDF written out."""

    def words(text: str) -> list[str]:
        return re.findall(r"\b\w\w+\b", text.lower())

    captions = {figure["caption"] for other in rows for figure in other["figures"]}
    frequency = Counter(word for caption in captions for word in set(words(caption)))

    def vector(text: str) -> dict[str, float]:
        counts = Counter(word for word in words(text) if word in frequency)
        weights = {
            word: (
                (1 + math.log(count)) * (1 + math.log((1 + len(captions)) / (1 + frequency[word])))
            )
            for word, count in counts.items()
        }
        length = math.hypot(*weights.values())
        return {word: weight / length for word, weight in weights.items()}

    question = vector(row["question"])
    cosines = [
        sum(question.get(word, 0) * weight for word, weight in vector(figure["caption"]).items())
        for figure in row["figures"]
    ]
    return max(range(len(cosines)), key=lambda place: round(cosines[place], 12))


def test_the_answer_is_the_nearest_caption() -> None:
    """By the cosine of TF-IDF over all captions of the task, computed here by hand; the first of
    equal ones.
    """
    from spiqa_tasks.models.similarity import CaptionRetrieval, spiqa_answer

    rows = rows_of("direct")
    model = CaptionRetrieval()
    answers = [model.answer(row, rows, "t/test") for row in rows]
    expected = [spiqa_answer(row, 0, row["figures"][nearest(row, rows)]["caption"]) for row in rows]
    assert answers == expected
    assert len(set(answers)) > 10


@pytest.mark.parametrize("setting", ["direct", "cot", "fullpaper"])
def test_answers_can_be_read(setting: str) -> None:
    """In each setting the caption is what is scored, quotation marks and all; with reasons, the
    figure is too.
    """
    from spiqa_tasks.models.similarity import spiqa_answer

    row = rows_of(setting)[0]
    scorer = make_scorer(SPIQA, row["settings"], "", None)
    caption = 'It\'s a "quoted" caption'
    record = scorer.record(row, Response(spiqa_answer(row, 1, caption)))
    assert (record.prediction, record.status) == (caption, "ok")
    if setting == "cot":
        assert "retrieval_accuracy" in record.scores


@pytest.mark.parametrize(
    ("candidates", "query", "place"),
    [
        (["a red line", "a blue line"], "BLUE", 1),
        (["rates 0.003 and 0.1", "rates 0.003 and 0.3"], "0.1\n0.003", 0),
        (["rates 0.003 and 0.1", "rates 0.003 and 0.3"], "0.3\n0.003", 1),
        (["one", "two"], "three", 0),
        (["", ""], "x", 0),
    ],
)
def test_the_nearest_shares_most_words_and_numbers(
    candidates: list[str], query: str, place: int
) -> None:
    """Common words count little, decimal numbers as a whole; the first where nothing is shared."""
    from spiqa_tasks.models.similarity import nearest

    assert nearest(candidates, query) == place


def test_reading_the_pictures_gains_on_choices(evaluate: Callable[..., dict[str, Any]]) -> None:
    """The captions of the demo's figures are told apart by the text in them, and not without the
    pictures.
    """
    results = evaluate("ocr_baseline", ["scifibench_demo_fig2cap", "scifibench_demo_text"])[
        "results"
    ]
    seen, blind = (
        results[name]["accuracy,none"]
        for name in ("scifibench_demo_fig2cap", "scifibench_demo_text")
    )
    assert seen >= blind + 0.3


def test_answers_have_the_form_that_each_task_asks_for(
    evaluate: Callable[..., dict[str, Any]],
) -> None:
    """A letter, or SPIQA's dictionary; every answer can be read."""
    samples = evaluate("ocr_baseline", ["spiqa_demo", "spiqa_demo_cot", "mmstar_demo"], limit=3)[
        "samples"
    ]
    for task, logged in samples.items():
        records = [
            next(v for v in sample.values() if isinstance(v, dict) and "status" in v)
            for sample in logged
        ]
        assert all(record["prediction"] for record in records), task
        assert {record["status"] for record in records} == {"ok"}, task


@pytest.fixture(scope="module", params=["clip", "siglip"])
def checkpoint(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(request.param, tmp_path_factory.mktemp(request.param))


def expected(checkpoint: Path, rows: list[dict[str, Any]]) -> list[str]:
    """Return the letters by the model's own forward pass, which scales and multiplies the
    embeddings.
    """
    import torch
    from transformers import AutoImageProcessor, AutoModel, AutoTokenizer

    model = AutoModel.from_pretrained(checkpoint).eval()
    tokenizer, images = (
        AutoTokenizer.from_pretrained(checkpoint),
        AutoImageProcessor.from_pretrained(checkpoint),
    )
    padding = "max_length" if model.config.model_type == "siglip" else True
    letters = []
    for row in rows:
        texts = [row["question"]] if row["subcategory"] == "cap2fig" else row["options"]
        tokens = tokenizer(
            texts, padding=padding, truncation=True, max_length=CONTEXT, return_tensors="pt"
        )
        pixels = images(
            images=[Image.open(path).convert("RGB") for path in row["images"]], return_tensors="pt"
        )
        with torch.no_grad():
            logits = model(**tokens, **pixels).logits_per_image
        letters.append(str(row["letters"][int(logits.flatten().argmax())]))
    return letters


def test_answers_are_those_of_the_models_own_similarities(
    checkpoint: Path, evaluate: Callable[..., dict[str, Any]]
) -> None:
    """Through the host, in both directions and in small batches, every letter is that of the
    highest logit.
    """
    result = evaluate(
        "clip_choice", ["scifibench_demo"], f"pretrained={checkpoint},device=cpu", batch_size=5
    )
    letters = [sample["accuracy"]["prediction"] for sample in result["samples"]["scifibench_demo"]]
    assert letters == expected(checkpoint, load_rows("scifibench", "demo", ""))
    assert len(set(letters)) > 1


def test_task_without_pictures_is_refused(
    checkpoint: Path, evaluate: Callable[..., dict[str, Any]]
) -> None:
    """There is nothing to compare in a text-only task."""
    with pytest.raises(SystemExit, match="shows its figures"):
        evaluate(
            "clip_choice", ["scifibench_demo_text"], f"pretrained={checkpoint},device=cpu", limit=1
        )


def test_reading_the_pictures_of_a_task_of_the_host_is_refused() -> None:
    """One sentence, and no traceback of a document without a benchmark."""
    from spiqa_tasks.models.similarity import OcrBaseline

    model = OcrBaseline()
    model.task_dict = {"charts": {"test": [{"query": "Which colour?"}]}}
    request = SimpleNamespace(args=("", {}, None, 0, "charts", "test"))
    with pytest.raises(SystemExit, match="ocr_baseline answers tasks of this package only"):
        model.generate_until([request])  # type: ignore[list-item]


def test_ocr_that_is_not_installed_is_said_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """README's first installation has no engine; the host would print a traceback."""
    from spiqa_tasks.models.similarity import OcrBaseline

    def missing(_extra: str, what: str) -> None:
        raise MissingPartError(f"{what} needs rapidocr")

    monkeypatch.setattr(vision, "require", missing)
    with pytest.raises(
        SystemExit, match=r"spiqa-tasks: Text read out of figures .* needs rapidocr"
    ):
        OcrBaseline().generate_until([])
