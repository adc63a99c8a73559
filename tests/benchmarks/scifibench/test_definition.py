"""Records and metrics of SciFIBench."""

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openai_server import OpenAIServer
from release_rows import rows_in

from spiqa_tasks.benchmarks.prompting import Picture
from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.scifibench.definition import CAPTION, CLOSINGS, prompt, template
from spiqa_tasks.benchmarks.scorer import Scorer
from spiqa_tasks.benchmarks.signature import parse
from spiqa_tasks.files.source import LocalSource
from spiqa_tasks.judge.judge import Judge

OPEN = "Between {} and any of A, B, C, D and E I am torn."
REFUSAL = "Sorry, I cannot see any image."


def reader(body: dict[str, Any]) -> str:
    """A judge that returns the letter behind `Between` in the answer, or None, as appendix G.2
    asks.
    """
    content = body["messages"][-1]["content"]
    assert content.startswith("Here is the output from a generative model:\n")
    assert content.endswith(
        "Return only the letter of the answer. If no answer is found, return None."
    )
    match = re.search(r"Between ([A-E]) ", content)
    return match[1] if match else "None"


@pytest.fixture
def scorer(scorer_of: Callable[..., Scorer], letters_judge: Judge, server: OpenAIServer) -> Scorer:
    server.behaviour.text = reader
    return scorer_of("scifibench", "extractor=judge", letters_judge)


@pytest.fixture(scope="module")
def row() -> dict[str, Any]:
    return load_rows("scifibench", "demo_cap2fig", "ablation=text,extractor=judge")[0]


def judged(scorer: Scorer, row: dict[str, Any], *texts: str) -> list[Record]:
    return scorer.score([scorer.record(row, Response(text)) for text in texts])


def test_judge_is_asked_only_where_the_matcher_finds_nothing(
    scorer: Scorer, row: dict[str, Any], server: OpenAIServer
) -> None:
    """A matched letter and a refusal cost no request; an open answer does, and both metrics stay
    apart.
    """
    records = judged(scorer, row, row["answer"], REFUSAL, OPEN.format(row["answer"]))
    assert len(server.requests) == 1
    assert [record.scores["accuracy_llm"] for record in records] == [1, 0, 1]
    assert [record.scores["accuracy"] for record in records] == [1, 0, 0]
    extractor, _ = scorer.benchmark.rows_of_table(scorer.settings)["extractor_rate"]
    assert [extractor.compute([record]).value for record in records] == [0, 0, 1]
    assert [entry["text"] for entry in records[2].verdicts] == [row["answer"]]
    assert parse(records[2].signature).judge == "openai:judge"
    assert parse(records[2].signature).judge_prompt.startswith("letters:")


def test_judge_that_finds_no_letter_leaves_the_answer_unparsed(
    scorer: Scorer, row: dict[str, Any]
) -> None:
    """None is a miss without a letter, never a guess."""
    (record,) = judged(scorer, row, "It depends.")
    assert (record.prediction, record.scores["accuracy_llm"], record.status) == (
        None,
        0.0,
        "unparsed",
    )
    assert not record.judge_failed


def test_judge_that_fails_withholds_the_number(
    scorer: Scorer, row: dict[str, Any], server: OpenAIServer
) -> None:
    """A failed judgement has no score; the mean of the judged metric is withheld, the matcher's
    is not.
    """
    server.behaviour.sticky = "400"
    (record,) = judged(scorer, row, "It depends.")
    read_back = Record.from_dict(json.loads(json.dumps(record.as_dict())))
    assert read_back.judge_failed
    assert "400" in (read_back.reason or "")
    assert math.isnan(scorer.value("accuracy_llm", [read_back]).value)
    assert scorer.value("accuracy", [read_back]).value == 0
    assert scorer.value("extractor_rate", [read_back]).value == 1


def test_without_the_setting_no_judge_is_named(scorer_of: Callable[..., Scorer]) -> None:
    """An open answer is unparsed, and neither of the judged metrics is there."""
    plain = scorer_of("scifibench")
    row = load_rows("scifibench", "demo_cap2fig", "ablation=text")[0]
    assert plain.record(row, Response("It depends.")).requests == ()
    assert plain.benchmark.judge(plain.settings) is None
    rates = {"refusal_rate", "unparsed_rate", "request_failed_rate", "truncated_rate"}
    assert {metric.name for metric in plain.metrics} == {"accuracy", *rates}
    assert {metric.needs for metric in plain.metrics} == {"nothing"}


