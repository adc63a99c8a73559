"""MMStar without images and for LLM bases: what each variant shows."""

import functools
import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import yaml
from PIL import Image

from spiqa_tasks.benchmarks.mmstar.definition import SHOTS, first_answer, prompt, template
from spiqa_tasks.benchmarks.mmstar.release import REPORTED, read_options
from spiqa_tasks.benchmarks.prompting import Picture, chat_content, plain_text, visuals
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.utils.documents import doc_to_messages, doc_to_text

VARIANTS = {
    "": "prompt=letter",
    "_text": "prompt=letter,ablation=text",
    "_grey": "prompt=letter,ablation=grey",
    "_llm": "prompt=letter,ablation=text,shots=2",
}


def rows(variant: str) -> list[dict[str, Any]]:
    """The demo questions of a variant."""
    return load_rows("mmstar", "demo", VARIANTS[variant])


def test_text_shows_the_same_words_and_no_picture() -> None:
    """Chat and simple models get the question alone."""
    for plain, without in zip(rows(""), rows("_text"), strict=True):
        parts = prompt(without)
        assert [part for part in prompt(plain) if not isinstance(part, Picture)] == parts
        assert visuals(parts) == []
        assert chat_content(parts) == [{"type": "text", "text": plain_text(parts)}]


def test_grey_shows_128_at_the_original_size() -> None:
    """Every pixel is the one grey, and the picture is as large as the real one."""
    for plain, grey in zip(rows("")[:3], rows("_grey")[:3], strict=True):
        (original,), (shown,) = (visuals(prompt(row)) for row in (plain, grey))
        assert shown.size == original.size
        assert shown.getcolors() == [(shown.width * shown.height, (128, 128, 128))]
        assert isinstance(shown, Image.Image)


def test_llm_bases_get_two_solved_questions_first() -> None:
    """Both shots with their answers, in one order, then the question, which ends in `Answer:`."""
    for row in rows("_llm"):
        (text,) = prompt(row)
        assert isinstance(text, str)
        first, second, last = text.split("\n\n")
        for shot, (question, letter) in zip((first, second), SHOTS, strict=True):
            assert shot.startswith(question)
            assert shot.endswith(f"\nAnswer: {letter}")
        assert last.startswith(row["question"])
        assert last.endswith("directly.\nAnswer:")


@functools.cache
def demo_row(name: str) -> dict[str, Any]:
    """The demo's first question with a prompt."""
    return load_rows("mmstar", "demo", f"prompt={name},ablation=text")[0]


def asked(cells: dict[str, str], name: str) -> str:
    """Return the text of a question's prompt."""
    options = read_options(cells["question"])
    listed = {"letters": list(options), "options": list(options.values())}
    (text,) = prompt({**demo_row(name), **cells, **listed})
    assert isinstance(text, str)
    return text


HINTED = {
    "id": "1",
    "question": (
        "Hint: Give the letter.\nQuestion: What is x?\nChoices:\n(A) {2}\n(B) 3\n(C) nan\n(D) nan"
    ),
    "answer": "B",
}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("bare", HINTED["question"]),
        ("authors", HINTED["question"] + "\nAnswer the question directly."),
        (
            "vlmevalkit_llava",
            (
                "Hint: Give the letter.\nQuestion: What is x?\nA. {2}\nB. 3\n"
                "Answer with the option's letter from the given choices directly."
            ),
        ),
        (
            "lmms_eval",
            HINTED["question"]
            + "\nAnswer with the option's letter from the given choices directly",
        ),
        ("lmms_eval_qwen", f"Question: {HINTED['question']}Answer with the option letter only."),
        (
            "vlmevalkit",
            (
                "Question: Hint: Give the letter.\nQuestion: What is x?\nOptions:\nA. {2}\nB. 3\n"
                "Please select the correct answer from the options above. \n"
            ),
        ),
        (
            "vlmevalkit_qwen",
            (
                "Question: Hint: Give the letter.\nQuestion: What is x?\nOptions:\nA. {2}\nB. 3\n"
                "Answer with the option letter only."
            ),
        ),
    ],
)
def test_a_question_is_asked_as_others_ask_it(name: str, text: str) -> None:
    """VLMEvalKit's table has the options in columns, and none where pandas finds a missing
    value.
    """
    assert asked(HINTED, name) == text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("authors", "图中有几只猫？\nOptions: A: 1, B: 2\n请直接回答问题。"),
        ("vlmevalkit_llava", "图中有几只猫？\nA. 1\nB. 2\n请直接回答选项字母。"),
        ("vlmevalkit", "Question: 图中有几只猫？\nOptions:\nA. 1\nB. 2\nPlease select"),
    ],
)
def test_a_chinese_question_is_closed_in_chinese_where_others_do_so(name: str, text: str) -> None:
    """The authors' code and VLMEvalKit's LLaVA do; models without a prompt of their own do not."""
    cells = {"id": "1", "question": "图中有几只猫？\nOptions: A: 1, B: 2", "answer": "B"}
    assert asked(cells, name).startswith(text)


