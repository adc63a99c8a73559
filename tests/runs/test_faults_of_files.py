"""Files as people have them: cut, linked, with nulls, with long names, of other harnesses."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from answer_files import right_answers, write_jsonl
from gain_files import rights, write_triple
from host_files import sample_of, write_run
from run_command import run_json

from spiqa_tasks import load_samples
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.cli import main
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.failed_requests import NULL
from spiqa_tasks.hosts.lmms_eval_files import folder_name, write_log
from spiqa_tasks.runs.columns import LINES, TABLE, Columns, read_answers
from spiqa_tasks.runs.lmms_eval import benchmark_answers
from spiqa_tasks.runs.loading import load_runs
from spiqa_tasks.runs.paths import RunPath, read_path

ROWS = load_rows("mmstar", "demo", "ablation=text")
RIGHT = right_answers("mmstar_demo")
OWN = {"settings": {"t": "ablation=text"}, "split": "demo"}


def write_own(folder: Path, model: str) -> Path:
    """A run of the host with right answers to a task of ours."""
    return write_run(folder, model, {"t": [sample_of(row, row["answer"]) for row in ROWS]}, **OWN)


@pytest.mark.parametrize("name", ["*_samples_t.jsonl", "*_results.json"])
@pytest.mark.parametrize("command", ["score", "score --by category", "compare", "report"])
def test_one_cut_file_leaves_the_other_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, name: str
) -> None:
    """A sentence names it, and the command is done in part."""
    runs = tmp_path / "runs"
    for model in "mno":
        write_own(runs / model, model)
    words = [*command.split(), str(runs)]
    if command == "report":
        words += ["--html", str(tmp_path / "page.html")]
    assert main(words) == 0, capsys.readouterr().err

    (cut,) = (runs / "m").glob(name)
    cut.write_text(cut.read_text()[:-40])
    capsys.readouterr()
    assert main(words) == 3
    left_out = [line for line in capsys.readouterr().err.splitlines() if "Left out: " in line]
    assert str(cut) in left_out[0]
    if command == "report":
        assert str(cut) in (tmp_path / "page.html").read_text()


def test_a_cut_file_that_is_named_with_its_folder_is_said_once(tmp_path: Path) -> None:
    """As by a pattern of the shell."""
    for model in "mn":
        write_own(tmp_path / model, model)
    (cut,) = (tmp_path / "m").glob("*_samples_t.jsonl")
    cut.write_text(cut.read_text()[:-40])
    runs, remarks = load_runs([RunPath(tmp_path), RunPath(tmp_path)])
    assert len(runs) == len(remarks) == 1
    assert str(cut) in remarks[0]


def test_of_many_files_that_cannot_be_read_five_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A fork writes samples in files of its own, beside each run."""
    write_own(tmp_path / "m", "m")
    line = json.dumps({"doc_id": 0, "target": "A", "resps": [["A"]], "jaccard": 1.0})
    for number in range(8):
        (tmp_path / "m" / f"stream_{number}.jsonl").write_text(f"{line}\n")

    assert main(["score", str(tmp_path)]) == 3
    said = [line for line in capsys.readouterr().err.splitlines() if "Left out: " in line]
    assert "stream_0.jsonl, found those of another task." in said[0]
    assert said[5:] == ["spiqa-tasks: Left out: 3 more files. Name one to read why."]


