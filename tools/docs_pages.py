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
    pages = {
        page: _with_links((ROOT / source).read_text(encoding="utf-8"))
        for source, page in PAGES.items()
    }
    pages["reference/commands.md"] = "\n".join(_commands())
    pages["reference/python.md"] = "\n".join(_python())
    for page, text in pages.items():
        files.append(File.generated(config, page, content=text))
    return files


def _with_links(text: str) -> str:
    """Return a page's text with links to files of the repository as links to pages of the site.

    A link to a file without a page becomes plain text.
    """

    def link_to_page(match: re.Match[str]) -> str:
        label, target = match.groups()
        path, mark, anchor = target.partition("#")
        page = PAGES.get(path, "")
        if path.startswith("docs/"):
            page = path.removeprefix("docs/")
        return f"[{label}]({page}{mark}{anchor})" if page else label

    return _LINK.sub(link_to_page, text)


def _commands() -> Iterator[str]:
    """Yield the lines of the page of commands."""
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
                yield f"| {_argument(action)} | {_help(command, action)} |"
        yield ""


def _argument(action: argparse.Action) -> str:
    """Return an argument's name, its choices or value: "`--judge` PROVIDER:MODEL"."""
    names = ", ".join(f"`{name}`" for name in action.option_strings)
    value = ""
    if not names:
        names = f"`{action.metavar or action.dest}`"
    elif action.metavar:
        value = str(action.metavar)
    elif action.nargs != 0:
        value = action.dest.upper()

    choices = "\\|".join(map(str, action.choices or ()))
    return f"{names} {choices or value}".strip()


def _help(command: argparse.ArgumentParser, action: argparse.Action) -> str:
    """Return an argument's help as a cell of a Markdown table."""
    text = command._get_formatter()._expand_help(action) if action.help else ""
    return _sentence(text).replace("|", "\\|")


def _sentence(text: Any) -> str:
    """Return the text with a capital and a full stop, and `<` escaped."""
    clean = str(text or "").strip().replace("<", "&lt;")
    sentence = clean[:1].upper() + clean[1:]
    if not sentence or sentence.endswith((".", ")")):
        return sentence
    return f"{sentence}."


def _python() -> Iterator[str]:
    """Yield the parts of the page of Python."""
    yield "# Python API\n\nHow the metrics are computed, and with which arguments.\n"
    options = "options: {heading_level: 3, show_root_toc_entry: false}"
    for heading, module in METRICS.items():
        yield f"## {heading}\n\n::: spiqa_tasks.{module}\n    {options}\n"

    public = options.replace("}", ", members: [load_samples, value]}")
    yield f"## Answers as a frame\n\n::: spiqa_tasks.runs.frame\n    {public}\n"
