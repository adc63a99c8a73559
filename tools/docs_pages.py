"""Generate pages of the site from README, CHANGELOG, CONTRIBUTING and the commands' parsers.

A hook of mkdocs (`mkdocs.yml`), so that these pages are never written down twice.
"""

import argparse
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from spiqa_tasks.cli import COMMANDS, command_of

ROOT = Path(__file__).resolve().parents[1]
PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
}
METRICS = {
    "L3Score": "l3score_metric",
    "L3Score of log-probabilities": "scoring.l3score",
    "SPIQA": "benchmarks.spiqa.metrics",
    "Text metrics": "metrics.text_scores",
    "Choices": "benchmarks.choice",
    "Letters": "scoring.mcq",
    "Gain and leakage": "scoring.gain",
    "Intervals": "scoring.intervals",
}
"""Heading on the page of Python -> module of the package."""
_LINK = re.compile(r"\[([^]]*)\]\((?!https?://|#|mailto:)([^)]+)\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    made = {
        page: _with_links((ROOT / source).read_text(encoding="utf-8"))
        for source, page in PAGES.items()
    }
    made["reference/commands.md"] = "\n".join(_commands())
    made["reference/python.md"] = "\n".join(_python())
    for name, text in made.items():
        files.append(File.generated(config, name, content=text))
    return files


def _with_links(text: str) -> str:
    """Return the text with links to files replaced by links to pages; of a file that is no page
    its name stays.
    """

    def moved(match: re.Match[str]) -> str:
        path, mark, anchor = match[2].partition("#")
        page = PAGES.get(path) or (path.removeprefix("docs/") if path.startswith("docs/") else "")
        return f"[{match[1]}]({page}{mark}{anchor})" if page else match[1]

    return _LINK.sub(moved, text)


def _commands() -> Iterator[str]:
    yield "---\nsearch:\n  boost: 20\n---\n"
    yield (
        "# Commands\n\nExit status: 0 the thing asked for was done, 2 unusable arguments or input,"
        " 3 done in part.\n"
    )
    for name, about in COMMANDS.items():
        _, command = command_of(name)
        usage = command.format_usage().removeprefix("usage: ").rstrip()
        yield f"## {name}\n\n{_sentence(about)}\n\n```text\n{usage}\n```\n"
        yield "| argument | |\n| --- | --- |"
        for action in command._actions:
            if not isinstance(action, argparse._HelpAction):
                yield f"| {_named(action)} | {_cell(command, action)} |"
        yield ""


def _named(action: argparse.Action) -> str:
    names = (
        ", ".join(f"`{name}`" for name in action.option_strings)
        or f"`{action.metavar or action.dest}`"
    )
    value = action.metavar or (
        action.dest.upper() if action.nargs != 0 and action.option_strings else ""
    )
    choices = "\\|".join(map(str, action.choices or ()))
    return f"{names} {choices or (value if action.option_strings else '')}".strip()


def _cell(command: argparse.ArgumentParser, action: argparse.Action) -> str:
    text = command._get_formatter()._expand_help(action) if action.help else ""
    return _sentence(text).replace("|", "\\|")


def _sentence(text: Any) -> str:
    """Return the text with a capital and a full stop, and escaped angle brackets."""
    clean = str(text or "").strip().replace("<", "&lt;")
    return clean[:1].upper() + clean[1:] + ("" if clean.endswith((".", ")")) or not clean else ".")


def _python() -> Iterator[str]:
    yield "# Python API\n\nHow the metrics are computed, and with which arguments.\n"
    options = "options: {heading_level: 3, show_root_toc_entry: false}"
    for heading, module in METRICS.items():
        yield f"## {heading}\n\n::: spiqa_tasks.{module}\n    {options}\n"

    public = options.replace("}", ", members: [load_samples, value]}")
    yield f"## Answers as a frame\n\n::: spiqa_tasks.runs.frame\n    {public}\n"
