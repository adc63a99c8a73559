"""Runs of a model with and without images, and of its LLM base."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from host_files import choice_samples, write_run

SEEING = {"mmstar_filtered": "prompt=letter"}
TEXT = {"mmstar_filtered_text": "prompt=letter,ablation=text"}
LLM = {"mmstar_filtered_llm": "prompt=letter,ablation=text,shots=2"}


def rights(right: int, total: int) -> list[bool]:
    """Return `right` times True, then False."""
    return [position < right for position in range(total)]


def write_triple(folder: Path, v: list[Any], wv: list[Any], t: list[Any] | None) -> None:
    """Write runs with images (`v`), of the model without them (`wv`), of its LLM base (`t`)."""
    seen = {"mmstar_filtered": choice_samples(v)}
    write_run(folder, "m", seen, "pretrained=a,device=cuda", stamp="1", settings=SEEING)
    write_run(
        folder,
        "m",
        {"mmstar_filtered_text": choice_samples(wv)},
        "pretrained=a",
        stamp="2",
        settings=TEXT,
    )
    if t is not None:
        samples = {"mmstar_filtered_llm": choice_samples(t, prompt="shots")}
        write_run(folder, "llm", samples, "pretrained=b", stamp="3", settings=LLM)


def host_samples(
    answers: str, record: Callable[[str], Any], metric: str = "score"
) -> list[dict[str, Any]]:
    """Return samples of a host's own task whose right letter is always A.

    `answers` is a letter per question, `record` returns the value of the metric for a letter.
    """
    return [
        {
            "doc_id": position,
            "target": "A",
            "filtered_resps": letter,
            metric: record(letter),
            "input": f"q{position} <image>",
        }
        for position, letter in enumerate(answers)
    ]
