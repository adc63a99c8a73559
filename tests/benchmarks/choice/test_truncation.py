"""Answers that ended at the limit of generated tokens are counted where the model tells their length."""

from __future__ import annotations

import math

import pytest

from spiqa_tasks.benchmarks.choice.records import TRUNCATED_RATE, truncation_remark
from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.scorer import make_scorer


def _record(truncated: bool | None, benchmark: str = "mmstar") -> Record:
    row = load_rows(benchmark, "demo", "ablation=text")[0]
    return make_scorer(benchmark, "ablation=text", "test", None).record(row, Response("B", truncated=truncated))


@pytest.mark.parametrize("benchmark", ["mmstar", "scifibench"])
def test_a_record_keeps_whether_its_answer_was_cut_off(benchmark: str) -> None:
    """It says so, says not, or says nothing, also after it was logged and read again."""
    for truncated in (True, False):
        assert Record.from_dict(_record(truncated, benchmark).as_dict()).details["truncated"] is truncated
    assert "truncated" not in _record(None, benchmark).details


def test_rate_is_over_answers_of_known_length() -> None:
    """One of four gives 0.25; where no length is known the rate has no value."""
    records = [Record(str(index), details={"truncated": index == 0}) for index in range(4)]
    assert TRUNCATED_RATE.compute(records).value == 0.25
    assert "truncated_rate 0.2500: 1 of 4 answers" in truncation_remark(records)[0]
    unknown = TRUNCATED_RATE.compute([_record(None)])
    assert math.isnan(unknown.value)
    assert unknown.n == 0
    assert truncation_remark([_record(None)]) == []
