"""VLMEvalKit's folders as they are: several models, dates, forms and datasets."""

import os
from pathlib import Path
from typing import Any

import pytest
from answer_files import mmstar_table, rows_of, write_run_file, write_table
from run_command import run_json

from spiqa_tasks.cli import main
from spiqa_tasks.hosts.catalogue import find_tasks
from spiqa_tasks.runs.loading import load_runs
from spiqa_tasks.runs.paths import RunPath, read_runs

(DEMO,) = find_tasks(["mmstar_demo"])
ROWS = rows_of(DEMO)
FIRST, SECOND = "T20260101-120000", "T20260102-080000"
Said = pytest.CaptureFixture[str]


@pytest.mark.parametrize("suffix", ["xlsx", "tsv", "json"])
def test_every_model_is_read_in_every_form(tmp_path: Path, suffix: str) -> None:
    """In the folder of a model, or in that of a date; scored copies and other datasets are left
    out.
    """
    for model, date in (("a", ""), ("b_MMStar", FIRST), ("org--c", FIRST)):
        folder = tmp_path / model / date
        write_table(mmstar_table(ROWS), folder / f"{model}_MMStar.{suffix}")
        write_table(
            mmstar_table(ROWS).assign(hit=1),
            folder / f"{model}_MMStar_exact_matching_result.{suffix}",
        )
        write_table(mmstar_table(ROWS), folder / f"{model}_MMBench_DEV_EN.{suffix}")
        (folder / "status.json").write_text("{}")
    runs, _ = read_runs(RunPath(tmp_path))
    names = ["a,host=vlmevalkit", "b_MMStar,host=vlmevalkit", "org--c,host=vlmevalkit"]
    assert sorted(run.name for run in runs) == names
    assert {(run.task, run.form, len(run.read())) for run in runs} == {
        ("mmstar_filtered", "vlmevalkit", len(ROWS))
    }
    (run,), _ = read_runs(RunPath(tmp_path / "org--c" / FIRST))
    assert run.name == names[2]


def test_the_newest_date_counts_unless_it_asked_less(tmp_path: Path) -> None:
    """A sentence says so; what the host has linked to a model's folder is the same file."""
    for date, asked in ((FIRST, len(ROWS)), (SECOND, len(ROWS))):
        write_table(mmstar_table(ROWS[:asked]), tmp_path / "m" / date / "m_mmstar_demo.tsv")
    os.symlink(f"{SECOND}/m_mmstar_demo.tsv", tmp_path / "m" / "m_mmstar_demo.tsv")
    (run,), remarks = load_runs([RunPath(tmp_path)])
    assert (run.path.parent.name, run.value(run.metric()).value) == (SECOND, 1.0)
    assert f"{SECOND}/m_mmstar_demo.tsv counts, not " in remarks[0]
    write_table(mmstar_table(ROWS[:5]), tmp_path / "m" / SECOND / "m_mmstar_demo.tsv")
    (run,), remarks = load_runs([RunPath(tmp_path)])
    assert run.path.parent.name == FIRST
    assert "was run again" in remarks[0]


def test_scores_beside_answers_count_and_answers_made_after_them_too(tmp_path: Path) -> None:
    """Of one task's scores and another's answers both are read; answers that are newer than
    their scores are scored.
    """
    right = {row["id"]: row["answer"] for row in ROWS}
    path = write_table(mmstar_table(ROWS), tmp_path / "m/m_mmstar_demo.tsv")
    os.utime(path, (1e9, 1e9))
    write_run_file(tmp_path, "mmstar_demo", "m,host=vlmevalkit", right)
    write_table(mmstar_table(ROWS).head(5), tmp_path / "m/m_mmstar_demo_text.xlsx")
    write_table(mmstar_table(ROWS), tmp_path / "m" / "mmstar_demo.tsv")

    def forms() -> list[tuple[str, str]]:
        return sorted((run.task, run.path.suffix) for run in load_runs([RunPath(tmp_path)])[0])

    plain = ("mmstar_demo", ".tsv")  # not named after its folder, so none of the host's
    others = [plain, ("mmstar_demo_text", ".xlsx")]
    assert forms() == [("mmstar_demo", ".json"), *others]
    os.utime(path, (3e9, 3e9))
    assert forms() == [plain, *others]


