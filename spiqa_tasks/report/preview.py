"""A page with the first questions of a benchmark as a model is shown them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from spiqa_tasks.benchmarks.prompting import Part, Picture, Turn
from spiqa_tasks.report.thumbnails import small_picture

SIDE = 640
"""The longest side of a picture on the page, in pixels."""
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "article{border-top:1px solid #ccc;padding:1rem 0}pre{white-space:pre-wrap;font:inherit;margin:.5rem 0}"
    "img{max-width:100%;display:block;border:1px solid #ccc}h2{font-size:1rem}.role,footer{color:#666}"
)


def preview_page(title: str, questions: Iterable[tuple[dict[str, Any], Sequence[Part]]]) -> str:
    """Return an HTML page that asks for nothing outside itself.

    Args:
        title: of the page.
        questions: rows of a benchmark with their prompts.
    """
    articles = "".join(_article(row, parts) for row, parts in questions)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style>'
        f"<h1>{escape(title)}</h1>{articles}"
    )


def _article(row: dict[str, Any], parts: Sequence[Part]) -> str:
    groups = ", ".join(f"{kind}: {name}" for kind, name in row["groups"].items())
    answers = " or ".join(row["references"])
    footer = f"True answer: {answers}" + (f" · {groups}" if groups else "")
    return (
        f"<article><h2>{escape(row['id'])}</h2>{''.join(map(_shown, _joined(parts)))}"
        f"<footer>{escape(footer)}</footer></article>"
    )


def _joined(parts: Sequence[Part]) -> list[Part]:
    """The parts, neighbouring texts as one."""
    found: list[Part] = []
    for part in parts:
        if isinstance(part, str) and found and isinstance(found[-1], str):
            found[-1] += part
        else:
            found.append(part)
    return found


def _shown(part: Part) -> str:
    if isinstance(part, Turn):
        return f'<p class="role">{escape(part.role)}</p>'
    if isinstance(part, Picture):
        made = small_picture(part.path, SIDE)
        return (
            f'<img alt="" src="data:image/webp;base64,{made}">' if made else f"<p>{escape(part.path)}: unreadable</p>"
        )
    return f"<pre>{escape(part)}</pre>"
