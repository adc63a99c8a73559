"""The report as one HTML file that asks for nothing outside itself."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from typing import Any

from spiqa_tasks.benchmarks.signature import PACKAGE, version
from spiqa_tasks.extras import require
from spiqa_tasks.report.content import Report
from spiqa_tasks.report.samples import as_script, samples
from spiqa_tasks.report.thumbnails import SIDES, Thumbnails


def as_html(report: Report, pictures: str = "large") -> str:
    """Return the page; texts of models and data are escaped, or stand in it as JSON.

    Args:
        report: what it shows.
        pictures: how large the samples' pictures are, one of `SIDES`, or `none`.
    """
    require("report", "A report's page")
    from jinja2 import Environment, PackageLoader, StrictUndefined

    thumbnails = Thumbnails(SIDES[pictures]) if pictures in SIDES else None
    data = samples(report.runs, thumbnails)
    made: Sequence[str] = thumbnails.made() if thumbnails else ()
    environment = Environment(
        loader=PackageLoader("spiqa_tasks.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    values: dict[str, Any] = {
        "report": report,
        "style": _file("page.css"),
        "script": _file("samples.js"),
        "sorting": _file("tables.js"),
        "data": as_script(data),
        "thumbnails": made,
        "count": len(data["samples"]),
        "version": version(PACKAGE),
    }
    return environment.get_template("page.html").render(values)


def _file(name: str) -> str:
    return resources.files("spiqa_tasks.report").joinpath("templates", name).read_text(encoding="utf-8")
