"""The host itself with our patches: tasks that are found, models that are wrapped, baselines of
our samples.
"""

import json
from pathlib import Path

import pytest
from filter_runs import Filter
from host_files import FAILED, sample_of
from numbers_task import host_inspectors, manager

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.signature import version
from spiqa_tasks.hosts.lmms_eval.registration import register_tasks

pytestmark = pytest.mark.usefixtures("host")
OURS = {"spiqa_testA", "mmstar_filtered", "scifibench"}


@pytest.fixture
def indexed() -> None:
    """Our extension of the host's modules, which are imported before or after it."""
    register_tasks()


@pytest.mark.usefixtures("indexed")
def test_the_host_s_server_lists_our_tasks() -> None:
    """GET /tasks of `lmms-eval serve`."""
    from fastapi.testclient import TestClient
    from lmms_eval.entrypoints.http_server import app

    assert set(TestClient(app).get("/tasks").json()["tasks"]) >= OURS


@pytest.mark.usefixtures("indexed")
def test_a_written_task_that_cannot_work_any_more_is_not_indexed(
    source_task: Path, tmp_path: Path, run_filter: Filter
) -> None:
    """Without its source it does not break the host's index."""
    host_inspectors(tmp_path / "runs", {0})
    run_filter(tmp_path / "runs", "--write", "--include-path", source_task)
    assert "numbers_filtered" in manager().task_index
    (source_task / "numbers.yaml").unlink()
    assert "numbers_filtered" not in manager().task_index


@pytest.mark.usefixtures("indexed")
def test_a_commit_to_the_project_around_the_environment_is_no_version_of_the_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or each would have every answer in the response cache asked again; that of a clone is one."""
    from lmms_eval import utils

    for name in ("LMMS_EVAL_GIT_COMMIT", "GIT_COMMIT", "GITHUB_SHA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(utils.subprocess, "check_output", lambda *_, **__: b"0123abc")
    assert utils.get_lmms_eval_cache_version() == version("lmms-eval")

    (tmp_path / ".git").mkdir()
    monkeypatch.setattr(utils, "__file__", str(tmp_path / "lmms_eval" / "utils.py"))
    assert utils.get_lmms_eval_cache_version() == "0123abc"


@pytest.mark.usefixtures("indexed")
def test_a_baseline_has_the_score_of_ours_or_none(tmp_path: Path) -> None:
    """An answer of ours without a score is left out, not compared as a text; the host's own
    samples are as ever.
    """
    from lmms_eval.baselines.loader import load_baseline

    rows = load_rows("mmstar", "demo", "ablation=text")[:3]
    samples = [
        sample_of(row, answer)
        for row, answer in zip(rows, (rows[0]["answer"], "no", FAILED), strict=True)
    ]
    samples.append({"target": "A", "filtered_resps": ["a"]})
    path = tmp_path / "x_samples_t.jsonl"
    path.write_text(
        "".join(
            json.dumps({"doc_id": place, **sample}) + "\n" for place, sample in enumerate(samples)
        )
    )
    assert load_baseline(str(path), "t")[0] == {0: 1.0, 1: 0.0, 3: 1.0}
