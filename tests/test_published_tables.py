"""Tables and answers in the forms of published benchmarks, from `new` to the official score; a few rows of each."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from own_data import write_pictures

from spiqa_tasks.benchmarks.own.cells import answers_of, options_of, references_of
from spiqa_tasks.cli import main

GSM8K = [
    {
        "question": "How much does she make every day?",
        "answer": "She makes 9 * 2 = $<<9*2=18>>18 every day.\n#### 18",
    },
    {
        "question": "How many meters a week?",
        "answer": "So he runs 9*60=<<9*60=540>>540 meters\n#### 540",
    },
]
IGAKU = [
    {
        "problem_id": f"112A{number}",
        "problem_text": "どれか。",
        "choices": choices.split(),
        "answer": [*right],
    }
    for number, choices, right in [
        (12, "大動脈弁閉鎖不全症 左室自由壁破裂 解離性大動脈瘤 心室中隔穿孔 乳頭筋断裂", "de"),
        (63, "抗酒薬 ジアゼパム ビタミンB群 イミプラミン レボドパ", "bc"),
    ]
]
MMMU = [
    {
        "id": "validation_1",
        "question_type": "open",
        "question": "How many?",
        "answer": "50",
        "response": "image 2>",
    },
    {
        **{
            "id": "validation_2",
            "question_type": "multiple-choice",
            "question": "Is it?",
            "answer": "A",
        },
        **{
            "all_choices": ["A", "B"],
            "index2ans": {"A": "yes, saturation", "B": "no, not"},
            "response": "(A)",
        },
    },
]
PUBMEDQA = {
    "21645374": {
        "QUESTION": "Do mitochondria?",
        "LABELS": ["RESULTS"],
        "final_decision": "yes",
        "LONG_ANSWER": "They do.",
    },
    "9488747": {
        "QUESTION": "Syncope?",
        "LABELS": ["RESULTS"],
        "final_decision": "maybe",
        "LONG_ANSWER": "It could.",
    },
}
SQUAD = {
    "version": "1.1",
    "data": [
        {
            "title": "Super_Bowl_50",
            "paragraphs": [
                {
                    "context": "Super Bowl 50 was an American football game.",
                    "qas": [
                        {
                            "id": "56be",
                            "question": "Which team won?",
                            "answers": [{"answer_start": 7, "text": "Broncos"}],
                        },
                        {
                            "id": "56bf",
                            "question": "Which lost?",
                            "answers": [{"answer_start": 9, "text": "Panthers"}],
                        },
                    ],
                }
            ],
        }
    ],
}
HALLUSION = [
    {"question_id": str(place), "question": f"Is the right circle {size}?", "gt_answer": right}
    for place, (size, right) in enumerate(
        [("the same size", "1"), ("larger", "0"), ("smaller", "0")]
    )
]
SAID = [
    "Yes, the right orange circle appears to be the same size.",
    "No, the right and left orange circles appear to be the same size.",
    "Yes, the orange circle on the right is smaller than the orange circle on the left.",
]
GPQA = [
    {"Question": "Which energy?", "Correct Answer": "10^-4 eV", "Record ID": "rec06"}
    | {f"Incorrect Answer {place}": f"10^-{place + 8} eV" for place in (1, 2, 3)}
]
BIG_BENCH = {
    "name": "strategyqa",
    "keywords": ["zero-shot"],
    "examples": [
        {
            "input": "Would a pear sink in water?",
            "target": "No.",
            "target_scores": {"Yes": 0, "No": 1},
        }
    ],
}
BOOLQ = [
    {
        "question": "do iran and afghanistan speak the same language",
        "answer": True,
        "passage": "Persian ...",
    },
    {
        "question": "is windows movie maker part of windows essentials",
        "answer": False,
        "passage": "Windows ...",
    },
]
ARC = [
    {
        **{"id": "Mercury_7175875", "answerKey": "2"},
        "question": {
            "stem": "What does a planet do that rotates faster?",
            "choices": [
                {"text": "Years become longer.", "label": "1"},
                {"text": "Days are shorter.", "label": "2"},
            ],
        },
    }
]
MATHQA = [
    {
        "Problem": "average age ?",
        "options": "a ) 38 , b ) 27.675 , c ) data inadequate",
        "correct": "c",
    }
]
MEDMCQA = [
    {
        "id": name,
        "question": "Which is true?",
        "cop": right,
        "opa": "Slow",
        "opb": "Fast",
        "opc": "Blind",
        "opd": "Late",
    }
    for name, right in (("45258d3d", 1), ("45258d3e", 4))
]
MARKED = ("--column", "answer=target_scores", "--column", "options=target_scores")


@pytest.mark.parametrize(
    ("table", "answers", "more", "metric", "official"),
    [
        (
            GSM8K,
            [{"id": 0, "prediction": "2 * 9 = $18\nA: 18"}, {"id": 1, "prediction": "A: 60"}],
            (),
            "exact_match",
            0.5,
        ),
        (
            GSM8K,
            [{"id": n, **row, "prediction": "#### 18"} for n, row in enumerate(GSM8K)],
            (),
            "exact_match",
            0.5,
        ),
        (
            *(
                IGAKU,
                [
                    {"problem_id": "112A12", "prediction": "b,e"},
                    {"problem_id": "112A63", "prediction": "b, c"},
                ],
            ),
            *((), "accuracy_all_letters", 0.5),
        ),
        (MMMU, MMMU, (), "accuracy", 0.5),
        (PUBMEDQA, {"21645374": "yes", "9488747": "yes"}, (), "exact_match", 0.5),
        (SQUAD, {"56be": "Broncos", "56bf": "Broncos"}, (), "exact_match", 0.5),
        (
            *(
                HALLUSION,
                [
                    {**row, "model_prediction": text}
                    for row, text in zip(HALLUSION, SAID, strict=True)
                ],
            ),
            *((), "exact_match", 2 / 3),
        ),
        (GPQA, [{"Record ID": "rec06", "model_output": "It is 10^-4 eV."}], (), "accuracy", 1.0),
        (
            BOOLQ,
            [{"id": 0, "prediction": "Yes, they do."}, {"id": 1, "prediction": "yes"}],
            (),
            "exact_match",
            0.5,
        ),
        (ARC, {"Mercury_7175875": "Days are shorter."}, (), "accuracy", 1.0),
        (
            MATHQA,
            [{"id": 0, "generated_text": "The answer is c ) data inadequate"}],
            (),
            "accuracy",
            1.0,
        ),
        (MEDMCQA, {"45258d3d": "A", "45258d3e": "C"}, (), "accuracy", 0.5),
        (
            BIG_BENCH,
            [{"id": 0, "prediction": "No, a pear would not sink."}],
            MARKED,
            "accuracy",
            1.0,
        ),
    ],
    ids=[
        *("gsm8k", "gsm8k_dump", "igakuqa", "mmmu", "pubmedqa", "squad", "hallusionbench", "gpqa"),
        *("boolq", "arc", "mathqa", "medmcqa", "bigbench"),
    ],
)
def test_a_published_table_scores_published_answers_as_its_own_script(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    table: Any,
    answers: Any,
    more: tuple[str, ...],
    metric: str,
    official: float,
) -> None:
    """As they are, without a column renamed."""
    monkeypatch.setenv("SPIQA_JUDGE", "none")
    (tmp_path / "table.json").write_text(json.dumps(table))
    (tmp_path / "answers.json").write_text(json.dumps(answers))
    assert (
        main(["new", "published", str(tmp_path / "table.json"), "--folder", str(tmp_path), *more])
        == 0
    )
    capsys.readouterr()
    path = str(tmp_path / "published.yaml")
    assert main(["score", path, str(tmp_path / "answers.json"), "--metrics", metric, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["metrics"][metric] == pytest.approx(official)


@pytest.mark.parametrize(
    ("cell", "references"),
    [
        (
            {"text": ["Denver Broncos", "Denver Broncos"], "answer_start": [177, 177]},
            ["Denver Broncos"],
        ),
        ("We have $x = 3y$, so the answer is $\\boxed{\\frac{1}{3}}$.", ["\\frac{1}{3}"]),
        (
            "#### Steps\nFirst a step, then another one.",
            ["#### Steps\nFirst a step, then another one."],
        ),
    ],
)
def test_an_answer_is_a_field_of_an_object_or_the_end_of_a_solution(
    cell: Any, references: list[str]
) -> None:
    """SQuAD's objects, MATH's solutions; a heading is no end."""
    assert references_of({"answer": cell}, ["answer"]) == references


def test_correct_answers_are_separated_by_semicolons() -> None:
    """TruthfulQA's column; other texts may have one."""
    row = {"Correct Answers": "Nothing happens; You eat watermelon seeds", "answer": "x = 1; y = 2"}
    assert references_of(row, ["Correct Answers"]) == [
        "Nothing happens",
        "You eat watermelon seeds",
    ]
    assert references_of(row, ["answer"]) == ["x = 1; y = 2"]


