"""`spiqa-tasks doctor`."""

import functools
import json
from pathlib import Path

import pytest
from forgetting import forget_bertscore
from openai_server import Behaviour, OpenAIServer

from spiqa_tasks import extras
from spiqa_tasks.cli import main
from spiqa_tasks.commands import doctor
from spiqa_tasks.hosts.lmms_eval import registration as lmms_eval
from spiqa_tasks.metrics import text_scores


def test_it_says_where_data_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The hub, or a folder; one that does not exist is a fault."""
    monkeypatch.delenv("SPIQA_TASKS_DATA", raising=False)
    assert main(["doctor", "--quick"]) == 0
    assert "ok       data: read from the Hugging Face hub" in capsys.readouterr().out
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(tmp_path))
    assert main(["doctor", "--quick"]) == 0
    assert f"ok       data: read from {tmp_path}; " in capsys.readouterr().out
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(tmp_path / "gone"))
    assert main(["doctor", "--quick"]) == 3
    assert "missing  data: Expected SPIQA_TASKS_DATA to name a folder" in capsys.readouterr().out


def test_a_judge_without_a_key_is_no_fault(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Somebody who runs MMStar needs none: a line says how to set it, and the status is 0."""
    monkeypatch.setenv("SPIQA_JUDGE", "openai:gpt-4o")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert main(["doctor", "--quick"]) == 0
    (line,) = (line for line in capsys.readouterr().out.splitlines() if " judge: " in line)
    assert line.startswith("absent   judge: The judge openai:gpt-4o needs a key")


def test_a_judge_that_does_not_answer_is_a_fault(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One whose server refuses its key is missing, and the status is 3."""
    with OpenAIServer(Behaviour(sticky="401")) as server:
        monkeypatch.setenv("SPIQA_JUDGE", f"openai:gpt-4o@{server.url}")
        assert main(["doctor", "--quick"]) == 3
    assert "missing  judge" in capsys.readouterr().out


def test_missing_extras_are_no_fault(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a judge or none, and no other extra; each has its command."""
    missing = {
        name: [] if name == "score" else [*modules] for name, modules in extras.EXTRAS.items()
    }
    monkeypatch.setattr(extras, "_missing", missing.__getitem__)
    assert main(["doctor", "--quick", "--json"]) == 0
    found = {finding["subject"]: finding for finding in json.loads(capsys.readouterr().out)}
    assert found["ocr"]["status"] == "extra"
    assert "pip install '.[ocr]'" in found["ocr"]["detail"]
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
    monkeypatch.setattr(lmms_eval, "failure_of_start", lambda: None)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert main(["doctor"]) == 3
    fault = "missing  VLMEvalKit: Expected an importable VLMEvalKit, found ModuleNotFoundError"
    assert fault in capsys.readouterr().out
    (package / "__init__.py").write_text(
        "build_dataset, DATASET_CLASSES, SUPPORTED_DATASETS = None, [], []\n"
    )
    assert main(["doctor"]) == 0
    assert "ok       VLMEvalKit: " in capsys.readouterr().out


def test_the_model_of_bertscore_is_looked_for_and_not_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It has 440 MB, and where the hub is out of reach asking for it takes a minute."""
    monkeypatch.setattr(text_scores, "is_installed", lambda _: True)
    loaded = functools.cache(lambda: pytest.fail("it was loaded"))
    monkeypatch.setattr(text_scores, "scorer_or_reason", loaded)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    assert main(["doctor", "--quick"]) == 0
    said = capsys.readouterr().out
    assert "extra    bertscore_f1: the first use downloads google-bert/bert-base-uncased" in said

    # the hub's layout: the commit of a branch, and the files of the commit
    model = tmp_path / "models--google-bert--bert-base-uncased"
    for name, content in (("refs/main", "c0ffee"), ("snapshots/c0ffee/model.safetensors", "")):
        (model / name).parent.mkdir(parents=True)
        (model / name).write_text(content)
    assert main(["doctor", "--quick"]) == 0
    assert "ok       bertscore_f1: available" in capsys.readouterr().out


def test_bertscore_without_its_package_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """That of its metric, which says what to install."""
    missing = extras._missing
    monkeypatch.setattr(
        extras, "_missing", lambda extra: ["bert_score"] if extra == "bertscore" else missing(extra)
    )
    forget_bertscore()
    main(["doctor", "--quick"])
    forget_bertscore()
    (line,) = (line for line in capsys.readouterr().out.splitlines() if "bertscore" in line)
    assert line == (
        "extra    bertscore_f1: the package bert-score is not installed; install it with: "
        "pip install '.[bertscore]'"
    )


HOST = """
def _enable_reentrant_filelocks():
    import filelock.{module}
"""


@pytest.mark.parametrize(("module", "status"), [("_gone", "missing"), ("asyncio", "ok")])
def test_whether_lmms_eval_starts_is_tried(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    module: str,
    status: str,
) -> None:
    """A host whose first function imports what its package no longer has is missing.

    With `--quick` that is not tried.
    """
    package = tmp_path / "lmms_eval"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "evaluator.py").write_text(HOST.format(module=module))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(doctor, "version", lambda _package: "0.7.3")

    assert lmms_eval_line(capsys, "--quick")["status"] == "ok"
    line = lmms_eval_line(capsys)
    assert line["status"] == status
    if status == "missing":
        assert (
            line["detail"]
            == "0.7.3 cannot start: ModuleNotFoundError: No module named 'filelock._gone'"
        )


@pytest.mark.usefixtures("host")
@pytest.mark.parametrize("found", ["0.7.2", "0.7.3", "0.8.0"])
def test_the_host_is_known_by_its_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], found: str
) -> None:
    """One that has every patched line is ok whatever its number: a clone's is older than its
    code.
    """
    monkeypatch.setattr(doctor, "version", lambda _package: found)
    assert lmms_eval_line(capsys, "--quick") == {
        "status": "ok",
        "subject": "lmms-eval",
        "detail": found,
    }


def lmms_eval_line(capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, str]:
    """The finding about lmms-eval."""
    main(["doctor", "--json", *options])
    findings: list[dict[str, str]] = json.loads(capsys.readouterr().out)
    (line,) = (
        finding
        for finding in findings
        if finding["subject"] == "lmms-eval" and finding["status"] != "extra"
    )
    return line