def test_a_hosts_task_without_samples_has_a_sentence_beside_one_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Large files are often left out of repositories; alone it is refused with that reason."""
    path = write_run(tmp_path, "m", {task: [{"accuracy": 0.5}] * 2 for task in ("pope", "gqa")})
    path.with_name(path.name.replace("_results.json", "_samples_pope.jsonl")).unlink()
    assert main(["score", str(tmp_path)]) == 3
    printed = capsys.readouterr()
    assert "gqa" in printed.out
    assert "pope of m has no samples; run it with --log_samples." in printed.err

    path.with_name(path.name.replace("_results.json", "_samples_gqa.jsonl")).unlink()
    assert main(["score", str(tmp_path)]) == 2
    assert "pope of m has no samples; run it with --log_samples." in capsys.readouterr().err


@pytest.mark.parametrize("command", ["gain", "paper mmstar table5"])
def test_a_cut_file_beside_a_pair_leaves_its_gain(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    """The gain is printed, and the command is done in part."""
    write_triple(tmp_path, rights(9, 12), rights(3, 12), None)
    whole = write_own(tmp_path / "m", "m")
    samples = next(whole.parent.glob("*_samples_t.jsonl"))
    samples.write_text(samples.read_text()[:-40])
    assert main([*command.split(), str(tmp_path)]) == 3
    printed = capsys.readouterr()
    assert "50.0" in printed.out
    assert f"of {samples}" in printed.err


def test_an_empty_samples_file_leaves_the_other_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a full disk leaves it."""
    for model in "mn":
        write_own(tmp_path / model, model)
    (empty,) = (tmp_path / "m").glob("*_samples_t.jsonl")
    empty.write_text("")
    assert main(["score", str(tmp_path)]) == 3
    assert f"Left out: Expected samples in {empty}, found none." in capsys.readouterr().err


def test_a_frame_warns_of_a_run_without_samples(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A model that is not in the frame is named; of one that is, nothing is said."""
    for model in "mn":
        write_own(tmp_path / model, model)
    assert set(load_samples(tmp_path).model) == {"m", "n"}
    assert not caplog.text
    (samples,) = (tmp_path / "m").glob("*_samples_t.jsonl")
    samples.unlink()
    assert set(load_samples(tmp_path).model) == {"n"}
    assert "t of m has no samples; run it with --log_samples." in caplog.text


def test_a_frame_warns_of_a_cut_file(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """It has the rows of the other runs."""
    for model in "mn":
        write_own(tmp_path / model, model)
    (cut,) = (tmp_path / "m").glob("*_samples_t.jsonl")
    cut.write_text(cut.read_text()[:-40])
    assert set(load_samples(tmp_path).model) == {"n"}
    assert str(cut) in caplog.text


def test_linked_folders_are_read_once(tmp_path: Path) -> None:
    """Also where a link leads back to the folder itself."""
    write_jsonl(tmp_path / "elsewhere" / "m_mmstar_demo.jsonl", RIGHT)
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "linked").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "runs" / "itself").symlink_to(tmp_path / "runs")
    (run,), _ = read_path(tmp_path / "runs", ["mmstar_demo"])
    assert (run.task, len(run.read())) == ("mmstar_demo", 24)


def test_a_long_model_name_makes_a_folder(tmp_path: Path) -> None:
    """Whatever --model_args there are; two long names stay apart."""
    long = f"vlm,system_prompt={'é' * 200}"
    assert write_log(tmp_path / folder_name(long), "vlm", "", {}).is_file()
    assert folder_name(long) != folder_name(f"{long}!")


@pytest.mark.parametrize("text", ["None", NULL])
def test_a_null_of_the_host_is_an_empty_answer(tmp_path: Path, text: str) -> None:
    """It logs "None" or an error of its own; a model that says so, and is read so, has said it."""
    path = tmp_path / "s.jsonl"
    null = {**sample_of(ROWS[0], ""), "filtered_resps": text}
    said = sample_of(ROWS[1], "A")
    path.write_text(
        "".join(
            f"{json.dumps({**line, 'doc_id': place})}\n" for place, line in enumerate([null, said])
        )
    )
    assert [answer.response.text for answer in benchmark_answers(path)] == ["", "A"]


def test_answers_of_predict_only_are_scored_by_their_places(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Such a run has no records, but task, settings and the documents' places."""
    samples = [
        {"doc_id": place, "target": row["answer"], "filtered_resps": row["answer"], "bypass": 1}
        for place, row in enumerate(ROWS)
    ]
    write_run(tmp_path, "m", {"t": samples}, **OWN)
    status, found, errors = run_json(capsys, "score", tmp_path)
    assert status == 0, errors
    assert found["metrics"]["accuracy"] == 1.0


def test_a_null_of_predict_only_is_an_empty_answer(tmp_path: Path) -> None:
    """It is no text "None", which an option or a reference may have."""
    path = tmp_path / "s.jsonl"
    path.write_text(json.dumps({"doc_id": 0, "target": "D", "filtered_resps": "None", "bypass": 1}))
    (answer,) = benchmark_answers(path)
    assert answer.response.text == ""


def test_a_renamed_results_file_keeps_its_samples(tmp_path: Path) -> None:
    """They are found by the date in the file."""
    path = write_own(tmp_path, "m")
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, "date": path.name.removesuffix("_results.json")}))
    (run,), _ = read_path(path.rename(tmp_path / "final_results.json"), ["t"])
    assert [answer.record.id for answer in run.read() if answer.record] == [
        row["id"] for row in ROWS
    ]


