"""Take the pictures of a report for the README and the docs: `python tools/screenshots.py REPORT.html FOLDER`.

Needs playwright and Debian's chromium; writes <width>-<scheme>-<part>.png of the page's top, the page, the samples and
a sample, and portrait.pdf and landscape.pdf.
"""

import argparse
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

SIZES = {1440: 900, 1280: 900, 390: 844}
SCHEMES = ("light", "dark")
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the system's chromium without a window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=OPTIONS)
        yield browser
        browser.close()


def take(page: Page, folder: Path, name: str) -> None:
    """Write the top of the page, every section, the samples, and a sample opened from the list."""
    page.screenshot(path=folder / f"{name}-top.png")
    page.screenshot(path=folder / f"{name}-page.png", full_page=True)
    page.locator("#samples").scroll_into_view_if_needed()
    page.locator("#samples").screenshot(path=folder / f"{name}-samples.png")
    page.locator(".item").last.click()
    page.wait_for_timeout(300)
    page.screenshot(path=folder / f"{name}-sample.png")


def main() -> None:
    """Take them at all widths in both schemes, and print the page both ways."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("report", type=Path)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    with chromium() as browser:
        for width, height in SIZES.items():
            for scheme in SCHEMES:
                size = {"width": width, "height": height}
                page = browser.new_page(viewport=size, color_scheme=scheme)
                page.goto(arguments.report.resolve().as_uri())
                take(page, arguments.folder, f"{width}-{scheme}")
                page.close()
        page = browser.new_page()
        page.goto(arguments.report.resolve().as_uri())
        for name in ("portrait", "landscape"):
            page.pdf(path=arguments.folder / f"{name}.pdf", format="A4", landscape=name == "landscape")


if __name__ == "__main__":
    main()
