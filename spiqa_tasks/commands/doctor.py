"""`doctor`: check of the installation, the data and the judge."""

import argparse
import importlib.util
import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from spiqa_tasks.benchmarks.signature import version
from spiqa_tasks.errors import JudgeError, SpiqaTasksError
from spiqa_tasks.extras import EXTRAS, how_to_install, is_installed
from spiqa_tasks.files.source import default_source
from spiqa_tasks.hosts.lmms_eval import registration as lmms_eval
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.judge.resolve import judge_from_environ
from spiqa_tasks.judge.rules import L3ScoreRule
from spiqa_tasks.metrics.text_scores import available_metrics
from spiqa_tasks.printable import progress
from spiqa_tasks.report.printer import Table, add_format, render

# Statuses of findings, in the order of the lines:
# ok: works; missing: scoring or runs need it; absent: data or a key to add; extra: optional.
STATUSES = ("ok", "missing", "absent", "extra")


class Finding(NamedTuple):
    """What a check says about one part of the installation, `subject`."""

    status: str
    subject: str
    detail: str


Check = Callable[[], Iterator[Finding]]


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "--quick",
        action="store_true",
        help="do not try whether a host starts, which takes up to half a minute",
    )
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print one line per finding, what works first.

    Return 0 if nothing is missing but data, a key of the judge and extras, else 3.
    """
    findings: list[Finding] = []
    for part, check in _checks(arguments.quick).items():
        try:
            with progress(f"checking {part}"):
                findings += check()
        except SpiqaTasksError as error:
            findings.append(Finding("missing", part, str(error)))

    findings.sort(key=lambda finding: STATUSES.index(finding.status))
    _print(findings, arguments.format)

    return 3 if any(finding.status == "missing" for finding in findings) else 0


def _checks(quick: bool) -> Mapping[str, Check]:
    """Return part of the installation -> its check; without `score` only what needs no numpy."""
    checks: dict[str, Check] = {
        "lmms-eval": partial(_lmms_eval, quick),
        "VLMEvalKit": partial(_vlmevalkit, quick),
        "extras": _extras,
    }
    if is_installed("score"):
        checks["data"] = _data
        checks["text metrics"] = _text_metrics
    checks["judge"] = _judge

    return checks


def _print(findings: list[Finding], form: str) -> None:
    """Print what was found, a line each, or as a table."""
    if form == "text":  # Lines are not wrapped, so that a command can be copied from them.
        for finding in findings:
            print(f"{finding.status:8} {finding.subject}: {finding.detail}")
        return

    rows = [finding._asdict() for finding in findings]
    print(render(form, Table(rows, Finding._fields)))


def _finding(subject: str, fault: str | None, detail: str, status: str = "missing") -> Finding:
    """Return that a part works, with a detail, or its fault and the status that this has."""
    if fault is None:
        return Finding("ok", subject, detail)
    return Finding(status, subject, fault)


def _lmms_eval(quick: bool) -> Iterator[Finding]:
    """Check whether lmms-eval starts, if it is installed.

    Its version says too little: a clone has the number of the last release.
    """
    if importlib.util.find_spec("lmms_eval") is None:
        return

    installed = version("lmms-eval")
    failure = None if quick else lmms_eval.failure_of_start()
    fault = None if failure is None else f"{installed} cannot start: {failure}"
    yield _finding("lmms-eval", fault, installed)


def _vlmevalkit(quick: bool) -> Iterator[Finding]:
    """Yield whether VLMEvalKit can be imported, if it is installed; `quick` does not try."""
    if not is_installed("vlmevalkit"):
        return

    from spiqa_tasks.hosts.vlmevalkit.registration import fault_of_import, host_version

    fault = None if quick else fault_of_import()
    yield _finding("VLMEvalKit", fault, host_version())


def _extras() -> Iterator[Finding]:
    """Yield which optional parts of the package are installed."""
    for name in EXTRAS:
        if name == "bertscore":
            continue  # the line of its metric says all
        if not is_installed(name):
            yield Finding("extra", name, f"not installed: {how_to_install(name)}")
        elif name not in ("lmms-eval", "vlmevalkit"):  # Hosts have checks of their own.
            yield Finding("ok", name, "installed")


def _data() -> Iterator[Finding]:
    """Yield where release files are read. Raises DataError: SPIQA_TASKS_DATA names no folder."""
    detail = f"read from {default_source()}; `spiqa-tasks prepare TASK` fetches or checks it"
    yield Finding("ok", "data", detail)


def _text_metrics() -> Iterator[Finding]:
    """Yield which text metrics can be computed here, and what the others lack."""
    for name, reason in available_metrics(quick=True).items():
        yield _finding(name, reason, "available", status="extra")


def _judge() -> Iterator[Finding]:
    """Ask the judge of the environment its test questions."""
    config = judge_from_environ(os.environ)
    if config is None:
        yield Finding("ok", "judge", "switched off (SPIQA_JUDGE=none)")
        return

    judge = Judge(config, L3ScoreRule())
    try:
        judge.require_key()
    except JudgeError as error:  # Not `missing`: MMStar and SciFIBench ask no judge.
        yield Finding("absent", "judge", f"{error} Only SPIQA needs it.")
        return

    verdict = judge.preflight()[0]
    address = f" at {config.url}" if config.url else ""
    yield Finding("ok", "judge", f"{config.name} answers as {verdict.model}{address}")
