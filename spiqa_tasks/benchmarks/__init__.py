"""The three benchmarks: release files in, rows, prompts, records and metrics out."""

from spiqa_tasks.benchmarks.benchmark import Benchmark, parse_settings, settings_text
from spiqa_tasks.benchmarks.metric import Metric, RecordSet, Value
from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.registry import (
    BENCHMARKS,
    Task,
    load_rows,
    load_table,
    rows_for_scoring,
)
from spiqa_tasks.benchmarks.scorer import Scorer, make_scorer
from spiqa_tasks.benchmarks.signature import Signature

__all__ = [
    "BENCHMARKS",
    "Benchmark",
    "Metric",
    "Record",
    "RecordSet",
    "Response",
    "Scorer",
    "Signature",
    "Task",
    "Value",
    "load_rows",
    "load_table",
    "make_scorer",
    "parse_settings",
    "rows_for_scoring",
    "settings_text",
]
