"""`spiqa-tasks doctor`."""

import json
from pathlib import Path

import pytest

from spiqa_tasks import extras
from spiqa_tasks.cli import main
from spiqa_tasks.commands import doctor
from spiqa_tasks.extras import supported_versions


def test_absent_data_is_no_fault(capsys: pytest.CaptureFixture[str]) -> None:
    """Without any data the doctor names what fetches it, after all that works, and ends with status 0."""
    assert main(["doctor"]) == 0
    lines = capsys.readouterr().out.splitlines()
    (absent,) = (line for line in lines if line.startswith("absent   data of mmstar"))
    assert "spiqa-tasks prepare" in absent
    assert lines[0].startswith("ok ")
    statuses = [line.split()[0] for line in lines]
    assert "ok" not in statuses[statuses.index("absent") :]


def test_a_judge_that_cannot_be_asked_is_a_fault(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A judge without a key is missing, and the status is 3."""
    monkeypatch.setenv("SPIQA_JUDGE", "openai:gpt-4o")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert main(["doctor"]) == 3
    assert "missing  judge" in capsys.readouterr().out


def test_missing_extras_are_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With one task's data of each benchmark, a judge or none, and no other extra; each has its command."""
    for name in ("mmstar/mmstar.parquet", "scifibench/data/CS_Figure2Caption-0.parquet"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "spiqa" / "test-B" / "SPIQA_testB_Images").mkdir(parents=True)
    (tmp_path / "spiqa" / "test-B" / "SPIQA_testB.json").touch()
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(tmp_path))
    missing = {
        name: [] if name == "score" else [*extra.modules] for name, extra in extras.EXTRAS.items()
    }
    monkeypatch.setattr(extras, "_missing", missing.__getitem__)
    assert main(["doctor", "--json"]) == 0
    found = {finding["subject"]: finding for finding in json.loads(capsys.readouterr().out)}
    assert found["ocr"]["status"] == "extra"
    assert "pip install '.[ocr]'" in found["ocr"]["detail"]
    assert found["data of mmstar"]["status"] == "ok"
    assert "missing" not in {finding["status"] for finding in found.values()}


def test_a_host_that_cannot_be_imported_is_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """VLMEvalKit without a package that it needs and does not declare, and as it should be."""
    package = tmp_path / "vlmeval/dataset"
    package.mkdir(parents=True)
    (tmp_path / "vlmeval/config.py").touch()
    (package / "image_base.py").write_text("class ImageBaseDataset: ...\n")
    (package / "__init__.py").write_text("import rouge_score_of_tests\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert main(["doctor"]) == 3
    fault = "missing  VLMEvalKit: Expected an importable VLMEvalKit, found ModuleNotFoundError"
    assert fault in capsys.readouterr().out
    (package / "__init__.py").write_text(
        "build_dataset, DATASET_CLASSES, SUPPORTED_DATASETS = None, [], []\n"
    )
    assert main(["doctor"]) == 3  # as none of the lines is there that the patches are for
    said = capsys.readouterr().out
    assert "ok       VLMEvalKit: " in said
    assert "missing  patch of vlmeval.smp.file: expected the line `pickle.dump(data" in said


@pytest.mark.parametrize(
    ("found", "status"), [("0.7.2", "missing"), ("0.7.3", "ok"), ("0.8.0", "missing")]
)
def test_a_version_of_the_host_that_is_not_supported_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], found: str, status: str
) -> None:
    """The line has the version found and those supported."""
    monkeypatch.setattr(doctor, "version", lambda _package: found)
    main(["doctor", "--json"])
    (line,) = (
        each
        for each in json.loads(capsys.readouterr().out)
        if each["subject"] == "lmms-eval" and each["status"] != "extra"
    )
    assert line == {
        "status": status,
        "subject": "lmms-eval",
        "detail": f"{found} (supported: {supported_versions('lmms-eval')})",
    }
