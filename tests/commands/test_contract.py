"""All commands: unusable input is status 2 and one sentence, every form is valid, no file that
is read is written.
"""

import csv
import io
import json
from functools import partial
from pathlib import Path

import pytest
from answer_files import right_answers, write_jsonl
from host_files import write_demo_run

from spiqa_tasks.cli import main
from spiqa_tasks.report.printer import FORMS

REFUSALS = {
    "prepare spiqa_testa": "spiqa_testA",
    "score spiqa_demo": "Name one, or a task and the answers to it.",
    "score spiqa p.jsonl": "Name one of them, not a group: spiqa_testA, spiqa_testB, spiqa_testC.",
    "score mmstar_demo p.jsonl --rule sampled": "no --rule for mmstar_demo",
    "score spiqa_demo p.jsonl --judge anthropic:claude-3-haiku": "cannot be judged by anthropic",
    "score mine.yaml p.jsonl": "Expected a task or answers, found the YAML mine.yaml. Name",
    "score spiqa_demo p.jsonl --rule sampled:0": "a number of draws from 1 to 1000, found 0",
    "score spiqa_demo p.jsonl --metrics nonsense": "Expected metrics of spiqa_demo (l3score,",
    "score spiqa_demo p.jsonl --metrics l3score --judge none": ("found none: there is no judge"),
    "score spiqa_demo absent.jsonl": "There is no file or folder absent.jsonl.",
    "score p.jsonl --columns prediction=x": (
        "Expected the column x of --columns in p.jsonl, found id, prediction"
    ),
    "score spiqa_demo p.jsonl --include-path absent": "a folder with YAMLs of tasks, found absent",
    "score spiqa_demo p.jsonl --columns predictions=x": (
        "with fields among id, prediction, question, reference"
    ),
    "score empty --by group": "Expected answers in empty, found none.",
    "choices p.txt": "Expected answers in p.txt, found none.",
    "report empty": "Expected answers in empty, found none. Give the output folder of a host",
    "compare empty": "Expected answers in empty, found none.",
    "gain empty": "Expected answers in empty, found none.",
    "gain": "Expected RUNs, or --with FILE --without FILE",
    "filter empty": "Expected answers in empty, found none.",
    "paper spiqa table99 empty": "found table99. `spiqa-tasks paper spiqa` lists them.",
    "paper spiqa table8": "Expected runs of spiqa for Table 8, found none.",
    "calibrate none --judge openai:m": "no such file",
    "export mmstar_demo --output new": (
        "Expected a task of SPIQA such as spiqa_train; found mmstar_demo."
    ),
    "export spiqa --output new": "Expected a task of SPIQA such as spiqa_train; found spiqa.",
    "export spiqa_demo --settings colour=red --output new": "colour",
    "report spiqa_demo=p.jsonl --html p.jsonl": "a file of its own",
}
"""Command line in a folder of files -> part of the message."""


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an answer, a label, a text and an empty folder."""
    folder = tmp_path_factory.mktemp("inputs")
    (folder / "empty").mkdir()
    (folder / "p.jsonl").write_text(
        '{"id": "demo01.00001v1/0", "prediction": "The gateway.", "question": "Which?"}\n'
    )
    (folder / "t.jsonl").write_text('{"id": 1, "question": "Which?", "answer": "a"}\n')
    label = {"question": "Which?", "reference": "a", "prediction": "a", "label": True}
    (folder / "labels.jsonl").write_text(f"{json.dumps(label)}\n")
    (folder / "p.txt").write_bytes(b"\xff")
    return folder


@pytest.mark.parametrize("line", REFUSALS)
def test_unusable_input_is_status_2_and_one_sentence(
    line: str, inputs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On stderr, without a traceback; nothing is printed or written."""
    monkeypatch.chdir(inputs)
    before = {path: path.read_bytes() for path in inputs.iterdir() if path.is_file()}
    assert main(line.split()) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    *_, last = printed.err.splitlines()
    assert last.startswith("spiqa-tasks: ")
    assert REFUSALS[line] in last
    assert {path: path.read_bytes() for path in inputs.iterdir() if path.is_file()} == before


def test_a_wrong_data_folder_is_status_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As of every command that needs it."""
    monkeypatch.setenv("SPIQA_TASKS_DATA", "/does/not/exist")
    assert main(["prepare", "mmstar_filtered"]) == 2
    assert "SPIQA_TASKS_DATA" in capsys.readouterr().err


@pytest.fixture(scope="module")
def whole_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models' whole runs of one task; beside the folder, answers of an LLM after examples."""
    folder = tmp_path_factory.mktemp("runs")
    for model, every in (("a", 2), ("b", 3)):
        answers = partial(lambda every, place, row: row["answer"] if place % every else "E", every)
        write_demo_run(folder / model, model, answers)
    (folder / "answers.jsonl").write_text(
        '{"id": "x", "response": "B", "choices": ["red", "blue"]}\n', encoding="utf-8"
    )
    of_llm = dict(right_answers("mmstar_demo_llm"))
    write_jsonl(folder.with_name(f"{folder.name}-llm") / "m_mmstar_demo_llm.jsonl", of_llm)
    return folder


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "command",
    [
        *(
            "score --by group {}",
            "paper mmstar table4 {}-llm",
            "paper spiqa",
            "compare {}",
            "score {}",
        ),
        *("list", "doctor --quick", "choices {}/answers.jsonl"),
    ],
)
def test_every_command_takes_every_form(
    command: str,
    form: str,
    whole_runs: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The same option, the same names."""
    monkeypatch.setenv("SPIQA_JUDGE", "none")
    assert main([*command.format(whole_runs).split(), "--format", form]) == 0
    printed = capsys.readouterr().out
    if form == "json":
        assert json.loads(printed)
    elif form == "csv":
        assert len({len(row) for row in csv.reader(io.StringIO(printed))}) == 1
    elif (command, form) == ("doctor --quick", "text"):
        assert printed.startswith("ok  ")
    else:
        assert {"text": "---", "md": "|", "latex": r"\toprule"}[form] in printed
