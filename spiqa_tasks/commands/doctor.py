"""`doctor`: what works on this machine and what is missing."""

from __future__ import annotations

import argparse
import os
from importlib.metadata import entry_points
from typing import Any

from spiqa_tasks.benchmarks.availability import is_there
from spiqa_tasks.benchmarks.registry import BENCHMARKS
from spiqa_tasks.benchmarks.signature import version
from spiqa_tasks.errors import SpiqaTasksError
from spiqa_tasks.files.cache import cache_folder
from spiqa_tasks.files.source import default_source
from spiqa_tasks.hosts.lmms_eval.catalogue import catalogue

Finding = tuple[bool, str, str]


def add(subparsers: Any) -> None:
    """Add the subcommand."""
    doctor = subparsers.add_parser("doctor", help="check the installation, the data and the judge")
    doctor.set_defaults(run=run)


def run(_: argparse.Namespace) -> int:
    """Print one line per finding; 0 when nothing is missing, else 3."""
    findings = [_host(), _entry_point(), _cache(), *_data(), *_text_metrics(), _judge()]
    for fine, subject, detail in findings:
        print(f"{'ok     ' if fine else 'missing'}  {subject}: {detail}")
    return 0 if all(fine for fine, _, _ in findings) else 3


def _host() -> Finding:
    found = version("lmms-eval")
    return found.startswith("0.7."), "lmms-eval", f"{found} (0.7.3 or a later 0.7 is needed)"


def _entry_point() -> Finding:
    names = [entry.name for entry in entry_points(group="lmms_eval.models")]
    there = "spiqa_tasks" in names
    return there, "registration", "lmms-eval finds the tasks" if there else "install the package again with pip"


def _cache() -> Finding:
    try:
        return True, "cache", str(cache_folder())
    except SpiqaTasksError as error:
        return False, "cache", str(error)


def _data() -> list[Finding]:
    try:
        source = default_source()
    except SpiqaTasksError as error:
        return [(False, "data", str(error))]
    tasks, _ = catalogue()
    findings = []
    for benchmark in BENCHMARKS:
        own = [task for task in tasks.values() if task.benchmark == benchmark and not task.split.startswith("demo")]
        ready = [task for task in own if is_there(source, benchmark, task.split, task.settings)]
        detail = f"{len(ready)} of {len(own)} tasks have their data; fetch it with: spiqa-tasks prepare TASK"
        findings.append((bool(ready), f"data of {benchmark}", detail))
    return findings


def _text_metrics() -> list[Finding]:
    from spiqa_tasks.metrics.text_scores import available_metrics

    return [(reason is None, name, reason or "available") for name, reason in available_metrics().items()]


def _judge() -> Finding:
    from spiqa_tasks.judge.config import judge_from_environ
    from spiqa_tasks.judge.l3 import L3Judge

    try:
        config = judge_from_environ(os.environ)
        if config is None:
            return True, "judge", "switched off (SPIQA_JUDGE=none)"
        verdict = L3Judge(config).preflight()[0]
        return True, "judge", f"{config.name} answers as {verdict.model}" + (f" at {config.url}" if config.url else "")
    except SpiqaTasksError as error:
        return False, "judge", str(error)