@pytest.mark.parametrize(
    "marks",
    [
        {"Nauru": 1, "Vatican City": 0, "Monaco": 0},
        {"choices": ["Nauru", "Vatican City", "Monaco"], "labels": [1, 0, 0]},
    ],
)
def test_options_with_marks_say_which_is_right(marks: dict[str, Any]) -> None:
    """TruthfulQA's two forms; of several right ones only `letters` asks."""
    options = options_of({"mc1_targets": marks}, ["mc1_targets"])
    assert options == {"A": "Nauru", "B": "Vatican City", "C": "Monaco"}
    assert answers_of(marks, options, "letter") == ["A"]
    several = {"Nauru": 1, "Vatican City": 1, "Monaco": 0}
    assert answers_of(several, options, "letters") == ["A", "B"]
    with pytest.raises(ValueError, match="2 right options"):
        answers_of(several, options, "letter")


def test_numbers_under_letters_are_options_and_no_marks() -> None:
    """Of two options 0 and 1 are texts."""
    assert options_of({"options": {"A": 1, "B": 0}}, ["options"]) == {"A": "1", "B": "0"}


def test_pictures_in_folders_called_as_a_row_are_found_by_its_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """ScienceQA has SPLIT/KEY/image.png, and rows without one; folders that no column names are refused."""
    rows = {
        key: {
            "question": "Which?",
            "choices": ["x", "y"],
            "answer": 1,
            "image": image,
            "split": "train",
        }
        for key, image in (("1", "image.png"), ("2", "image.png"), ("3", None))
    }
    for key in ("1", "2"):
        write_pictures(tmp_path / "train" / key, "image.png")
    (tmp_path / "problems.json").write_text(json.dumps(rows))
    arguments = [
        "new",
        "science",
        str(tmp_path / "problems.json"),
        "--folder",
        str(tmp_path),
        "--force",
    ]
    assert main(arguments) == 0
    assert "3 choices and 0 open questions, 2 pictures" in capsys.readouterr().out
    assert (
        yaml.safe_load((tmp_path / "science.yaml").read_text())["columns"]["images"]
        == "{split}/{_key}/{image}"
    )
    (tmp_path / "train").rename(tmp_path / "pictures")
    for key in ("1", "2"):
        (tmp_path / "pictures" / key).rename(tmp_path / "pictures" / f"no{key}")
    assert main(arguments) == 3
    assert f"no picture at {tmp_path / 'image.png'}" in capsys.readouterr().err