def test_every_reported_prompt_has_a_wording_of_its_own() -> None:
    """So that the signatures of their numbers differ."""
    first = {
        name: load_rows("mmstar", "demo", f"prompt={name},ablation=text")[0]
        for name in ("letter", *REPORTED)
    }
    assert len({template(row) for row in first.values()}) == len(first)


@pytest.mark.parametrize(
    ("task", "name"), [("mmstar", "lmms_eval"), ("mmstar_qwen", "lmms_eval_qwen")]
)
def test_lmms_eval_asks_the_same(host: None, real_data: Path, task: str, name: str) -> None:  # noqa: ARG001
    """The host's own function, with the values of its own YAML, on real questions."""
    from lmms_eval.tasks.mmstar.utils import mmstar_doc_to_text

    folder = Path(str(files("lmms_eval"))) / "tasks" / "mmstar"
    values: dict[str, Any] = {}
    for file in ("_default_template_yaml", f"{task}.yaml"):
        values |= yaml.load((folder / file).read_text(), yaml.BaseLoader)
    options = values["lmms_eval_specific_kwargs"]["default"]
    for line in (real_data / "mmstar/llava_next_34b_sample.jsonl").read_text().splitlines():
        answered = json.loads(line)
        cells = {
            "id": str(answered["index"]),
            "question": answered["question"],
            "answer": answered["answer"],
        }
        spaced = {**answered, "question": f"{answered['question']} "}  # as in two questions
        assert asked({**cells, "question": spaced["question"]}, name) == mmstar_doc_to_text(
            spaced, options
        )
        assert asked(cells, name) == mmstar_doc_to_text(answered, options)


def test_shots_are_no_questions_of_mmstar(real_data: Path) -> None:
    """Neither shot is among the released questions or ours."""
    lines = (real_data / "mmstar" / "llava_next_34b_sample.jsonl").read_text().splitlines()
    stems = {json.loads(line)["question"].split("\n")[0].lower() for line in lines}
    stems |= {
        row["question"].split("\n")[0].lower()
        for row in load_rows("mmstar", "demo", "ablation=text")
    }
    assert not stems & {question.split("\n")[0].lower() for question, _ in SHOTS}


def test_what_a_model_goes_on_to_write_is_cut_at_the_blank_line_before_it() -> None:
    """A response with nothing before further questions is left whole, and so is one without
    them.
    """
    further = "\n\nWhich?\nOptions: A: 1, B: 2, C: 3, D: 4\nAnswer: D"
    assert first_answer("It is B." + further) == "It is B."
    assert first_answer("B\n\nbecause." + further) == "B\n\nbecause."
    assert first_answer(further) == further
    assert first_answer("B\n\nbecause.") == "B\n\nbecause."


def test_the_authors_shots_are_turns_of_a_chat() -> None:
    """System, two answered questions, the released question and nothing behind it."""
    row = load_rows("mmstar", "demo", "ablation=text,shots=authors")[0]
    messages = doc_to_messages(row)
    texts = [message["content"][0]["text"] for message in messages]
    assert [message["role"] for message in messages] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]
    assert texts[2] == "B"
    assert texts[4] == "D"
    assert "A. oepn the door\nB. drink water\n" in texts[3]
    assert texts[5] == f"Question: {row['question']}\n"
    assert doc_to_text(row) == "\n\n".join(texts)