def test_caption_is_kept_with_the_true_one(scorer_of: Callable[..., Scorer]) -> None:
    """Line breaks are joined; an empty answer and a failed request have no caption; no matcher
    read anything.
    """
    row = load_rows("scifibench", "demo_fig2cap", "prompt=caption")[0]
    scorer = scorer_of("scifibench", "prompt=caption")
    record, empty, failed = (
        scorer.record({**row, "id": str(number)}, response)
        for number, response in enumerate(
            (Response(" loss \n curves "), Response("  "), Response("", "boom"))
        )
    )
    assert (record.prediction, record.scores, record.status) == (
        "loss curves",
        {"captioned_rate": 1.0},
        "ok",
    )
    assert record.reference == row["options"][row["letters"].index(row["answer"])]
    assert parse(record.signature).matcher == ""
    assert (empty.prediction, empty.status) == (None, "unparsed")
    assert (failed.prediction, failed.status, failed.reason) == (None, "request_failed", "boom")
    assert scorer.record(row, Response("cut", "boom")).prediction is None
    assert record.groups == {"category": row["category"]}
    assert parse(record.signature).data.startswith("scifibench/demo_fig2cap@")
    assert "matcher" not in record.signature
    assert [metric.name for metric in scorer.metrics] == ["captioned_rate", "request_failed_rate"]
    assert scorer.value("request_failed_rate", [record, empty, failed]).value == pytest.approx(
        1 / 3
    )


def shown(row: dict[str, Any]) -> str:
    """Return a prompt as one text, every picture as `<file name>`."""
    return "".join(
        f"<{p.path.rsplit('/', 1)[-1]}>" if isinstance(p, Picture) else p for p in prompt(row)
    )


@pytest.mark.parametrize("mark", ["correct", "incorrect"])
def test_exactly_one_caption_is_marked(mark: str) -> None:
    """The marked caption's line ends in <Correct>; nothing else differs from the control."""
    for control, row in zip(
        load_rows("scifibench", "demo_fig2cap", ""),
        load_rows("scifibench", "demo_fig2cap", f"mark={mark}"),
        strict=True,
    ):
        line = next(
            line for line in shown(row).splitlines() if line.startswith(f"{row['marked']}) ")
        )
        assert line.endswith(" <Correct>")
        assert shown(row).count("<Correct>") == 1
        assert shown(row).replace(" <Correct>", "") == shown(control)
        assert row["options"] == control["options"]


def test_instruction_to_ignore_the_mark_precedes_the_question() -> None:
    """The `_ignore` forms differ by one line between the captions and the question."""
    marked = load_rows("scifibench", "demo_fig2cap", "mark=correct")[0]
    ignored = load_rows("scifibench", "demo_fig2cap", "mark=correct,ignore=yes")[0]
    assert shown(ignored) == shown(marked).replace(
        "Which of", "Ignore the annotation <Correct>.\nWhich of"
    )
    assert template(ignored) != template(marked)


def test_captioning_shows_the_figure_and_no_captions() -> None:
    """Appendix G.3: the figure, then the request; no option is given away."""
    row = load_rows("scifibench", "demo_fig2cap", "prompt=caption")[0]
    assert (
        shown(row)
        == "<0-0.png>\nProvide a one sentence caption that describes the figure. Do not include"
        ' prefixes such as "The figure shows" or "The plot shows". Include just the caption.'
        " Caption:"
    )


def test_prompt_has_the_text_in_the_place_of_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """With ocr=yes a model gets no picture but what was read in it, for each figure of a
    question.
    """
    monkeypatch.setattr(
        "spiqa_tasks.vision.figure_texts",
        lambda figures: {digest: Path(path).name for digest, path in figures},
    )
    to_caption = load_rows("scifibench", "demo_fig2cap", "ocr=yes")[0]
    (text,) = prompt(to_caption)[:1]
    assert text == "Text found in the image:\n0-0.png"
    to_figure = load_rows("scifibench", "demo_cap2fig", "ocr=yes")[0]
    assert all(isinstance(part, str) for part in prompt(to_figure))
    start = "A) Text found in the image:\n12-0.png\nB) Text found in the image:\n12-1.png\nC) "
    assert "".join(str(part) for part in prompt(to_figure)).startswith(start)
    assert to_figure["images"] == []


SHOWN: dict[str, Any] = {
    "letters": ["A", "B"],
    "options": ["one", "two"],
    "images": ["a.png"],
    "texts": [],
    "question": "q",
    "asked": "Which?",
    "answer": "B",
}
FIGURES = {
    **SHOWN,
    "options": ["", ""],
    "images": ["a.png", "b.png"],
    "question": "a caption",
    "asked": "Which image?",
}


