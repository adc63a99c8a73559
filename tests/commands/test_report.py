"""`spiqa-tasks report`: which files are written where, and what is refused."""

import json
import sys
from pathlib import Path

import pytest
from host_files import FAILED, write_demo_run

from spiqa_tasks.cli import main


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Two runs of one task."""
    for name in ("a", "b"):
        write_demo_run(tmp_path / "runs" / name, name, lambda _, row: row["answer"])
    return tmp_path / "runs"


def test_the_command_writes_the_page_and_prints_its_path(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without options it is report.html in this folder."""
    monkeypatch.chdir(tmp_path)
    assert main(["report", str(runs)]) == 0
    assert capsys.readouterr().out.splitlines() == [str(tmp_path / "report.html")]
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert text.count('class="plot"') >= 3
    assert 'id="picture-0"' in text
    for outside in ('src="http', 'href="http', "url(http", "@import"):
        assert outside not in text.partition('id="data"')[0]


def test_every_file_that_is_asked_for_is_written(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In folders that are made, their whole paths printed; other files than the page are alone
    unless it is named.
    """
    monkeypatch.chdir(tmp_path)
    names = {
        "--markdown": "new/r.md",
        "--csv": "new/r.csv",
        "--json": "new/r.json",
    }
    arguments = [part for pair in names.items() for part in pair]
    assert main(["report", str(runs), *arguments]) == 0
    assert capsys.readouterr().out.splitlines() == [str(tmp_path / name) for name in names.values()]
    assert (tmp_path / "new/r.md").read_text().startswith("# 2 models on 1 task")
    assert (tmp_path / "new/r.csv").read_text().startswith("model,task,metric,group,")
    assert len(json.loads((tmp_path / "new/r.json").read_text())) > 2
    assert not list(tmp_path.rglob("*.html"))
    assert (
        main(["report", str(runs), "--html", "p.html", "--csv", "new/r.csv", "--pictures", "none"])
        == 0
    )
    assert capsys.readouterr().out.splitlines() == [
        str(tmp_path / name) for name in ("p.html", "new/r.csv")
    ]
    assert 'id="picture-0"' not in (tmp_path / "p.html").read_text(encoding="utf-8")


def test_tables_need_nothing_of_the_page(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are written without the package that fills its template."""
    monkeypatch.setitem(sys.modules, "jinja2", None)
    for form in ("markdown", "csv", "json"):
        assert main(["report", str(runs), f"--{form}", str(tmp_path / form)]) == 0
    assert main(["report", str(runs), "--html", str(tmp_path / "html")]) != 0


def test_what_could_not_be_read_is_told(
    runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run without samples is named on stderr and in the report; a task that no run has is
    refused.
    """
    next((runs / "b").glob("*.jsonl")).unlink()
    path = tmp_path / "r.md"
    assert main(["report", str(runs), "--markdown", str(path)]) == 3
    remark = "mmstar_demo of openai,model_version=b has no samples; run it with --log_samples."
    assert remark in capsys.readouterr().err
    assert remark in path.read_text().replace("\\", "")
    assert main(["report", str(runs), "--task", "spiqa_demo", "--markdown", str(path)]) == 2
    assert "spiqa_demo" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["csv", "json"])
def test_a_file_without_a_value_has_its_reason_on_stderr(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of files that have no place for it: one of 24 requests failed, so that no metric has a
    value.
    """
    write_demo_run(tmp_path / "m", "m", lambda place, row: FAILED if place == 3 else row["answer"])
    assert main(["report", str(tmp_path / "m"), f"--{form}", str(tmp_path / "file")]) == 0
    told = capsys.readouterr().err
    assert "mmstar_demo of m: accuracy, accuracy_released" in told
    assert "23 of 24 answers have a score, fewer than 99%." in told


def test_models_are_called_by_their_checkpoint(runs: Path, tmp_path: Path) -> None:
    """The whole model is in the signature, and is the name of two models of one checkpoint; keys
    are never shown.
    """
    for path in runs.rglob("*_results.json"):
        content = json.loads(path.read_text())
        content["config"]["model_args"] += (
            ",base_url=http://user:word@host:1/v1,api_key=sk-secret,max_new_tokens=9"
        )
        path.write_text(json.dumps({**content, "config": {**content["config"], "limit": 24}}))
    write_demo_run(tmp_path / "runs" / "c", "c,temperature=1", lambda _, row: row["answer"])
    write_demo_run(tmp_path / "runs" / "d", "c", lambda _, row: row["answer"])
    names = [str(tmp_path / name) for name in ("r.json", "r.html")]
    assert (
        main(["report", str(runs), "--json", names[0], "--html", names[1], "--pictures", "none"])
        == 0
    )
    found = {
        record["model"]: record["signature"] for record in json.loads(Path(names[0]).read_text())
    }
    assert list(found) == [
        "a",
        "b",
        "openai,model_version=c,temperature=1",
        "openai,model_version=c",
    ]
    assert "|model:openai,max_new_tokens=9,model_version=a" in found["a"]
    page = Path(names[1]).read_text(encoding="utf-8")
    assert "secret" not in page
    assert "user:word" not in page


def test_a_page_has_the_title_that_is_given(runs: Path, tmp_path: Path) -> None:
    """Else how many models and tasks it is of."""
    path = tmp_path / "r.md"
    for arguments, title in ((["--title", "My paper"], "My paper"), ([], "2 models on 1 task")):
        assert main(["report", str(runs), "--markdown", str(path), *arguments]) == 0
        assert path.read_text().splitlines()[0] == f"# {title}"
