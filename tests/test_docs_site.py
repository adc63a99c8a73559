"""The site of the docs in a real browser."""

import functools
import http.server
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.cli import COMMANDS

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[1]
CUT = """() => [...document.querySelectorAll(".md-content *, .md-header *")]
  .filter(e => e.offsetParent && e.clientWidth && e.scrollWidth > e.clientWidth + 1)
  .filter(e => getComputedStyle(e).overflowX !== "visible")
  .filter(e => getComputedStyle(e).display !== "inline")
  .map(e => e.textContent.trim().slice(0, 60))"""
"""What is wider than its frame, and so is cut or has to be scrolled sideways."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as `make docs` builds it."""
    pytest.importorskip("mkdocs", reason="mkdocs is not installed")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder


@pytest.mark.parametrize("width", [1280, 390])
def test_no_line_is_cut(chromium: Any, site: Path, width: int) -> None:
    """No page, table, block of code or title is wider than its frame."""
    page = chromium.new_page(viewport={"width": width, "height": 900})
    for path in sorted(site.rglob("*.html")):
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        assert page.evaluate(CUT) == [], path
    page.close()


@pytest.fixture
def address(site: Path) -> Iterator[str]:
    """The address of the site on a local server, which its search needs."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_search_finds_commands_first(chromium: Any, address: str) -> None:
    """The name of a command leads to the page of commands, a server to the first page."""
    from playwright.sync_api import expect

    page = chromium.new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"{address}/index.html")
    page.click(".md-search__input")
    page.keyboard.type("vllm server")
    page.locator(".md-search-result__link[href*='/start/']").first.wait_for(state="attached")
    assert "/start/" in page.locator(".md-search-result__link").first.get_attribute("href")
    for name in COMMANDS:
        page.click(".md-search__input")
        page.keyboard.press("Control+A")
        page.keyboard.type(name)
        found = page.locator(".md-search-result__link")
        found.locator(
            f"xpath=self::*[contains(@href, '/reference/commands/#{name}')]"
        ).first.wait_for(state="attached")
        # the links of the name typed before may stand there for a moment
        expect(found.first).to_have_attribute("href", re.compile("/reference/commands/"))
    page.close()