@pytest.mark.parametrize("command", ["score", "choices"])
def test_a_path_names_a_column_of_another_harness(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    """As of lm-evaluation-harness, whose responses are lists of one text."""
    lines: list[dict[str, Any]] = [
        {
            "doc_id": place,
            "doc": {"id": row["id"], "question": row["question"]},
            "target": "",
            "resps": [[row["answer"]]],
            "filtered_resps": [row["answer"]],
        }
        for place, row in enumerate(ROWS)
    ]
    path = tmp_path / "log.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    columns = "id=doc.id,question=doc.question,prediction=resps.0"
    task = ["mmstar_demo"] if command == "score" else []
    status, found, errors = run_json(capsys, command, *task, path, "--columns", columns)
    assert status == 0, errors
    answered = found["metrics"]["accuracy"] if task else found["found"] / found["n"]
    assert answered == 1.0


HARNESSES: dict[str, dict[str, Any]] = {
    "lm-evaluation-harness, samples": {
        "doc": {"id": "1", "question": "Q"},
        "filtered_resps": ["P"],
    },
    "inspect_ai, log as JSON": {"input": "Q", "target": "R", "output": {"completion": "P"}},
    "EvalScope, predictions": {
        "index": 1,
        "model_output": {"choices": [{"message": {"content": "P"}}]},
    },
    "lmms-eval 0.2, samples": {"doc": {"question": "Q"}, "target": "R", "filtered_resps": ["P"]},
    "OpenCompass, predictions": {
        "origin_prompt": [{"role": "HUMAN", "prompt": "Q"}],
        "prediction": "P",
        "gold": "R",
    },
    "promptfoo, `jq .results.results`": {
        "prompt": {"raw": "Q"},
        "vars": {"COLUMN": "R"},
        "response": {"output": "P"},
    },
    "ragas": {"user_input": "Q", "response": "P", "reference": "R"},
    "deepeval": {"input": "Q", "actual_output": "P", "expected_output": "R"},
    "opik": {"input": "Q", "output": "P", "expected_output": "R"},
}
"""Harness, as in the table of docs/answers.md -> a row in its form."""


@pytest.mark.parametrize("harness", HARNESSES)
def test_the_columns_that_docs_name_read_each_harness(tmp_path: Path, harness: str) -> None:
    """The answer is read, and the question and the true answer where the form has them."""
    page = (Path(__file__).parents[2] / "docs/answers.md").read_text(encoding="utf-8")
    (line,) = [line for line in page.splitlines() if line.startswith(f"| {harness} |")]
    columns = line.split("|")[2].strip().strip("`")

    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps(HARNESSES[harness]) + "\n")
    (answer,) = read_answers(path, LINES, Columns.parse(columns))
    assert answer.response.text == "P"
    assert answer.question == ("Q" if "question=" in columns else "")
    has_reference = "reference" in columns or "reference" in HARNESSES[harness]
    assert [*filter(None, answer.references)] == (["R"] if has_reference else [])


