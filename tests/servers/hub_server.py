"""A local server with the Hugging Face hub's protocol that serves the demo data as the three
repositories.
"""

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlparse

from spiqa_tasks.files.source import MMSTAR, SCIFIBENCH, SPIQA, demo_source

REPOSITORIES = {repository.repo_id: repository for repository in (SPIQA, MMSTAR, SCIFIBENCH)}
COMMIT = "c" * 40


class Hub(BaseHTTPRequestHandler):
    """Serves the demo data as the three repositories."""

    fetched: list[tuple[str, str, str]]
    """(repository, revision, file) of every file that was sent."""

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, body: bool) -> None:
        parts = urlparse(self.path).path.strip("/").split("/")
        if parts[4:5] == ["revision"]:
            return self._send(
                json.dumps({"id": "/".join(parts[2:4]), "sha": COMMIT}).encode(),
                "application/json",
                body,
            )
        if parts[:2] == ["api", "datasets"]:
            folder = demo_source().root / REPOSITORIES["/".join(parts[2:4])].folder
            files = [path for path in folder.rglob("*") if path.is_file()]
            listing = [
                {
                    "type": "file",
                    "path": str(path.relative_to(folder)),
                    "size": path.stat().st_size,
                    "oid": "0" * 40,
                }
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
        self.send_header(
            "X-Repo-Commit",
            next((part for part in self.path.split("/") if len(part) == 40), COMMIT),
        )
        self.end_headers()
        if body:
            self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def running_hub() -> Iterator[str]:
    """Serve while the block runs; yield the endpoint's URL."""
    Hub.fetched = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
