"""Free answers and choices beside their questions, scored without a task."""

import csv
import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from openai_server import Behaviour, OpenAIServer
from run_command import run_json

from spiqa_tasks.cli import main
from spiqa_tasks.l3score_metric import L3Score
from spiqa_tasks.metrics import coco_java, text_scores

Row = dict[str, Any]
ROWS: list[Row] = [
    {
        "question": "Where is Niagara Falls?",
        "reference": "In the United States and Canada.",
        "prediction": "There.",
    },
    {"question": "What colour is the sky?", "reference": "Blue", "prediction": "Blue"},
    {"question": "How many legs has a spider?", "reference": "8", "prediction": "Answer: 8"},
]
SEVERAL = [*ROWS[:2], {**ROWS[2], "reference": ["8", "Answer: 8"]}]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIServer]:
    """A judge that says yes to equal answers."""
    with OpenAIServer(Behaviour()) as running:
        monkeypatch.setenv("SPIQA_JUDGE", "openai:gpt-4o")
        monkeypatch.setenv("SPIQA_JUDGE_BASE_URL", running.url)
        monkeypatch.setenv("SPIQA_JUDGE_API_KEY", "key")
        yield running


def write_lines(path: Path, rows: Sequence[Row]) -> None:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def write_csv(path: Path, rows: Sequence[Row]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], delimiter="\t" if path.suffix == ".tsv" else ",")
        writer.writeheader()
        writer.writerows(rows)


