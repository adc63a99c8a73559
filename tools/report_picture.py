"""Make the picture of the report in README: `python tools/report_picture.py RUN...` (the runs of
`spiqa-tasks demo`).

Needs playwright and a Chromium; $CHROMIUM names another one than playwright's.
"""

import os
import sys
import tempfile
from pathlib import Path

from spiqa_tasks.cli import main

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "pictures" / "report.png"

# Pixels of the picture: as wide as a common screen; README shows it at half its size.
WIDTH, HEIGHT = 1280, 1100


def take(page: Path, picture: Path) -> None:
    """Write a picture of the top of a page."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM"))
        opened = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        opened.goto(page.as_uri())
        opened.screenshot(path=picture)
        browser.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "report.html"
        status = main(["report", *sys.argv[1:], "--html", str(written)])
        if status == 0:
            take(written, PICTURE)
    sys.exit(status)
