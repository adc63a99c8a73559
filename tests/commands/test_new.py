"""`spiqa-tasks new`: from a table to a YAML, with every row checked."""

import json
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
import yaml
from own_data import MIXED, write_pictures

from spiqa_tasks.benchmarks.own.definition import parse
from spiqa_tasks.benchmarks.own.rows import read_rows
from spiqa_tasks.benchmarks.registry import BENCHMARKS
from spiqa_tasks.cli import main
from spiqa_tasks.files.source import default_source


def table(folder: Path, rows: list[dict[str, Any]]) -> Path:
    """Write a table and its pictures."""
    write_pictures(folder / "pictures", "red.png", "blue.png")
    path = folder / "table.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_table_becomes_a_yaml_that_scores(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says what it took each column for and shows a question; the YAML is all that scoring needs."""
    rows = [{**row, "solution": None} for row in MIXED]
    assert (
        main(
            [
                "new",
                "shapes",
                str(table(tmp_path / "data", rows)),
                "--folder",
                str(tmp_path),
                "--preview",
            ]
        )
        == 0
    )
    said = capsys.readouterr().out
    assert yaml.safe_load((tmp_path / "shapes.yaml").read_text()) == {
        "benchmark": "shapes",
        "data": "data/table.jsonl",
        "kind": "both",
        "columns": {name: name for name in ("id", "question", "answer", "options")}
        | {"images": "image"}
        | {"cluster": "image"},
        "image_folder": "pictures",
        "metrics": ["accuracy", "exact_match"],
        "variants": "both",
    }
    assert len((tmp_path / "shapes.yaml").read_text().splitlines()) <= 20
    assert (
        "shapes: 3 questions: 2 choices and 1 open question, 2 pictures, headline accuracy." in said
    )
    assert "Not used: solution." in said
    assert (
        f"    Which colour? [picture {tmp_path / 'data' / 'pictures' / 'blue.png'}]\n    A. red\n    B. blue"
        in said
    )
    assert f"lmms-eval --model ... --tasks shapes_both --include_path {tmp_path.as_posix()}" in said
    page = (tmp_path / "shapes_preview.html").read_text()
    assert page.count("<article>") == page.count("data:image/webp;base64,") == 3
    assert "True answer: B" in page
    answers = tmp_path / "answers.jsonl"
    answers.write_text(
        "".join(json.dumps({"id": row["id"], "prediction": row["answer"]}) + "\n" for row in MIXED)
    )
    assert main(["score", str(tmp_path / "shapes.yaml"), str(answers), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["metrics"]["accuracy"] == 1.0


def test_a_file_named_after_the_task_is_of_the_model_before_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where the task is given by its YAML, so that runs with and without pictures belong together."""
    assert main(["new", "shapes", str(table(tmp_path, MIXED)), "--folder", str(tmp_path)]) == 0
    for task, given in (("shapes", str(tmp_path / "shapes.yaml")), ("shapes_text", "shapes_text")):
        answers = tmp_path / f"gpt_{task}.jsonl"
        answers.write_text(
            "".join(json.dumps({"id": row["id"], "prediction": "B"}) + "\n" for row in MIXED)
        )
        folders = ["--include-path", str(tmp_path), "--output", str(tmp_path / "out")]
        assert (
            main(["score", given, str(answers), *(folders if task != "shapes" else folders[2:])])
            == 0
        )
        del BENCHMARKS["shapes"]
    capsys.readouterr()
    assert main(["gain", str(tmp_path / "out"), "--json"]) == 0
    (whole,) = (row for row in json.loads(capsys.readouterr().out) if row["group"] == "all")
    assert (whole["model"], whole["s_v"], whole["s_wv"], whole["mg"]) == ("gpt", 1 / 3, 1 / 3, 0.0)


def test_faults_are_listed_by_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first ten of them; the status says that the benchmark cannot be run yet."""
    rows = [{**MIXED[0], "id": "", "answer": "Z", "image": "red.png"} for _ in range(12)]
    path = table(tmp_path, [*MIXED, {**MIXED[0], "id": "d", "image": "gone.png"}, *rows])
    status = main(["new", "shapes", str(path), "--folder", str(tmp_path), "--column", "id="])
    said = capsys.readouterr().err
    assert status == 3
    assert "spiqa-tasks: 13 rows of 16 cannot be asked, the first:" in said
    assert "  row 4 (id 3): no picture at" in said
    assert "  row 5 (id 4): the answer 'Z' is no option among A, B\n" in said
    assert said.count("  row ") == 10


def test_oddities_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Equal options, pictures that are not there, a favoured letter, a picture that is none."""
    rows = [
        {
            "id": place,
            "question": f"Which {place}?",
            "options": ["x", "y", "z", "w"],
            "answer": "B",
            "image": "red.png",
        }
        for place in range(20)
    ]
    rows[3]["options"] = ["x", "X", "z", "w"]
    rows[5]["image"] = None
    rows[8]["image"] = "broken.png"
    path = table(tmp_path, rows)
    (tmp_path / "pictures" / "broken.png").write_bytes(b"GIF89a")
    assert main(["new", "shapes", str(path), "--folder", str(tmp_path)]) == 3
    said = capsys.readouterr().err.splitlines()
    assert said[:3] == [
        "spiqa-tasks: 1 question with two options of the same text, the first: 3.",
        "spiqa-tasks: 1 question without a picture, the first: 5.",
        "spiqa-tasks: B is right in 100% of choices, by chance in 25%. Shuffle the options.",
    ]
    assert said[3] == "spiqa-tasks: 1 row of 20 cannot be asked, the first:"
    assert said[4].startswith("spiqa-tasks:   row 9 (id 8): no readable picture at ")


def test_the_user_may_say_what_is_not_guessed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Columns, kind, form, the rows that are asked; what is said stands in the YAML."""
    rows = [
        {"n": place, "ask": "Which?", "c1": "x", "c2": "y", "right": place % 2, "part": part}
        for place, part in enumerate(("test", "dev", "test"))
    ]
    path = table(tmp_path, rows)
    said = [
        "--column",
        "question=ask",
        "--column",
        "answer=right",
        "--column",
        "options=c1,c2",
        "--where",
        "part=test",
    ]
    more = ["--kind", "choice", "--answer-is", "index", "--column", "groups="]
    assert main(["new", "two", str(path), "--folder", str(tmp_path), *said, *more]) == 0
    found = yaml.safe_load((tmp_path / "two.yaml").read_text())
    assert found["columns"]["options"] == ["c1", "c2"]
    assert (found["where"], found["kind"], found["answer_is"]) == (
        {"part": "test"},
        "choice",
        "index",
    )
    assert "two: 2 questions: 2 choices and 0 open questions" in capsys.readouterr().out


def test_numbers_are_indices_if_any_row_has_0(tmp_path: Path) -> None:
    """Also a row behind those from which columns are guessed."""
    rows = [
        {"id": n, "question": f"{n}?", "options": ["x", "y", "z"], "answer": n % 2 + 1}
        for n in range(2001)
    ]
    path = table(tmp_path, [*rows, {**rows[0], "id": "last", "answer": 0}])
    assert main(["new", "late", str(path), "--folder", str(tmp_path), "--column", "images="]) == 0
    assert yaml.safe_load((tmp_path / "late.yaml").read_text())["answer_is"] == "index"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["x", "table.jsonl", "--column", "answer=gold"], "column 'gold' in the data of x"),
        (
            ["x", "other.jsonl"],
            "a column with the question, found no usual name among x, y",
        ),
        (["there", "table.jsonl"], "Add --force to write over it"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """With what to do, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    table(tmp_path, MIXED)
    (tmp_path / "other.jsonl").write_text('{"x": 1, "y": 2}\n')
    (tmp_path / "there.yaml").write_text("benchmark: there\n")
    assert main(["new", *arguments]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert "Traceback" not in said
    assert [path.name for path in tmp_path.glob("*.yaml")] == ["there.yaml"]


def test_a_name_that_the_host_has_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its own task would win without a word; the host is not imported for that."""
    host = tmp_path / "lmms_eval"
    (host / "tasks" / "shapes").mkdir(parents=True)
    (host / "__init__.py").write_text("raise AssertionError\n")
    (host / "tasks" / "shapes" / "shapes.yaml").write_text('dataset_path: x\ntask: "shapes"\n')
    monkeypatch.setattr(
        "spiqa_tasks.commands.new.find_spec",
        lambda _: spec_from_file_location(
            "lmms_eval", host / "__init__.py", submodule_search_locations=[str(host)]
        ),
    )
    assert main(["new", "shapes", str(table(tmp_path, MIXED)), "--folder", str(tmp_path)]) == 2
    assert "found shapes. Choose another name." in capsys.readouterr().err


def test_a_yaml_that_includes_itself_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one sentence."""
    (tmp_path / "loop.yaml").write_text("include: loop.yaml\n")
    assert main(["score", str(tmp_path / "loop.yaml"), "answers.jsonl"]) == 2
    assert "loop.yaml to be the YAML of a task, found RecursionError" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (
            [
                {
                    "id": "d0",
                    "question": "Lequel?",
                    "answers": {"a": "x", "b": "y"},
                    "correct_answers": ["b"],
                },
                {
                    "id": "d1",
                    "question": "Lesquels?",
                    "answers": {"a": "x", "b": "y"},
                    "correct_answers": ["a", "b"],
                },
            ],
            ("choice", "letters", "answers", ["B", "A, B"]),
        ),
        (
            [
                {
                    "id": "v0",
                    "question": "Which?",
                    "choices": {"A": "", "B": ""},
                    "answer": "Dolly Zoom",
                },
                {
                    "id": "v1",
                    "question": "Grams?",
                    "choices": {"A": "10.0", "B": "5.0"},
                    "answer": "A",
                },
            ],
            ("both", None, "choices", ["Dolly Zoom", "A"]),
        ),
        (
            [
                {
                    "id": "m0",
                    "question": "Who?",
                    "choices": {"text": ["x", "y"], "label": ["A", "B"]},
                    "answerKey": "B",
                },
                {
                    "id": "m1",
                    "question": "Who?!",
                    "choices": {"text": ["x", "y"], "label": ["1", "2"]},
                    "answerKey": "2",
                },
            ],
            ("choice", None, "choices", ["B", "B"]),
        ),
        (
            [
                {
                    "ID": "s1",
                    "question": "OA = ( ) m",
                    "option": "A. 3, 4;B. 4, 3; C. 2 ;D.1 ; E. none",
                    "answer": "D",
                }
            ],
            ("choice", None, "option", ["D"]),
        ),
    ],
    ids=["FrenchMedMCQA", "MMVU", "ARC", "We-Math"],
)
def test_tables_in_published_forms_need_no_arguments(
    rows: list[dict[str, Any]], expected: tuple[str, str | None, str, list[str]], tmp_path: Path
) -> None:
    """Options with labels, padded, in columns with labels and texts, or in one text; several right ones."""
    assert main(["new", "published", str(table(tmp_path, rows)), "--folder", str(tmp_path)]) == 0
    values = yaml.safe_load((tmp_path / "published.yaml").read_text())
    definition = parse(values, tmp_path)
    answers = [row["answer"] for row in read_rows(definition, default_source(), "test")[0].values()]
    assert (
        values["kind"],
        values.get("answer_is"),
        values["columns"]["options"],
        answers,
    ) == expected
