"""Pages and Markdown as texts; `test_page_in_a_browser` looks at the page."""

import base64
import io
import json
import re
from importlib import resources
from importlib.metadata import version
from pathlib import Path

import pytest
from PIL import Image
from report_runs import runs_at

from spiqa_tasks import extras
from spiqa_tasks.errors import MissingPartError
from spiqa_tasks.report.content import Report, Section, build
from spiqa_tasks.report.page import SIDES, as_html, as_markdown, small_picture
from spiqa_tasks.report.printer import Table

LARGE = SIDES["large"]
TABLE = Table(
    [{"run": "a", "n": 1}],
    ["run"],
    ["n"],
    "Scores",
    ["A note. " * 30],
    published=[{"run": "b|c", "n": 20}],
)


def test_the_markdown_has_every_table(two_runs: Path) -> None:
    """Headlines with intervals, groups, differences, coverage and signatures, and no plot."""
    report = build(runs_at(two_runs))
    text = as_markdown(report)
    for title in (
        "## Overview",
        "### accuracy by category",
        "## Comparison of runs",
        "## Coverage",
        "## Signatures",
    ):
        assert title in text
    assert "100.0 [86.2, 100.0]" in text
    assert "The paper prints no row for this split and setting." in text
    assert text.count("\n### ") == sum(len(section.tables) for section in report.sections)
    assert "<svg" not in text


def test_text_of_users_is_no_markup() -> None:
    """Names of models and tasks can hold anything that Markdown reads; a bar within a cell makes
    no column.
    """
    hostile = "`a` *b* _c_ |d| <e> [f](g) #h \\"
    shown = Table([{"run": hostile}], ["run"], [], hostile, [hostile])
    text = as_markdown(Report("T", [hostile], [Section(hostile, [hostile], [shown])], ()))
    escaped = "\\`a\\` \\*b\\* \\_c\\_ \\|d\\| \\<e\\> \\[f\\](g) \\#h \\\\"
    assert [line for line in text.splitlines() if "h" in line] == [
        escaped,
        f"## {escaped}",
        escaped,
        f"### {escaped}",
        f"| {escaped} |",
        escaped,
    ]


def scripts(page: str) -> list[str]:
    """What stands in the page's script elements."""
    return re.findall(r"<script[^>]*>(.*?)</script>", page, flags=re.DOTALL)


def test_the_page_holds_all_that_it_needs(two_runs: Path) -> None:
    """Its style, its scripts, the samples as JSON, their number, the pictures and the version."""
    runs = [run for run in runs_at(two_runs) if run.task == "scifibench_demo"]
    page = as_html(build(runs), "small")
    files = resources.files("spiqa_tasks.report").joinpath("templates")
    style, *code = (
        files.joinpath(name).read_text(encoding="utf-8")
        for name in ("page.css", "tables.js", "samples.js")
    )
    assert f"<style>{style}</style>" in page
    data, *pictures, last = scripts(page)
    assert last == "".join(code)
    samples = json.loads(data)["samples"]
    assert f"{len(samples)} samples</span>" in page
    shown = {figure[0] for sample in samples for figure in sample["figures"]}
    assert shown == set(range(len(pictures)))
    sides = [max(Image.open(io.BytesIO(base64.b64decode(text))).size) for text in pictures]
    assert max(sides) == 320
    assert f"<footer>spiqa-tasks {version('spiqa-tasks')}</footer>" in page
    assert len(scripts(as_html(build(runs), "none"))) == 2


def test_a_table_of_the_page_tells_what_is_published() -> None:
    """Rows have their kind; columns of numbers are marked, and no block of the template leaves a
    blank line.
    """
    page = as_html(Report("T", ["left <out>"], [Section("S", ["why"], [TABLE])], ()), "none")
    rows = re.search(r"<tbody>\n(.*?)</tbody>", page, flags=re.DOTALL)
    assert rows is not None
    assert rows[1].splitlines() == [
        (
            '<tr class="measured"><td data-head="run">a</td><td data-head="n"'
            ' class="number">1</td></tr>'
        ),
        (
            '<tr class="published"><td data-head="run">b|c</td><td data-head="n"'
            ' class="number">20</td></tr>'
        ),
    ]
    assert '<p class="note">left &lt;out&gt;</p>\n' in page
    assert "\n\n" not in page[page.index("<body>") : page.index("<main>")]
    assert len(scripts(page)) == 1


def test_without_jinja_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence, before anything is read."""
    monkeypatch.setattr(extras, "_missing", lambda _: ["jinja2"])
    with pytest.raises(MissingPartError, match=r"^A report's page needs jinja2, .*\[report\]"):
        as_html(Report("T", (), (), ()), "none")


def opened(text: str) -> Image.Image:
    """The picture that stands in the page."""
    image = Image.open(io.BytesIO(base64.b64decode(text, validate=True)))
    assert image.format == "WEBP"
    return image


@pytest.mark.parametrize(
    ("size", "shown"),
    [((4000, 2000), (LARGE, LARGE // 2)), ((600, 2400), (LARGE // 4, LARGE)), ((40, 30), (40, 30))],
)
def test_the_longest_side_is_bounded(
    tmp_path: Path, size: tuple[int, int], shown: tuple[int, int]
) -> None:
    """The shape stays, and a small picture is not made larger."""
    path = tmp_path / "p.jpg"
    Image.new("RGB", size, (200, 30, 30)).save(path)
    thumbnail = opened(small_picture(str(path), LARGE))
    assert thumbnail.size == shown
    assert thumbnail.convert("RGB").getpixel((5, 5)) == pytest.approx((200, 30, 30), abs=8)


def test_what_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    """A missing and a broken picture are empty texts."""
    (tmp_path / "broken.png").write_bytes(b"no picture")
    assert [
        small_picture(str(tmp_path / f"{name}.png"), LARGE) for name in ("missing", "broken")
    ] == ["", ""]
