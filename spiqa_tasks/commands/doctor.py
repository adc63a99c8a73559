"""`doctor`: check of the installation, the data and the judge."""

from __future__ import annotations

import argparse
import os
from importlib.metadata import entry_points
from typing import Literal, NamedTuple, get_args

from spiqa_tasks.benchmarks.registry import BENCHMARKS, is_there
from spiqa_tasks.benchmarks.signature import version
from spiqa_tasks.errors import SpiqaTasksError
from spiqa_tasks.extras import EXTRAS, how_to_install, is_installed, supported_versions
from spiqa_tasks.files.atomic import cache_folder
from spiqa_tasks.files.source import default_source
from spiqa_tasks.hosts.catalogue import catalogue
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.judge.resolve import judge_from_environ
from spiqa_tasks.judge.rules.l3score import L3ScoreRule
from spiqa_tasks.metrics.text_scores import available_metrics
from spiqa_tasks.report.printer import Table, add_format, render

Status = Literal["ok", "missing", "absent", "extra"]
STATUSES: tuple[Status, ...] = get_args(Status)
"""Works; needed by scoring or runs; data to fetch; optional: the order of the printed lines."""


class Finding(NamedTuple):
    """Status of one part of the installation."""

    status: Status
    subject: str
    detail: str


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print one line per finding, what works first; 0 when nothing but data and extras is missing, else 3."""
    scores = [*_data(), *_text_metrics()] if is_installed("score") else []
    findings = [*_lmms_eval(), *_vlmevalkit(), *_extras(), _cache(), *scores, _judge()]
    findings.sort(key=lambda finding: STATUSES.index(finding.status))
    if arguments.format == "text":  # a line each, from which a command can be copied
        for finding in findings:
            print(f"{finding.status:8} {finding.subject}: {finding.detail}")
    else:
        print(render(arguments.format, Table([each._asdict() for each in findings], ["status", "subject"], ["detail"])))
    return 3 if any(finding.status == "missing" for finding in findings) else 0


def _lmms_eval() -> list[Finding]:
    found = version("lmms-eval")
    if found == "absent":
        return []
    supported = supported_versions("lmms-eval")
    registered = any(entry.name == "spiqa_tasks" for entry in entry_points(group="lmms_eval.models"))
    return [
        Finding("ok" if found in supported else "missing", "lmms-eval", f"{found} (supported: {supported})"),
        Finding("ok", "registration", "lmms-eval finds the tasks")
        if registered
        else Finding("missing", "registration", "lmms-eval does not find the tasks; install this package again"),
    ]


def _vlmevalkit() -> list[Finding]:
    if not is_installed("vlmevalkit"):
        return []
    from spiqa_tasks.hosts.vlmevalkit.patches import host_version
    from spiqa_tasks.hosts.vlmevalkit.registration import fault_of_import

    fault = fault_of_import()
    return [Finding("missing", "VLMEvalKit", fault) if fault else Finding("ok", "VLMEvalKit", host_version())]


def _extras() -> list[Finding]:
    return [
        Finding("ok", name, f"installed, for {extra.purpose}")
        if is_installed(name)
        else Finding("extra", name, f"not installed; for {extra.purpose}: {how_to_install(name)}")
        for name, extra in EXTRAS.items()
        # They have lines of their own.
        if name != "bertscore"
        and (name != "lmms-eval" or version(name) == "absent")
        and (name != "vlmevalkit" or not is_installed(name))
    ]


def _cache() -> Finding:
    try:
        return Finding("ok", "cache", str(cache_folder()))
    except SpiqaTasksError as error:
        return Finding("missing", "cache", str(error))


def _data() -> list[Finding]:
    try:
        source = default_source()
    except SpiqaTasksError as error:
        return [Finding("missing", "data", str(error))]
    tasks, _ = catalogue()
    findings = []
    for benchmark in BENCHMARKS:
        own = [task for task in tasks.values() if task.benchmark == benchmark and not task.split.startswith("demo")]
        ready = [task for task in own if is_there(source, benchmark, task.split, task.settings)]
        detail = f"{len(ready)} of {len(own)} tasks have their data; fetch it with: spiqa-tasks prepare TASK"
        findings.append(Finding("ok" if ready else "absent", f"data of {benchmark}", detail))
    return findings


def _text_metrics() -> list[Finding]:
    return [
        Finding("ok", name, "available") if reason is None else Finding("extra", name, reason)
        for name, reason in available_metrics().items()
    ]


def _judge() -> Finding:
    try:
        config = judge_from_environ(os.environ)
        if config is None:
            return Finding("ok", "judge", "switched off (SPIQA_JUDGE=none)")
        verdict = Judge(config, L3ScoreRule()).preflight()[0]
        place = f" at {config.url}" if config.url else ""
        return Finding("ok", "judge", f"{config.name} answers as {verdict.model}{place}")
    except SpiqaTasksError as error:
        return Finding("missing", "judge", str(error))
