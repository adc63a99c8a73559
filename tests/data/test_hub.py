"""Fetching from the hub, against a local server that speaks the hub's protocol."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlparse

import pytest

from spiqa_tasks.files.source import MMSTAR, SCIFIBENCH, SPIQA, demo_source

REPOSITORIES = {repository.repo_id: repository for repository in (SPIQA, MMSTAR, SCIFIBENCH)}
COMMIT = "c" * 40


class Hub(BaseHTTPRequestHandler):
    """Serves the demo data as the three repositories; remembers which files were fetched at which revision."""

    fetched: list[tuple[str, str, str]]

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, body: bool) -> None:
        parts = urlparse(self.path).path.strip("/").split("/")
        if parts[4:5] == ["revision"]:
            return self._send(
                json.dumps({"id": "/".join(parts[2:4]), "sha": COMMIT}).encode(), "application/json", body
            )
        if parts[:2] == ["api", "datasets"]:
            folder = demo_source().root / REPOSITORIES["/".join(parts[2:4])].folder
            files = [path for path in folder.rglob("*") if path.is_file()]
            listing = [
                {"type": "file", "path": str(path.relative_to(folder)), "size": path.stat().st_size, "oid": "0" * 40}
                for path in files
            ]
            return self._send(json.dumps(listing).encode(), "application/json", body)
        repo_id, revision, name = "/".join(parts[1:3]), parts[4], "/".join(parts[5:])
        path = demo_source().root / REPOSITORIES[repo_id].folder / name
        if not path.is_file():
            self.send_response(404)
            self.send_header("X-Error-Code", "EntryNotFound")
            self.send_header("Content-Length", "0")
            return self.end_headers()
        if body:
            self.fetched.append((repo_id, revision, name))
        return self._send(path.read_bytes(), "application/octet-stream", body)

    def _send(self, content: bytes, kind: str, body: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("ETag", f'"{hashlib.sha256(content).hexdigest()}"')
        self.send_header("X-Repo-Commit", COMMIT)
        self.end_headers()
        if body:
            self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def hub() -> Iterator[str]:
    Hub.fetched = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()


def prepare(hub: str, home: Path, *tasks: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "HF_ENDPOINT": hub, "HF_HOME": str(home), "HF_HUB_DISABLE_XET": "1"}
    command = [sys.executable, "-m", "spiqa_tasks.cli", "prepare", *tasks]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def test_only_the_files_that_a_task_needs_are_fetched_at_the_pinned_revision(hub: str, tmp_path: Path) -> None:
    """Annotations and one archive for SPIQA, one parquet set at the branch's commit; a second run fetches nothing."""
    done = prepare(hub, tmp_path, "spiqa_testA", "scifibench_cs_fig2cap")
    assert done.returncode == 0, done.stderr
    assert "spiqa_testA: 39 questions, 31 pictures, ready" in done.stdout
    assert sorted(Hub.fetched) == sorted(
        [
            (SPIQA.repo_id, SPIQA.revision, "test-A/SPIQA_testA.json"),
            (SPIQA.repo_id, SPIQA.revision, "test-A/SPIQA_testA_Images.zip"),
            (SCIFIBENCH.repo_id, COMMIT, "data/CS_Figure2Caption-00000-of-00001.parquet"),
        ]
    )
    Hub.fetched.clear()
    assert prepare(hub, tmp_path, "spiqa_testA").returncode == 0
    assert Hub.fetched == []


def test_file_that_the_hub_lacks_is_one_sentence_with_status_2(hub: str, tmp_path: Path) -> None:
    """A missing file names the dataset and the way around, without a traceback."""
    done = prepare(hub, tmp_path, "spiqa_testB")
    assert done.returncode == 2
    assert "google/spiqa" in done.stderr
    assert "SPIQA_TASKS_DATA" in done.stderr
    assert "Traceback" not in done.stderr