def test_ids_from_1_are_not_those_of_rows_from_0(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All answers but one would be to other questions, more than 99% of them."""
    (tmp_path / "table.jsonl").write_text("".join(json.dumps(row) + "\n" for row in GSM8K))
    (tmp_path / "answers.jsonl").write_text(
        "".join(f'{{"id": {place}, "prediction": "18"}}\n' for place in (1, 2))
    )
    assert main(["new", "grade", str(tmp_path / "table.jsonl"), "--folder", str(tmp_path)]) == 0
    assert (
        main(
            [
                "score",
                str(tmp_path / "grade.yaml"),
                str(tmp_path / "answers.jsonl"),
                "--judge",
                "none",
            ]
        )
        == 2
    )
    assert "Expected ids from 0 to 1" in capsys.readouterr().err


def test_a_table_without_names_of_columns_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """MMLU's files begin with a question."""
    row = '"Find the degree for the given field extension Q(sqrt(2), sqrt(3), sqrt(18)) over Q.",0,4,2,6,B\n'
    (tmp_path / "abstract_algebra_test.csv").write_text(row * 2)
    assert (
        main(
            [
                "new",
                "mmlu_algebra",
                str(tmp_path / "abstract_algebra_test.csv"),
                "--folder",
                str(tmp_path),
            ]
        )
        == 2
    )
    assert "Write the columns' names above the first row" in capsys.readouterr().err


def test_files_of_one_name_that_answer_different_questions_are_one_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """MMMU's evaluation has a folder with output.json for each subject; those of the same questions are two models'."""
    for place, row in enumerate(MMMU):
        (tmp_path / "llava" / f"Subject{place}").mkdir(parents=True)
        (tmp_path / "llava" / f"Subject{place}" / "output.json").write_text(json.dumps([row]))
    (tmp_path / "table.json").write_text(json.dumps(MMMU))
    assert main(["new", "subjects", str(tmp_path / "table.json"), "--folder", str(tmp_path)]) == 0
    capsys.readouterr()
    arguments = ["score", str(tmp_path / "subjects.yaml"), str(tmp_path / "llava"), "--json"]
    assert main(arguments) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["metrics"]["accuracy"] == 0.5
    assert "files of one name in its folders are read as parts of one run" in printed.err
    (tmp_path / "llava" / "Subject1" / "output.json").write_text(json.dumps(MMMU))
    assert main(arguments) == 3
    assert len(json.loads(capsys.readouterr().out)["results"]) == 2


def test_texts_by_key_are_answers_only_where_they_are_named(tmp_path: Path) -> None:
    """In a host's folder they are what it submits."""
    (tmp_path / "mmmu_test_for_submission.json").write_text(
        '{"test_Accounting_1": "B", "test_Accounting_2": "A"}'
    )
    assert main(["score", "mmstar_demo", str(tmp_path)]) == 2


def test_options_in_the_question_are_pointed_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """MathVerse lists them there; `options=question` alone is enough."""
    row = {
        "sample_index": "1",
        "question": "Angle EDF is ()\nChoices:\nA:80°\nB:70°",
        "answer": "B",
    }
    (tmp_path / "table.json").write_text(json.dumps([row]))
    arguments = ["new", "verse", str(tmp_path / "table.json"), "--folder", str(tmp_path), "--force"]
    assert main(arguments) == 0
    assert (
        "1 question whose text lists options (--column options=question takes them), the first: 1."
        in (capsys.readouterr().err)
    )
    assert main([*arguments, "--column", "options=question"]) == 0
    assert "1 choice and 0 open questions" in capsys.readouterr().out
