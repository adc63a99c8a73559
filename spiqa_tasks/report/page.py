"""Self-contained HTML pages: a report, and the first questions of a benchmark; a report as Markdown."""

import base64
import io
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from html import escape
from importlib import resources
from typing import Any

from PIL import Image

from spiqa_tasks.benchmarks.prompting import Part, Picture, Turn
from spiqa_tasks.benchmarks.signature import PACKAGE, version
from spiqa_tasks.errors import DataError
from spiqa_tasks.extras import require
from spiqa_tasks.files.archives import unpacked
from spiqa_tasks.files.pictures import UNREADABLE, on_page
from spiqa_tasks.report.content import Report, Section
from spiqa_tasks.report.printer import markdown, render
from spiqa_tasks.report.samples import as_script, samples

SIDES = {"large": 1000, "small": 320}
"""`--pictures` -> longest side in pixels: legible on a screen, or as a thumbnail that keeps a page of 1,000 small."""
SIDE = 640
"""Longest side of a picture on a preview, in pixels: the width of its column."""
QUALITY = 70
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "article{border-top:1px solid #ccc;padding:1rem 0}pre{white-space:pre-wrap;font:inherit;margin:.5rem 0}"
    "img{max-width:100%;display:block;border:1px solid #ccc}h2{font-size:1rem}.role,footer{color:#666}"
)


def as_html(report: Report, pictures: str = "large") -> str:
    """Return the page with `pictures` of one of `SIDES`, or `none`; texts of models and data are escaped, or JSON."""
    require("report", "A report's page")
    from jinja2 import Environment, PackageLoader, StrictUndefined

    places: dict[str, int] = {}
    data = samples(report.runs, places if pictures in SIDES else None)
    with ThreadPoolExecutor() as pool:
        thumbnails = list(pool.map(partial(small_picture, side=SIDES.get(pictures, 0)), places))
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
    """Return a picture as base64 of a WebP file, scaled to at most `side` pixels; '' if unreadable."""
    buffer = io.BytesIO()
    try:
        with Image.open(unpacked(path)) as image:
            image.draft("RGB", (side, side))
            image.thumbnail((side, side))
            on_page(image).save(buffer, "WEBP", quality=QUALITY)
    except (DataError, *UNREADABLE):
        return ""
    return base64.b64encode(buffer.getvalue()).decode()


def preview_page(title: str, questions: Iterable[tuple[Mapping[str, Any], Sequence[Part]]]) -> str:
    """Return a page of questions (rows of a benchmark with their prompts) as a model is shown them."""
    articles = "".join(_article(row, parts) for row, parts in questions)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style>'
        f"<h1>{escape(title)}</h1>{articles}"
    )


def _article(row: Mapping[str, Any], parts: Sequence[Part]) -> str:
    groups = ", ".join(f"{kind}: {name}" for kind, name in row["groups"].items())
    footer = f"True answer: {' or '.join(row['references'])}" + (f" · {groups}" if groups else "")
    shown = "".join(map(_shown, parts)).replace("</pre><pre>", "")  # neighbouring texts are one
    return (
        f"<article><h2>{escape(row['id'])}</h2>{shown}<footer>{escape(footer)}</footer></article>"
    )


def _shown(part: Part) -> str:
    if isinstance(part, Turn):
        return f'<p class="role">{escape(part.role)}</p>'
    if isinstance(part, Picture):
        made = small_picture(part.path, SIDE)
        unreadable = f"<p>{escape(part.path)}: unreadable</p>"
        return f'<img alt="" src="data:image/webp;base64,{made}">' if made else unreadable
    return f"<pre>{escape(part)}</pre>"


def _file(name: str) -> str:
    return (
        resources.files("spiqa_tasks.report")
        .joinpath("templates", name)
        .read_text(encoding="utf-8")
    )


def _section(section: Section) -> Sequence[str]:
    parts = [*map(markdown, section.notes), *(render("md", table) for table in section.tables)]
    return [f"## {markdown(section.title)}", *parts] if parts else []