@pytest.mark.parametrize(("form", "write"), [("jsonl", write_lines), ("tsv", write_csv)])
@pytest.mark.usefixtures("server")
def test_a_file_of_any_form_has_the_number_of_the_metric_in_python(
    form: str,
    write: Callable[[Path, Sequence[Row]], None],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each prediction is judged as it is, without a search for an answer in it; the ids are the
    rows' numbers.
    """
    path = tmp_path / f"answers.{form}"
    write(path, ROWS)
    columns = ([row[name] for row in ROWS] for name in ("question", "reference", "prediction"))
    python = L3Score().compute(
        **dict(zip(("questions", "references", "predictions"), columns, strict=True))
    )
    status, found, errors = run_json(capsys, "score", path, "--output", tmp_path / "out")
    assert status == 0, errors
    assert found["task"] == "answers"
    assert found["metrics"]["l3score"] == pytest.approx(python["l3score"])
    (samples,) = (tmp_path / "out").rglob("*_samples_answers.jsonl")
    records = [json.loads(line)["l3score"] for line in samples.read_text().splitlines()]
    assert [(record["id"], record["score"]) for record in records] == [
        (str(place), pytest.approx(score)) for place, score in enumerate(python["scores"], 1)
    ]


@pytest.mark.usefixtures("server")
def test_text_metrics_are_computed_by_name_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scores of three answers do not wait for Java."""
    path = tmp_path / "answers.jsonl"
    write_lines(path, ROWS)
    computed = run_json(capsys, "score", path, "--metrics", "rouge_l")[1]
    assert set(computed["metrics"]) == {"rouge_l"}

    def start(*_: Any) -> Any:
        pytest.fail("a text program was started")

    # undone before the fixture that replaces the same program for all tests
    with monkeypatch.context() as patch:
        patch.setattr(text_scores, "available_metrics", start)
        patch.setattr(coco_java, "_run_tokenizer", start)
        found = run_json(capsys, "score", path)[1]
    assert "l3score" in found["metrics"]
    assert not set(found["metrics"]) & set(text_scores.METRICS)


@pytest.mark.usefixtures("server")
def test_of_several_references_the_best_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As in Python; text metrics compare with the first one."""
    write_lines(tmp_path / "one.jsonl", ROWS)
    write_lines(tmp_path / "several.jsonl", SEVERAL)
    python = L3Score().compute(
        questions=[row["question"] for row in SEVERAL],
        references=[row["reference"] for row in SEVERAL],
        predictions=[row["prediction"] for row in SEVERAL],
    )
    status, several, _ = run_json(capsys, "score", tmp_path / "several.jsonl")
    assert (status, several["metrics"]["l3score"]) == (0, pytest.approx(python["l3score"]))
    one = run_json(capsys, "score", tmp_path / "one.jsonl")[1]
    assert one["metrics"]["l3score"] < several["metrics"]["l3score"]
    assert one["signature"] != several["signature"]


@pytest.mark.usefixtures("server")
def test_files_of_the_same_questions_stand_side_by_side(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They have the same data in their signatures, so that `compare` sets them against each
    other, too.
    """
    write_lines(tmp_path / "a.jsonl", ROWS)
    write_csv(tmp_path / "b.csv", [{**row, "prediction": row["reference"]} for row in ROWS])
    paths = [tmp_path / "a.jsonl", tmp_path / "b.csv"]
    status, found, errors = run_json(capsys, "score", *paths, "--output", tmp_path / "out")
    assert status == 0, errors
    assert [each["predictions"] for each in found["results"]] == ["a", "b"]
    assert run_json(capsys, "compare", tmp_path / "out")[0] == 0


def test_other_names_of_columns_are_asked_for_and_taken(
    server: OpenAIServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The refusal has the form of the argument; a question is not advised as an id."""
    path = tmp_path / "other.jsonl"
    write_lines(
        path, [{"q": row["question"], "truth": row["reference"], "response": "x"} for row in ROWS]
    )
    assert main(["score", str(path)]) == 2
    said = capsys.readouterr().err
    assert "No column looks like id: add it, or name it by --columns id=COLUMN." in said
    assert "name question instead of id, and reference or options." in said
    status, found, errors = run_json(
        capsys, "score", path, "--columns", "question=q,reference=truth"
    )
    assert (status, found["counts"]["judged"]) == (0, 3), errors
    assert len(server.requests) == 2 + 3


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            [ROWS[0], *({**row, "reference": ""} for row in ROWS[1:])],
            "found none with answer 2 of ",
        ),
        (
            [*ROWS[1:], {**ROWS[0], "A": "x", "B": "y"}],
            "Expected options with each answer, found none with answer 1 of ",
        ),
    ],
)
def test_what_is_no_free_answer_is_refused(
    rows: list[Row], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Most rows without a reference, and choices among free answers."""
    write_lines(tmp_path / "m.jsonl", rows)
    assert main(["score", str(tmp_path / "m.jsonl"), "--judge", "none"]) == 2
    assert said in capsys.readouterr().err


def test_two_options_of_one_text_are_no_fault_beside_a_letter(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The letter says which of them is right."""
    path = tmp_path / "m.jsonl"
    write_lines(path, [*CHOICES[:3], {**CHOICES[3], "options": ["red", "Red", "blue"]}])
    assert scored(path, capsys)["counts"]["docs"] == 4


def test_choices_without_their_options_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are scored as the open answers that they look like, and a remark says so."""
    path = tmp_path / "m.jsonl"
    write_lines(
        path, [{**row, "reference": letter} for row, letter in zip(ROWS, "ABC", strict=True)]
    )
    assert main(["score", str(path), "--judge", "none"]) == 0
    assert "all true answers are letters, and there are no options" in capsys.readouterr().err
    write_lines(path, [{**ROWS[0], "reference": "B"}, *ROWS[1:]])
    assert main(["score", str(path), "--judge", "none"]) == 0
    assert "letters" not in capsys.readouterr().err


def test_letters_of_which_nobody_has_the_options_are_scored_by_the_column_of_the_remark(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As in files that have the right letters alone, here in lower case."""
    path = tmp_path / "m.jsonl"
    pairs = zip(["B", "A", "It is d.", "c"], "bbdc", strict=True)
    rows = [{"question": "Which?", "prediction": p, "ground_truth": t} for p, t in pairs]
    write_lines(path, rows)
    assert main(["score", str(path), "--judge", "none"]) == 0
    said = re.search(r"a column options, such as (\[.*\])", capsys.readouterr().err)
    assert said is not None
    write_lines(path, [{**row, "options": json.loads(said[1])} for row in rows])
    assert scored(path, capsys)["metrics"]["accuracy"] == 3 / 4


@pytest.mark.parametrize("column", [{}, {"options": ["A", "B", "C", "D"]}])
def test_letters_beside_letters_are_compared(
    column: Row, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As in files that have only the letter read and the right one, here in lower case; an answer
    without a letter is wrong. A column of options changes nothing.
    """
    path = tmp_path / "m.jsonl"
    pairs = zip(["B", "(A)", "d.", "c", ""], "bbdca", strict=True)
    rows = [{"question": "Which?", "prediction": p, "ground_truth": t, **column} for p, t in pairs]
    write_lines(path, rows)
    assert scored(path, capsys)["metrics"]["accuracy"] == 3 / 5


def test_letters_of_two_models_are_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever letters they answer, and without a question, as of GPQA by echohive42."""
    for name, letters in (("a", "AbZi"), ("b", "abci")):
        pairs = zip("ABCI", letters, strict=True)
        rows = [{"id": t, "correct_answer": t, "model_answer": p} for t, p in pairs]
        write_lines(tmp_path / f"{name}.jsonl", rows)
    paths = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    status, (pair,), errors = run_json(capsys, "compare", *paths)
    assert (status, pair["score_a"], pair["score_b"], errors) == (0, 3 / 4, 1, "")


def test_a_file_without_rows_is_said_to_have_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not that its columns have other names."""
    path = tmp_path / "m.csv"
    path.write_text("question,reference,prediction\n")
    assert main(["score", str(path), "--judge", "none"]) == 2
    assert f"Expected answers in {path}, found none." in capsys.readouterr().err


def test_a_task_needs_ids(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Answers without ids to a task are refused with the command that needs none."""
    path = tmp_path / "m.jsonl"
    write_lines(path, ROWS)
    assert main(["score", "spiqa_demo", str(path), "--judge", "none"]) == 2
    said = capsys.readouterr().err
    assert f"each answer to spiqa_demo in {path}, found none in row 1." in said
    assert f"`spiqa-tasks score {path}`" in said


@pytest.mark.parametrize("column", ["model", "model_name"])
def test_the_mean_of_several_models_is_no_number(
    column: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file in which two models answer a question is refused; of different questions it may say
    which of them answered.
    """
    path = tmp_path / "m.jsonl"
    write_lines(path, [{**row, column: model} for model in "xy" for row in ROWS])
    assert main(["score", str(path), "--judge", "none"]) == 2
    said = capsys.readouterr().err
    assert f"one model in {path}, found x and y. Write a file for each, as by groupby" in said

    write_lines(path, [{**row, column: model} for model, row in zip("xyx", ROWS, strict=True)])
    assert main(["score", str(path), "--judge", "none"]) == 0


TEXTS = ["red", "blue", "green"]
CHOICES: list[Row] = [
    {"question": "Sky?", "options": TEXTS, "answer": "B", "prediction": "It is blue."},
    {"question": "Grass?", "options": TEXTS, "answer": "green", "prediction": "(A)"},
    {"question": "Blood?", "options": TEXTS, "answer": "a", "prediction": "I see A and B."},
    {"question": "Roses?", "options": TEXTS, "answer": "A", "prediction": "Answer: A"},
]


def scored(path: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    status, found, errors = run_json(capsys, "score", path)
    assert status == 0, errors
    return found


def in_forms(form: str) -> list[Row]:
    """The rows with their options in another form."""
    if form == "object":
        options = dict(zip("ABC", TEXTS, strict=True))
        return [{**row, "options": options} for row in CHOICES]
    if form == "columns":
        bare = [{key: row[key] for key in row if key != "options"} for row in CHOICES]
        return [row | dict(zip("ABC", TEXTS, strict=True)) for row in bare]
    if form == "question":
        listed = "\n".join(f"{letter}. {text}" for letter, text in zip("ABC", TEXTS, strict=True))
        bare = [{key: row[key] for key in row if key != "options"} for row in CHOICES]
        return [{**row, "question": f"{row['question']}\n{listed}"} for row in bare]
    return CHOICES


@pytest.mark.parametrize("form", ["list", "object", "columns", "question"])
def test_lines_with_options_are_scored_by_the_matcher(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever form the options have; the answer is a letter or the text of an option."""
    path = tmp_path / "m.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in in_forms(form)))
    found = scored(path, capsys)
    assert (found["task"], found["metrics"]["accuracy"]) == ("choices", 0.5)
    assert found["metrics"]["unparsed_rate"] == 0.25
    assert "matcher:" in found["signature"]
    assert "data:choices/file@table " in found["signature"]


def test_a_table_of_spreadsheet_programs_is_scored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a column for each option."""
    rows = in_forms("columns")
    with (tmp_path / "m.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    assert scored(tmp_path / "m.csv", capsys)["metrics"]["accuracy"] == 0.5


@pytest.mark.parametrize(
    ("column", "arguments"),
    [("category", []), ("level", []), ("level", ["--columns", "group=level"])],
)
def test_values_by_a_column_of_the_file(
    column: str, arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By its usual name or another, also beside a usual one, of the answers and of their scored
    run; its empty cells are in no group.
    """
    cells = ["x", "x", "y", ""]
    rows = [{"subject": "s", **row, column: cell} for row, cell in zip(CHOICES, cells, strict=True)]
    path = tmp_path / "m.jsonl"
    write_lines(path, rows)
    _, found, errors = run_json(capsys, "score", path, *arguments, "--by", column)
    assert {row["group"]: row["n"] for row in found} == {"x": 2, "y": 1}, errors

    run_json(capsys, "score", path, *arguments, "--by", column, "--output", tmp_path / "scored")
    _, again, _ = run_json(capsys, "score", tmp_path / "scored", "--by", column)
    assert [row["value"] for row in again] == [row["value"] for row in found]

    plain = tmp_path / "plain.jsonl"
    write_lines(plain, [{**row, column: ""} for row in CHOICES])
    status, _, errors = run_json(capsys, "compare", path, plain, *arguments)
    assert status == 0, errors


@pytest.mark.parametrize("form", ["list", "object", "columns", "question"])
def test_scored_choices_are_scored_again(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """From the folder alone, with the same values of the same questions."""
    path = tmp_path / "m.jsonl"
    write_lines(path, in_forms(form))
    status, first, errors = run_json(capsys, "score", path, "--output", tmp_path / "scored")
    assert status == 0, errors
    again = scored(tmp_path / "scored", capsys)
    for name in ("metrics", "counts", "signature"):
        assert again[name] == first[name]


@pytest.mark.parametrize("options", ["[1]", '{"A": 3}', "null"])
def test_changed_options_of_scored_choices_are_refused(
    options: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a sentence with the line and what is there."""
    path = tmp_path / "m.jsonl"
    write_lines(path, CHOICES)
    run_json(capsys, "score", path, "--output", tmp_path / "scored")
    (samples,) = (tmp_path / "scored").rglob("*_samples_*.jsonl")
    written = json.dumps(dict(zip("ABC", TEXTS, strict=True)))
    samples.write_text(samples.read_text().replace(written, options))
    assert main(["score", str(tmp_path / "scored")]) == 2
    assert f"Expected line 1 of {samples} to be a sample" in capsys.readouterr().err


def test_choices_of_the_same_questions_are_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The data of their signatures is a digest of questions, options and answers."""
    for name, rows in (("a", CHOICES), ("b", [{**row, "prediction": "B"} for row in CHOICES])):
        (tmp_path / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    status, found, errors = run_json(capsys, "compare", tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    assert status == 0, errors
    (pair,) = found
    assert abs(pair["difference"]["difference"]) == pytest.approx(0.25)


def test_files_with_other_columns_are_scored_apart_and_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the page on answers says; also two columns of one file."""
    path = tmp_path / "m.jsonl"
    said = ("It is blue.", "C", "A", "A")
    pairs = zip(CHOICES, said, strict=True)
    write_lines(path, [{**row, "gpt": row["prediction"], "llama": text} for row, text in pairs])
    for name in ("gpt", "llama"):
        columns = ["--columns", f"prediction={name}"]
        run_json(capsys, "score", path, *columns, "--output", tmp_path / name)
    paths = [tmp_path / "gpt", tmp_path / "llama"]
    status, (pair,), errors = run_json(capsys, "compare", *paths)
    assert (status, pair["score_a"], pair["score_b"]) == (0, 0.5, 1), errors
    assert ("gpt" in pair["a"], "llama" in pair["b"]) == (True, True)


@pytest.mark.parametrize(
    ("row", "lacks"),
    [
        ({"options": []}, "options"),
        ({"options": None}, "options"),
        ({"options": [], "question": "How far is it from\nA. to\nB. in metres?"}, "options"),
        ({"answer": ""}, "a true answer"),
        ({"options": ["red", "Red", "blue"], "answer": "red"}, "a single true answer"),
        # several right options: JMLE's lists, GAOKAO's physics, and csv
        ({"answer": ["a", "c"]}, "a single true answer"),
        ({"answer": ["red", "green"]}, "a single true answer"),
        ({"answer": "AC"}, "a single true answer"),
        ({"answer": "A, B and C"}, "a single true answer"),
    ],
)
def test_a_row_that_cannot_be_scored_is_left_out_and_named(
    row: Row, lacks: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With what it lacks; the others are scored as they are alone."""
    path = tmp_path / "m.jsonl"
    write_lines(path, CHOICES[:3])
    _, alone, _ = run_json(capsys, "score", path)
    write_lines(path, [*CHOICES[:3], {**CHOICES[3], **row}])
    status, found, errors = run_json(capsys, "score", path)
    assert (status, found["metrics"]) == (3, alone["metrics"])
    assert f"1 id without {lacks}, left out, the first: 4." in errors


@pytest.mark.parametrize(
    "command",
    [
        "score {0}/a.jsonl",
        "score {0}/a.jsonl --by level",
        "compare {0}/a.jsonl {0}/b.jsonl",
        "report {0}/a.jsonl --html {0}/report.html",
    ],
)
def test_every_command_ends_with_3_if_it_left_out_a_row(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And with 0 for the others alone."""
    rows = [{**row, "level": "x"} for row in CHOICES]
    arguments = command.format(tmp_path).split()
    for name in "ab":
        write_lines(tmp_path / f"{name}.jsonl", rows)
    assert main(arguments) == 0

    for name in "ab":
        write_lines(tmp_path / f"{name}.jsonl", [*rows, {**rows[0], "answer": "AB"}])
    assert main(arguments) == 3
    assert "left out, the first: 5." in capsys.readouterr().err


@pytest.mark.parametrize(("answers", "n"), [(("A", "(B)", "c"), 4), (("red", "B", "c"), 3)])
def test_regions_of_a_picture_are_letters_among_letters_alone(
    answers: tuple[str, ...], n: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Among texts, a true answer B may be the text of the option A."""
    path = tmp_path / "m.jsonl"
    region = {"question": "Where?", "options": ["B", "A"], "answer": "B", "prediction": "B"}
    rows = [{**row, "answer": answer} for row, answer in zip(CHOICES, answers, strict=False)]
    write_lines(path, [*rows, region])
    _, found, errors = run_json(capsys, "score", path)
    assert found["counts"]["docs"] == n, errors


def test_a_true_answer_in_several_words_is_one_option(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A list of its letter and its text, in whatever case."""
    path = tmp_path / "m.jsonl"
    write_lines(path, [*CHOICES[:3], {**CHOICES[3], "answer": ["a", "Red"]}])
    assert scored(path, capsys)["metrics"]["accuracy"] == 0.5


def test_questions_with_several_right_options_have_no_accuracy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file of them, as GAOKAO's physics is, is refused."""
    path = tmp_path / "m.jsonl"
    write_lines(path, [{**row, "answer": "AB"} for row in CHOICES])
    assert main(["score", str(path)]) == 2
    said = capsys.readouterr().err
    assert "found 'AB', the labels of 2 options with answer 1 of " in said
    assert "or leave out such questions." in said


@pytest.mark.parametrize(
    ("row", "lacks"),
    [
        ({"question": "Roses? (no options)", "answer": "A"}, "options"),
        ({"question": "（）\nA. 红\nB. 蓝C. 绿\nD. 白", "answer": "D"}, "all of its options"),
    ],
)
def test_a_question_whose_list_cannot_be_read_is_left_out_and_named(
    row: Row, lacks: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As two of 124 questions of GAOKAO's chemistry; the others are choices all the same."""
    path = tmp_path / "m.jsonl"
    rows = in_forms("question")
    write_lines(path, rows[:3])
    alone = scored(path, capsys)
    write_lines(path, [*rows[:3], {**rows[3], **row}])
    status, found, errors = run_json(capsys, "score", path)
    assert (status, found["metrics"]) == (3, alone["metrics"])
    assert f"1 id without {lacks}, left out, the first: 4" in errors


def test_lists_that_end_before_the_true_answer_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """If most do, nothing is scored, and the fault is not that of the true answer."""
    path = tmp_path / "m.jsonl"
    write_lines(path, [{**row, "answer": "e"} for row in in_forms("question")])
    assert main(["score", str(path)]) == 2
    assert "Expected the question's options up to 'e', found A, B, C" in capsys.readouterr().err


# Rows of MMLU's college_mathematics and hellaswag's form, with options that are numbers here and
# there.
NUMBERED = [
    {"question": "Grass?", "options": TEXTS, "answer": 2, "prediction": "C"},
    {
        "question": "2 - 2?",
        "options": ["3", "0", "1"],
        "answer": 1,
        "prediction": "The answer is B",
    },
    {"question": "Roses?", "options": TEXTS, "answer": 0, "prediction": "A"},
    {"question": "Sky?", "options": TEXTS, "answer": 1, "prediction": "It is red."},
]


@pytest.mark.parametrize("kind", [int, str])
@pytest.mark.parametrize("first", [0, 1])
def test_true_answers_that_are_numbers_of_options_are_read(
    first: int, kind: type, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """From 0 or from 1, as all of them can only be; with the values of the letters."""
    path = tmp_path / "m.jsonl"
    write_lines(path, [{**row, "answer": "ABC"[int(row["answer"])]} for row in NUMBERED])
    letters = scored(path, capsys)
    assert letters["metrics"]["accuracy"] == 3 / 4

    write_lines(path, [{**row, "answer": kind(row["answer"] + first)} for row in NUMBERED])
    status, found, errors = run_json(capsys, "score", path)
    assert status == 0
    assert (found["metrics"], found["signature"]) == (letters["metrics"], letters["signature"])
    assert f"{path}: the true answers are read as numbers of options, from {first}." in errors
    assert f'write the options as an object: {{"{first}": "TEXT", ...}}.' in errors


def test_answers_that_are_numbers_are_read_by_options_that_are_called_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the sentence on numbers says: KMMLU's models answer with the number of an option."""
    path = tmp_path / "m.jsonl"
    options = {"1": "red", "2": "green", "3": "blue"}
    row = {"question": "Sky?", "options": options, "answer": 3, "prediction": "정답은 3입니다."}
    write_lines(path, [row, {**row, "answer": 1}])
    assert scored(path, capsys)["metrics"]["accuracy"] == 1 / 2


def test_columns_that_pandas_writes_on_a_line_are_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As `DataFrame.to_json(path)` does: their names are those of a line of answers."""
    import pandas as pd

    path = tmp_path / "m.json"
    row = {"id": 7, "question": "Sky?", "options": ["red", "blue"], "answer": "B"}
    pd.DataFrame([{**row, "prediction": "B"}, {**row, "id": 8, "prediction": "A"}]).to_json(path)
    assert scored(path, capsys)["metrics"]["accuracy"] == 1 / 2


def test_options_are_read_from_outputs_of_mmmu(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A question without any is left out: it is an open one."""
    path = tmp_path / "output.json"
    row = {"id": "v_1", "all_choices": ["A", "B"], "index2ans": {"A": "$6", "B": "$7"}}
    row |= {"answer": "B", "response": "It is $7."}
    bare = {"id": "v_2", "all_choices": [], "index2ans": {}, "answer": "9", "response": "9"}
    path.write_text(json.dumps([row, {**row, "id": "v_3", "answer": "A"}, bare]))
    status, found, errors = run_json(capsys, "score", path)
    assert (status, found["metrics"]["accuracy"]) == (3, 1 / 2)
    assert "1 id without options, left out, the first: v_2." in errors


def test_several_numbers_are_several_right_options(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As several letters are."""
    path = tmp_path / "m.jsonl"
    write_lines(path, [*NUMBERED[:3], {**NUMBERED[3], "answer": [0, 2]}])
    status, _, errors = run_json(capsys, "score", path)
    assert (status, "1 id without a single true answer" in errors) == (3, True)


def test_numbers_that_may_be_texts_of_options_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """If each is the text of one option and the number of another; texts are read without a 0, or
    if both readings agree.
    """
    path = tmp_path / "m.jsonl"
    options = ["2", "1", "0"]
    rows = [
        {"question": "?", "options": options, "answer": answer, "prediction": "A"}
        for answer in (2, 0, 1)
    ]
    write_lines(path, rows)
    assert main(["score", str(path)]) == 2
    said = capsys.readouterr().err
    assert "found numbers of options that are texts of others. Write letters." in said

    write_lines(path, rows[:1])
    assert scored(path, capsys)["metrics"]["accuracy"] == 1
    write_lines(path, [{**row, "options": ["0", "1", "2"]} for row in rows])
    assert scored(path, capsys)["metrics"]["accuracy"] == 1 / 3


@pytest.mark.parametrize("numbers", [(1, 2, 1, 2), (0, 3, 1, 2), (1, 2, 4, 1)])
def test_numbers_that_may_count_from_0_or_1_are_refused(
    numbers: tuple[int, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Or from neither."""
    path = tmp_path / "m.jsonl"
    rows = zip(NUMBERED, numbers, strict=True)
    write_lines(path, [{**row, "options": TEXTS, "answer": number} for row, number in rows])
    assert main(["score", str(path)]) == 2
    assert "Write the letter of one option." in capsys.readouterr().err


def test_one_true_answer_of_a_hundred_that_is_no_option_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """VLMEvalKit's tables lose the option `None`, here of question 99; two are refused."""
    row = {"question": "How many?", "options": ["One", "Two"], "answer": "A", "prediction": "A"}
    rows = [{**row, "id": number} for number in range(100)]
    path = tmp_path / "m.jsonl"
    write_lines(path, [*rows[:99], {**rows[99], "answer": "C"}])
    assert main(["score", str(path), "--json"]) == 3
    out, err = capsys.readouterr()
    assert json.loads(out)["counts"]["docs"] == 99
    assert "1 id without an option that is the true answer, left out, the first: 99." in err

    write_lines(path, [*rows[:98], *({**each, "answer": "C"} for each in rows[98:])])
    assert main(["score", str(path)]) == 2
    assert "found 'C', no option's text" in capsys.readouterr().err


def test_a_question_that_vlmevalkit_asks_again_with_turned_options_counts_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As in MMBench and CCBench: each time it adds a million to the id."""
    rows = [
        {"index": 0, "question": "Which?", "A": "x", "B": "y", "answer": "A", "prediction": "A"},
        {"index": 42, "question": "Who?", "A": "v", "B": "w", "answer": "A", "prediction": "B"},
    ]
    turned = [
        {**row, "index": 1_000_000 + int(row["index"]), "A": row["B"], "B": row["A"], "answer": "B"}
        for row in rows
    ]
    other = {**rows[0], "index": 2_000_042, "question": "Where?"}
    path = tmp_path / "m_MMBench.jsonl"
    write_lines(path, [*rows, *turned, other])
    assert main(["score", str(path), "--json"]) == 3
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert (found["counts"]["docs"], found["metrics"]["accuracy"]) == (3, 2 / 3)
    assert (
        "2 ids without a new question: their options are turned (CircularEval), left out, the "
        "first: 1000000, 1000042."
    ) in err


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"answer": "D"}, "Expected the true answer to be a letter or the text of an option"),
        ({"answer": "7"}, "found '7', no option's text"),
        # an index, from 0 or from 1
        ({"answer": 1}, "Write the letter of one option."),
    ],
)
def test_a_true_answer_that_is_no_option_is_refused(
    row: Row, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The columns may be others than they seem."""
    path = tmp_path / "m.jsonl"
    write_lines(path, [*CHOICES[:3], {**CHOICES[3], **row}])
    assert main(["score", str(path)]) == 2
    assert said in capsys.readouterr().err
