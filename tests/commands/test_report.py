"""`spiqa-tasks report`: which files are written where, and what is refused."""

import json
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


def test_the_page_is_written_where_it_is_asked_for(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a folder that is made, its whole path printed; nothing else is written."""
    monkeypatch.chdir(tmp_path)
    assert main(["report", str(runs), "--html", "new/p.html", "--pictures", "none"]) == 0
    assert capsys.readouterr().out.splitlines() == [str(tmp_path / "new/p.html")]
    assert list(tmp_path.rglob("*.html")) == [tmp_path / "new/p.html"]
    assert 'id="picture-0"' not in (tmp_path / "new/p.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("form", ["--csv", "--json", "--markdown"])
def test_only_a_page_is_written(form: str, runs: Path, tmp_path: Path) -> None:
    """The values as a table of another form are printed by `score --by`, `compare` and `gain`."""
    with pytest.raises(SystemExit) as caught:
        main(["report", str(runs), form, str(tmp_path / "file")])
    assert caught.value.code == 2
    assert not (tmp_path / "file").exists()


def test_what_could_not_be_read_is_told(
    runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run without samples is named on stderr and in the report; a task that no run has is
    refused.
    """
    next((runs / "b").glob("*.jsonl")).unlink()
    path = tmp_path / "r.html"
    assert main(["report", str(runs), "--html", str(path)]) == 3
    remark = "mmstar_demo of openai,model_version=b has no samples; run it with --log_samples."
    assert remark in capsys.readouterr().err
    assert remark in path.read_text(encoding="utf-8")
    assert main(["report", str(runs), "--task", "spiqa_demo", "--html", str(path)]) == 2
    assert "spiqa_demo" in capsys.readouterr().err


def test_a_page_without_a_value_has_its_reason_on_stderr(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One of 24 requests failed, so that no metric has a value."""
    write_demo_run(tmp_path / "m", "m", lambda place, row: FAILED if place == 3 else row["answer"])
    assert main(["report", str(tmp_path / "m"), "--html", str(tmp_path / "r.html")]) == 0
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
    html = tmp_path / "r.html"
    assert main(["report", str(runs), "--html", str(html), "--pictures", "none"]) == 0
    page = html.read_text(encoding="utf-8")
    names = ["a", "b", "openai,model_version=c,temperature=1", "openai,model_version=c"]
    assert f'"runs":{json.dumps(names, separators=(",", ":"))}' in page
    assert "openai,max_new_tokens=9,model_version=a" in page.replace("<wbr>", "")
    assert "secret" not in page
    assert "user:word" not in page


def test_a_page_has_the_title_that_is_given(runs: Path, tmp_path: Path) -> None:
    """Else how many models and tasks it is of."""
    path = tmp_path / "r.html"
    for arguments, title in ((["--title", "My paper"], "My paper"), ([], "2 models on 1 task")):
        assert main(["report", str(runs), "--html", str(path), *arguments]) == 0
        assert f"<h1>{title}</h1>" in path.read_text(encoding="utf-8")
