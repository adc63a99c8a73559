"""`doctor`: check of the installation, the data and the judge."""

import argparse
import os
from collections.abc import Iterator

from spiqa_tasks.benchmarks.registry import BENCHMARKS, is_there
from spiqa_tasks.benchmarks.signature import version
from spiqa_tasks.errors import SpiqaTasksError
from spiqa_tasks.extras import EXTRAS, how_to_install, is_installed, supported_versions
from spiqa_tasks.files.source import default_source
from spiqa_tasks.hosts.after_import import unmatched
from spiqa_tasks.hosts.catalogue import catalogue
from spiqa_tasks.hosts.lmms_eval import registration as lmms_eval
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.judge.resolve import judge_from_environ
from spiqa_tasks.judge.rules.l3score import L3ScoreRule
from spiqa_tasks.metrics.text_scores import available_metrics
from spiqa_tasks.printable import said_if_slow
from spiqa_tasks.report.printer import Table, add_format, render

Finding = tuple[str, str, str]
"""Status, subject and detail of one part of the installation."""
STATUSES = ("ok", "missing", "absent", "extra")
"""Works; needed by scoring or runs; data to fetch; optional: the order of the printed lines."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print one line per finding, what works first; 0 when nothing but data and extras is missing, else 3."""
    checks = [_hosts, _extras, *([_data, _text_metrics] if is_installed("score") else []), _judge]
    findings: list[Finding] = []
    for check in checks:
        part = check.__name__.strip("_").replace("_", " ")
        try:
            with said_if_slow(f"checking {part}"):
                findings += check()
        except SpiqaTasksError as error:
            findings.append(("missing", part, str(error)))
    findings.sort(key=lambda finding: STATUSES.index(finding[0]))
    if arguments.format == "text":  # a line each, from which a command can be copied
        for status, subject, detail in findings:
            print(f"{status:8} {subject}: {detail}")
    else:
        rows = [
            dict(zip(("status", "subject", "detail"), finding, strict=True)) for finding in findings
        ]
        print(render(arguments.format, Table(rows, ["status", "subject"], ["detail"])))
    return 3 if any(status == "missing" for status, *_ in findings) else 0


def _hosts() -> Iterator[Finding]:
    lines_gone: list[tuple[str, str]] = []
    found = version("lmms-eval")
    if found != "absent":
        supported = supported_versions("lmms-eval")
        yield (
            "ok" if found in supported else "missing",
            "lmms-eval",
            f"{found} (supported: {supported})",
        )
        lines_gone += unmatched(lmms_eval.PATCHES)
    if is_installed("vlmevalkit"):
        from spiqa_tasks.hosts.vlmevalkit.patches import PATCHES, host_version
        from spiqa_tasks.hosts.vlmevalkit.registration import fault_of_import

        fault = fault_of_import()
        yield ("missing", "VLMEvalKit", fault) if fault else ("ok", "VLMEvalKit", host_version())
        lines_gone += [] if fault else unmatched(PATCHES)
    yield from (("missing", f"patch of {module}", detail) for module, detail in lines_gone)


def _extras() -> Iterator[Finding]:
    for name, extra in EXTRAS.items():
        if not is_installed(name):
            yield "extra", name, f"not installed; for {extra.purpose}: {how_to_install(name)}"
        elif name not in ("lmms-eval", "vlmevalkit"):  # hosts have lines of their own
            yield "ok", name, f"installed, for {extra.purpose}"


def _data() -> Iterator[Finding]:
    source = default_source()
    tasks, _ = catalogue()
    for benchmark in BENCHMARKS:
        own = [
            task
            for task in tasks.values()
            if task.benchmark == benchmark and not task.split.startswith("demo")
        ]
        ready = [task for task in own if is_there(source, benchmark, task.split, task.settings)]
        detail = f"{len(ready)} of {len(own)} tasks have their data; fetch it with: spiqa-tasks prepare TASK"
        yield "ok" if ready else "absent", f"data of {benchmark}", detail


def _text_metrics() -> Iterator[Finding]:
    for name, reason in available_metrics().items():
        yield ("ok", name, "available") if reason is None else ("extra", name, reason)


def _judge() -> Iterator[Finding]:
    config = judge_from_environ(os.environ)
    if config is None:
        yield "ok", "judge", "switched off (SPIQA_JUDGE=none)"
        return
    verdict = Judge(config, L3ScoreRule()).preflight()[0]
    yield (
        "ok",
        "judge",
        f"{config.name} answers as {verdict.model}" + (f" at {config.url}" if config.url else ""),
    )