@pytest.mark.parametrize("date", ["", FIRST])
def test_a_run_that_the_host_scored_is_one_run(tmp_path: Path, date: str) -> None:
    """Its scores are written beside its answers, of which nothing is said."""
    folder = tmp_path / "m" / date
    os.utime(write_table(mmstar_table(ROWS), folder / "m_mmstar_demo.tsv"), (1e9, 1e9))
    right = {row["id"]: row["answer"] for row in ROWS}
    results = write_run_file(tmp_path / "x", "mmstar_demo", "m,host=vlmevalkit", right)
    for file in results.parent.iterdir():
        file.rename(folder / file.name)
    (run,), remarks = load_runs([RunPath(tmp_path)])
    assert (run.path.name, remarks) == (results.name, [])


def test_every_command_takes_the_folder(tmp_path: Path, capsys: Said) -> None:
    """Score with the host's own matching, gain, compare, breakdown, filter and report."""
    wrong = [
        "I see many things: "
        + "A " * 9
        + "or maybe the answer is B, as nothing else fits it here at all."
    ] * 12
    for model, task, given in (
        ("m", "mmstar_demo", []),
        ("m", "mmstar_demo_text", wrong),
        ("n", "mmstar_demo", wrong),
    ):
        write_table(mmstar_table(ROWS, given), tmp_path / model / f"{model}_{task}.xlsx")
    status, scored, said = run_json(capsys, "score", tmp_path)
    assert status == 0, said
    assert [each["metrics"]["accuracy_vlmevalkit"] for each in _of(scored, "mmstar_demo")] == [
        1.0,
        0.5,
    ]
    status, gain, said = run_json(capsys, "gain", tmp_path / "m", "--task", "mmstar_demo")
    assert status == 0, said
    (row,) = (row for row in gain if row["group"] == "all" and row["s_wv"] is not None)
    assert (row["s_v"], row["s_wv"]) == (
        1.0,
        _of(scored, "mmstar_demo_text")[0]["metrics"]["accuracy"],
    )
    for command in (["compare"], ["score", "--by", "group"]):
        status, found, said = run_json(capsys, *command, tmp_path, "--task", "mmstar_demo")
        assert (status, bool(found)) == (0, True), said
    status, kept, said = run_json(capsys, "filter", "mmstar_demo_text=" + str(tmp_path / "m"))
    assert (status, bool(kept)) == (0, True), said
    pytest.importorskip("jinja2", reason="the extra `report` is not installed")
    assert main(["report", str(tmp_path)]) == 0
    assert "m,host=vlmevalkit" in Path("report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("content", ["[1]", '{"datasets": 1, "model_name": "m"}', '{"ok": true}'])
def test_the_hosts_record_of_a_run_is_passed(tmp_path: Path, content: str) -> None:
    """It is no file of answers."""
    write_table(mmstar_table(ROWS), tmp_path / "m" / "m_mmstar_demo.tsv")
    (tmp_path / "m" / "status.json").write_text(content)
    (run,), remarks = load_runs([RunPath(tmp_path)])
    assert (run.task, remarks) == ("mmstar_demo", [])


def _of(scored: Any, task: str) -> list[dict[str, Any]]:
    """Return the objects of a task's runs, one for each model."""
    (found,) = (each for each in scored if each["task"] == task)
    return list(found.get("results", [found]))


@pytest.mark.parametrize("newer", ["tsv", "xlsx"])
def test_of_two_forms_of_a_table_the_one_written_last_counts(tmp_path: Path, newer: str) -> None:
    """PRED_FORMAT may change between two runs of a model."""
    table = mmstar_table(rows_of(*find_tasks(["mmstar_demo"])))
    for form in ("tsv", "xlsx"):
        path = write_table(table, tmp_path / "m" / f"m_mmstar_demo.{form}")
        os.utime(path, times=(2e9, 2e9) if form == newer else (1e9, 1e9))
    (run,), (remark,) = load_runs([RunPath(tmp_path)])
    assert run.path.suffix == f".{newer}"
    assert f"m_mmstar_demo.{newer} counts, not" in remark


@pytest.mark.parametrize("command", ["score", "gain", "compare", "report"])
def test_a_folder_without_our_tasks_is_not_read_and_says_what_is_needed(
    tmp_path: Path, capsys: Said, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """Its tables may be large."""
    for date in (FIRST, SECOND):
        for name in ("MMBench_DEV_EN", "BigVQA", "BigVQA_gpt-4o_result"):
            write_table(mmstar_table(ROWS), tmp_path / "m" / date / f"m_{name}.tsv")
    monkeypatch.setattr(
        "spiqa_tasks.runs.columns.read_records", lambda _: pytest.fail("a table was read")
    )
    assert main([command, str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert f"Expected tables of MMStar in {tmp_path}, found those of other datasets." in said
    assert f"Name one, such as {tmp_path}/m/{FIRST}/m_BigVQA.tsv." in said
    assert "run again" not in said