def row_of(name: str, shown: dict[str, Any] = SHOWN, **fields: Any) -> dict[str, Any]:
    """A row with a prompt of that name."""
    direction = "cap2fig" if shown["options"] == ["", ""] else "fig2cap"
    own = {
        "prompt": name,
        "subcategory": direction,
        "marked": "",
        "ignore": "no",
        "shots": [],
        "settings": "ocr=no",
    }
    return {**shown, **own, **fields}


A, B = Picture("a.png"), Picture("b.png")


def test_the_whole_prompt_of_a_direction() -> None:
    """In parts, without pictures too."""
    closing = CLOSINGS["letter"]["fig2cap"]
    assert prompt(row_of("letter")) == [A, "\n", f"A) one\nB) two\n{closing}"]
    assert prompt(row_of("letter", {**SHOWN, "images": []})) == ["", f"A) one\nB) two\n{closing}"]
    marked = prompt(row_of("letter", marked="B", ignore="yes"))
    assert marked[2] == f"A) one\nB) two <Correct>\nIgnore the annotation <Correct>.\n{closing}"
    assert prompt(row_of("letter", ignore="yes"))[2] == f"A) one\nB) two\n{closing}"
    to_figure = f"a caption\n{CLOSINGS['letter']['cap2fig']}"
    assert prompt(row_of("letter", FIGURES)) == ["A) ", A, "\n", "B) ", B, "\n", to_figure]
    assert prompt(row_of("letter", {**FIGURES, "images": []})) == [
        "A) ",
        "\n",
        "B) ",
        "\n",
        to_figure,
    ]
    read = prompt(row_of("letter", {**FIGURES, "images": [], "texts": ["x", ""]}))
    assert read[1::3] == ["Text found in the image:\nx", "Text found in the image:\n(none)"]
    assert prompt(row_of("caption")) == [A, "\n", CAPTION]
    assert prompt(row_of("caption", {**SHOWN, "images": []})) == ["", CAPTION]


def test_examples_are_closed_by_their_letter() -> None:
    """Each as the question is asked, without its mark."""
    example = {**SHOWN, "images": ["b.png"], "answer": "A"}
    closing = CLOSINGS["letter"]["fig2cap"]
    assert prompt(row_of("letter", shots=[example], marked="A")) == [
        *(B, "\n", f"A) one\nB) two\n{closing}", " A\n\n"),
        *(A, "\n", f"A) one <Correct>\nB) two\n{closing}"),
    ]


def test_the_wording_has_what_stands_in_the_prompt() -> None:
    """The closing, the mark, the instruction to ignore it, and the heading of texts that were
    read.
    """
    closing = CLOSINGS["letter"]["fig2cap"]
    assert template(row_of("letter")) == closing
    assert template(row_of("letter", marked="A")) == f"{closing} <Correct>"
    ignored = template(row_of("letter", marked="A", ignore="yes"))
    assert ignored == f"{closing} <Correct>Ignore the annotation <Correct>.\n"
    assert (
        template(row_of("letter", settings="seed=1,ocr=yes"))
        == f"{closing}Text found in the image:\n(none)"
    )


def test_scifibench_is_asked_as_the_readme_asks(real_data: Path) -> None:
    """The options as Python prints their list, then the question and the closing with the source
    line's indent.
    """
    row = rows_in("scifibench", "cs_fig2cap", "prompt=released", LocalSource(real_data))[0]
    options = [
        f"{letter})  {text}\n" for letter, text in zip(row["letters"], row["options"], strict=True)
    ]
    question = "Which caption best matches the image?"
    picture, text = prompt(row)
    assert isinstance(picture, Picture)
    assert (
        text
        == f"{options} {question} Let's think step by step.             Only provide the letter of"
        " the correct caption as your answer. Answer: \n"
    )


def test_figures_are_asked_as_the_readme_asks() -> None:
    """Every letter before its picture, then the release's question, which holds the caption."""
    row = load_rows("scifibench", "demo_cap2fig", "prompt=released")[0]
    *options, text = prompt(row)
    assert options[::2] == ["A) ", "B) ", "C) ", "D) ", "E) "]
    assert all(isinstance(part, Picture) for part in options[1::2])
    assert (
        text
        == f"{row['asked']} Let's think step by step.                 Only provide the letter of"
        " the correct image as your answer. Answer: \n"
    )
