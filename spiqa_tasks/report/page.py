"""A report as a self-contained HTML page, or as Markdown."""

import base64
import io
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import resources

from PIL import Image

from spiqa_tasks.benchmarks.signature import PACKAGE, version
from spiqa_tasks.errors import DataError
from spiqa_tasks.extras import require
from spiqa_tasks.files.archives import unpacked
from spiqa_tasks.files.pictures import UNREADABLE, on_page
from spiqa_tasks.report.content import Report, Section
from spiqa_tasks.report.printer import markdown, render
from spiqa_tasks.report.samples import as_script, samples

SIDES = {"large": 1000, "small": 320}
"""`--pictures` -> longest side in pixels: legible on a screen, or as a thumbnail that keeps a
page of 1,000 small.
"""
QUALITY = 70


def as_html(report: Report, pictures: str = "large") -> str:
    """Return the page with `pictures` of one of `SIDES`, or `none`; texts of models and data are
    escaped, or JSON.
    """
    require("report", "A report's page")
    from jinja2 import Environment, PackageLoader, StrictUndefined

    numbers: dict[str, int] = {}
    data = samples(report.runs, numbers if pictures in SIDES else None)
    with ThreadPoolExecutor() as pool:
        thumbnails = list(pool.map(partial(small_picture, side=SIDES.get(pictures, 0)), numbers))
    loader = PackageLoader("spiqa_tasks.report")
    environment = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html").render(
        report=report,
        style=_file("page.css"),
        script=_file("samples.js"),
        sorting=_file("tables.js"),
        data=as_script(data),
        thumbnails=thumbnails,
        count=len(data["samples"]),
        notes=data.get("notes", ()),
        version=version(PACKAGE),
    )


def as_markdown(report: Report) -> str:
    """Return all tables of a report as Markdown; plots and samples are in the page only."""
    sections = [part for section in report.sections for part in _section(section)]
    return "\n\n".join([f"# {report.title}", *map(markdown, report.notes), *sections]) + "\n"


def small_picture(path: str, side: int) -> str:
    """Return a picture as base64 of a WebP file, scaled to at most `side` pixels; '' if
    unreadable.
    """
    buffer = io.BytesIO()
    try:
        with Image.open(unpacked(path)) as image:
            image.draft("RGB", (side, side))
            image.thumbnail((side, side))
            on_page(image).save(buffer, "WEBP", quality=QUALITY)
    except (DataError, *UNREADABLE):
        return ""
    return base64.b64encode(buffer.getvalue()).decode()


def _file(name: str) -> str:
    return (
        resources.files("spiqa_tasks.report")
        .joinpath("templates", name)
        .read_text(encoding="utf-8")
    )


def _section(section: Section) -> Sequence[str]:
    parts = [*map(markdown, section.notes), *(render("md", table) for table in section.tables)]
    return [f"## {markdown(section.title)}", *parts] if parts else []