def test_a_batch_of_openai_or_vllm_is_read_as_it_is(tmp_path: Path) -> None:
    """By the ids of its requests; a request that failed is one, whatever its response says."""
    error = {"message": "too long"}
    lines = [
        {"custom_id": "a", "response": {"body": {"choices": [{"message": {"content": "B"}}]}}},
        {"custom_id": "b", "response": {"status_code": 400, "body": {}}, "error": error},
        {"custom_id": "c", "response": None, "error": None},
        {"custom_id": "d", "response": {"status_code": 500, "body": {}}, "error": None},
    ]
    lines = [{"id": f"batch_req_{number}", **line} for number, line in enumerate(lines)]
    path = tmp_path / "batch.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    first, second, third, fourth = read_answers(path, LINES)
    assert (first.id, first.response.text, first.response.failure) == ("a", "B", None)
    assert "too long" in second.response.failure
    assert third.response.failure
    assert fourth.response.failure == "status 500"


def test_an_object_that_is_no_true_answer_is_a_fault(tmp_path: Path) -> None:
    """Its text in Python's form would be compared with the answer."""
    path = tmp_path / "a.jsonl"
    row = {"question": "Q", "prediction": "P", "reference": [{"text": "R"}, "S"]}
    path.write_text(json.dumps(row))
    with pytest.raises(InputError, match="which are no texts"):
        read_answers(path, LINES)


def test_the_paper_and_question_of_visdoms_tables_are_an_id(tmp_path: Path) -> None:
    """`doc_id` is SPIQA's paper."""
    path = tmp_path / "visdom.csv"
    path.write_text("doc_id,question,response\n1611.04684v1,Which?,this\n")
    (answer,) = read_answers(path, TABLE)
    assert (answer.id, answer.paper, answer.question) == ("", "1611.04684v1", "Which?")


def test_the_signature_of_a_run_is_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Scored again, it names the host that made the answers, and the model."""
    (run,), _ = load_runs([RunPath(write_own(tmp_path, "m"))])
    again = run_json(capsys, "score", tmp_path)[1]["signature"]
    assert f"|host:{run.signature.host}|" in again
    assert "|model:m" in again
    assert "|model:m" in run.signature.text


def test_scores_of_samples_are_strict_json(tmp_path: Path) -> None:
    """A number that JSON lacks is null, so that every reader takes the file."""
    from spiqa_tasks.benchmarks.record import Record
    from spiqa_tasks.hosts.lmms_eval_files import LoggedAnswer, TaskLog, logged_sample

    answer = LoggedAnswer(Record("a", reference="a"), "a", 0)
    sample = logged_sample(answer, {"l3score": {"top_logprobs": [["no", float("-inf")]]}})
    config = {"metadata": {"version": 2.0}, "num_fewshot": 0}
    write_log(tmp_path, "m", "", {"t": TaskLog(config, {}, [sample], 1)})
    (path,) = tmp_path.glob("*_samples_t.jsonl")
    line = json.loads(path.read_text(), parse_constant=pytest.fail)
    assert line["l3score"]["top_logprobs"] == [["no", None]]


def test_a_folder_of_files_that_are_not_read_is_told_by_their_names(tmp_path: Path) -> None:
    """VLMEvalKit leaves scored copies and pickles, which have no answers for us."""
    (tmp_path / "M").mkdir()
    for name in ("M_MMStar_openai_result.xlsx", "M_MMStar.pkl"):
        (tmp_path / "M" / name).touch()
    with pytest.raises(InputError, match=r"only M_MMStar.pkl, M_MMStar_openai_result.xlsx, which"):
        read_path(tmp_path, ["mmstar_filtered"])


def test_answers_without_a_task_are_scored_again_from_their_scored_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The run has their questions and true answers, under a locale of ASCII, too."""
    row = {"question": "Größe?", "reference": "5 µm", "prediction": "5 µm"}
    (tmp_path / "q.jsonl").write_text(json.dumps(row, ensure_ascii=False), encoding="utf-8")
    locale = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "spiqa_tasks", "score", "q.jsonl", "--output", "out"]
    subprocess.run(
        [*command, "--judge", "none", "--metrics", "refusal_rate"],
        cwd=tmp_path,
        env={**os.environ, **locale},
        check=True,
        capture_output=True,
    )
    options = ["--judge", "none", "--metrics", "refusal_rate"]
    status, found, errors = run_json(capsys, "score", tmp_path / "out", *options)
    assert (status, found["metrics"]) == (0, {"refusal_rate": 0.0}), errors
