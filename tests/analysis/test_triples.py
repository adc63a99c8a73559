"""Which runs belong together."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from gain_files import LLM, rights, write_triple
from host_files import choice_samples, write_run
from run_command import run_json

Gain = Callable[..., tuple[int, list[dict[str, Any]], str]]


@pytest.fixture
def gain(capsys: pytest.CaptureFixture[str]) -> Gain:
    """Runs the command: (exit status, records, stderr)."""
    return partial(run_json, capsys, "gain")


def test_wrapped_model_is_paired_with_its_base(tmp_path: Path, gain: Gain) -> None:
    """The base and its arguments say which run with images belongs to one without; each ablation is a row."""
    write_run(tmp_path, "m", {"t": choice_samples(rights(3, 4))}, "pretrained=a,batch=2", stamp="1")
    write_run(tmp_path, "m", {"t": choice_samples(rights(4, 4))}, "pretrained=b,batch=2", stamp="2")
    for stamp, kind, right in (("3", "grey", 2), ("4", "shuffled", 1)):
        args = f"base=m,ablation={kind},seed=1,pretrained=a,batch=2"
        write_run(tmp_path, "ablated", {"t": choice_samples(rights(right, 4))}, args, stamp=stamp)
    status, records, errors = gain(tmp_path)
    overall = {record["ablation"]: record for record in records if record["group"] == "all"}
    assert {name: (record["s_v"], record["s_wv"]) for name, record in overall.items()} == {
        "grey": (0.75, 0.5),
        "shuffled": (0.75, 0.25),
    }
    assert overall["grey"]["ml"] is None
    assert status == 3
    assert "m,batch=2,pretrained=b on t without images" in errors


def test_newest_of_two_equal_runs_counts(tmp_path: Path, gain: Gain) -> None:
    """A repeated run replaces the older one."""
    write_triple(tmp_path, rights(1, 4), rights(1, 4), None)
    write_run(tmp_path, "m", {"mmstar_filtered": choice_samples(rights(4, 4))}, "pretrained=a", stamp="9")
    assert gain(tmp_path)[1][0]["s_v"] == 1.0


def test_any_run_can_be_the_llm_base(tmp_path: Path, gain: Gain) -> None:
    """`--llm` names the run of a text-only model on the plain task."""
    write_triple(tmp_path / "m", rights(3, 4), rights(2, 4), None)
    write_run(tmp_path / "base", "llm", {"mmstar_filtered": choice_samples(rights(1, 4))}, stamp="1")
    _, records, _ = gain(tmp_path / "m", "--llm", tmp_path / "base")
    assert (records[0]["s_t"], records[0]["ml"]) == (0.25, 0.25)


def test_two_llm_bases_are_refused(tmp_path: Path, gain: Gain) -> None:
    """Which base is meant must be said."""
    write_triple(tmp_path, rights(3, 4), rights(2, 4), rights(1, 4))
    write_run(tmp_path, "other", {"mmstar_filtered_llm": choice_samples(rights(1, 4))}, stamp="4", settings=LLM)
    status, _, errors = gain(tmp_path)
    assert status == 2
    assert "one LLM base for mmstar_filtered; found llm,pretrained=b and other" in errors


def test_submission_files_of_host_tasks_are_passed_over(tmp_path: Path, gain: Gain) -> None:
    """MMBench writes `..._results.json` of its own into the output folder."""
    write_triple(tmp_path, rights(3, 4), rights(2, 4), None)
    (tmp_path / "submissions").mkdir()
    (tmp_path / "submissions" / "mmbench_en_dev_static_results.json").write_text('{"overall_acc": 0.5}')
    assert gain(tmp_path)[0] == 0
