"""Labelled answers are read from EVOUNA's json and from files of one's own, and nothing is
guessed.
"""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.errors import SpiqaTasksError
from spiqa_tasks.judge.rules import Candidate
from spiqa_tasks.runs.labels import Labelled, read_labels

ROW = {
    "question": "Which?",
    "reference": "m/s",
    "prediction": "metres a second",
    "label": "yes",
    "system": "a",
}


def written(folder: Path, name: str, text: str) -> Path:
    """Write a text; return the file's path."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_evouna_is_read_as_published(real_data: Path) -> None:
    """15,099 verdicts on five systems, without improper questions."""
    found = read_labels(real_data / "evouna" / "NQ.json")
    assert len(found.answers) == 15099
    assert Counter(found.left_out) == {"improper": 2950, "none": 1}
    assert sum(not each.candidate.prediction for each in found.answers) == 4
    assert found.digest == "617c7fd95fe4"


def test_answers_of_several_models_have_labels(tmp_path: Path) -> None:
    """A judge is measured on whatever a person judged; only a score is of one model."""
    lines = [json.dumps(ROW | {"model": model}) for model in ("m", "n")]
    found = read_labels(written(tmp_path, "mine.jsonl", "\n".join(lines)))
    assert len(found.answers) == 2


def test_pass_and_fail_are_labels(tmp_path: Path) -> None:
    """As people write who check answers against a list of what must be said."""
    lines = [json.dumps(ROW | {"label": label}) for label in ("pass", "Fail")]
    found = read_labels(written(tmp_path, "mine.jsonl", "\n".join(lines)))
    assert [each.label for each in found.answers] == [True, False]


@pytest.mark.parametrize("form", ["jsonl", "json", "tsv"])
def test_files_of_ones_own_say_the_same_in_every_form(tmp_path: Path, form: str) -> None:
    """A slash in a reference divides nothing; an answer without a label is left out and counted."""
    rows = [ROW, ROW | {"label": "0", "kind": "units"}, ROW | {"label": ""}]
    texts = {
        "jsonl": "\ufeff" + "\n\n".join(map(json.dumps, rows)) + "\n",
        "json": json.dumps(rows),
        "tsv": "\n".join(
            [
                "\t".join([*ROW, "kind"]),
                *("\t".join(map(str, [*row.values(), ""][:6])) for row in rows),
            ]
        ),
    }
    found = read_labels(written(tmp_path, f"mine.{form}", texts[form]))
    assert [each.label for each in found.answers] == [True, False]
    assert found.answers[0].candidate.reference == "m/s"
    assert len(found.left_out) == 1
    assert (found.name, len(found.digest)) == (f"mine.{form}", 12)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "found an empty file"),
        (
            json.dumps({"question": "?", "answer": "x"}),
            "labels yes and no, or 1 and 0, in .* found none",
        ),
        (json.dumps(ROW) + '\n{"question"', "line 2 of .* to be a JSON object"),
        (json.dumps(ROW | {"label": "maybe"}), "yes and no, or 1 and 0, in .* found maybe"),
        (json.dumps(ROW | {"label": 0.5}), "found 0.5"),
        (json.dumps(ROW | {"reference": []}), "reference in verdict 1"),
        (json.dumps(ROW) + "\n3", "line 2 of .* to be a JSON object"),
        ("[" * 100_000, "line 1 of .* to be a JSON object"),
        (
            json.dumps({"question": "?", "golden_answer": None, "judge_a": True, "answer_a": "x"}),
            "reference in verdict 1",
        ),
        (json.dumps(ROW | {"label": None}), "labels yes and no"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(tmp_path: Path, text: str, message: str) -> None:
    """With the place."""
    with pytest.raises(SpiqaTasksError, match=message):
        read_labels(written(tmp_path, "a.jsonl", text))
    with pytest.raises(SpiqaTasksError, match="no such file"):
        read_labels(tmp_path / "none.jsonl")


@given(st.text(), st.sampled_from([".json", ".jsonl", ".tsv"]))
def test_any_file_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, text: str, suffix: str
) -> None:
    """Never another error."""
    path = tmp_path_factory.getbasetemp() / f"any{suffix}"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(SpiqaTasksError):
        read_labels(path)


def test_references_in_a_list_are_shown_with_slashes(tmp_path: Path) -> None:
    """As EVOUNA writes them."""
    row = ROW | {"reference": ["r", "s"], "prediction": "p", "label": False}
    found = read_labels(written(tmp_path, "a.jsonl", json.dumps(row)))
    assert found.answers == (Labelled(Candidate("p", "Which?", "r/s"), False),)
