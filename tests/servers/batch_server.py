"""The local server, which also takes batches: OpenAI's files and batches, Anthropic's message batches."""

from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any

from aiohttp import web
from openai_server import Behaviour, OpenAIServer


@dataclass
class Batch:
    """A batch that was handed over; `looks` counts how often it was looked at."""

    id: str
    entries: list[dict[str, Any]]
    metadata: dict[str, str] = field(default_factory=dict)
    looks: int = 0
    made: float = field(default_factory=time.time)


class BatchServer(OpenAIServer):
    """`batches` are those handed over. A batch ends at its `ends_at`-th look, as `status` says.

    Entries at a place in `refused` get an error, those in `silent` no line, those in `garbled` one that is no JSON.
    """

    def __init__(self, behaviour: Behaviour | None = None) -> None:
        super().__init__(behaviour)
        self.batches: list[Batch] = []
        self.files: dict[str, bytes] = {}
        self.ends_at = 1
        self.status = "completed"
        self.refused: set[int] = set()
        self.silent: set[int] = set()
        self.garbled: set[int] = set()
        self.calls: Counter[str] = Counter()

    def _add_routes(self, app: web.Application) -> None:
        app.router.add_post("/v1/files", self._upload)
        app.router.add_get("/v1/files/{id}/content", self._content)
        app.router.add_post("/v1/batches", self._create)
        app.router.add_get("/v1/batches", self._list)
        app.router.add_get("/v1/batches/{id}", self._retrieve)
        app.router.add_post("/v1/messages/batches", self._create_messages)
        app.router.add_get("/v1/messages/batches", self._list_messages)
        app.router.add_get("/v1/messages/batches/{id}", self._retrieve_messages)
        app.router.add_get("/v1/messages/batches/{id}/results", self._results)

    async def _upload(self, request: web.Request) -> web.Response:
        form = await request.post()
        name = f"file-{len(self.files)}"
        uploaded: Any = form["file"]
        self.files[name] = uploaded.file.read()
        return web.json_response(
            {"id": name, "object": "file", "purpose": form["purpose"], "bytes": 1, "created_at": 0, "filename": "f"}
        )

    async def _content(self, request: web.Request) -> web.Response:
        return web.Response(body=self.files[request.match_info["id"]])

    async def _create(self, request: web.Request) -> web.Response:
        self.calls["create"] += 1
        if self.behaviour.sticky:
            return web.json_response(
                {"error": {"message": f"no batches for {request.headers['Authorization']}"}}, status=401
            )
        body = await request.json()
        entries = [json.loads(line) for line in self.files[body["input_file_id"]].splitlines()]
        assert all(entry["url"] == body["endpoint"] == "/v1/chat/completions" for entry in entries)
        self.batches.append(Batch(f"batch_{len(self.batches)}", entries, body.get("metadata") or {}))
        return web.json_response(self._described(self.batches[-1]))

    async def _list(self, _request: web.Request) -> web.Response:
        data = [self._described(batch) for batch in reversed(self.batches)]
        return web.json_response({"object": "list", "data": data, "has_more": False})

    async def _retrieve(self, request: web.Request) -> web.Response:
        batch = self._looked_at(request)
        return web.json_response(self._described(batch))

    def _looked_at(self, request: web.Request) -> Batch:
        self.calls["look"] += 1
        (batch,) = (batch for batch in self.batches if batch.id == request.match_info["id"])
        batch.looks += 1
        return batch

    def _described(self, batch: Batch) -> dict[str, Any]:
        ended = batch.looks >= self.ends_at
        answered = self._lines(batch) if ended and self.status != "failed" else {}
        found: dict[str, Any] = {
            "id": batch.id,
            "object": "batch",
            "endpoint": "/v1/chat/completions",
            "input_file_id": "file-0",
            "completion_window": "24h",
            "created_at": int(batch.made),
            "metadata": batch.metadata,
            "status": self.status if ended else "in_progress",
            "request_counts": {"total": len(batch.entries), "completed": batch.looks, "failed": 0},
        }
        for kind, lines in answered.items():
            self.files[f"{batch.id}-{kind}"] = "\n".join(lines).encode()
            found[f"{kind}_file_id"] = f"{batch.id}-{kind}"
        if self.status == "failed" and ended:
            found["errors"] = {"object": "list", "data": [{"code": "bad", "message": "a line is no request"}]}
        return found

    def _lines(self, batch: Batch) -> dict[str, list[str]]:
        """The lines of the files of answers and of errors, the last entry first, as the order is not promised."""
        lines: dict[str, list[str]] = {"output": [], "error": []}
        for place, entry in reversed(list(enumerate(batch.entries))):
            if place in self.silent:
                continue
            response = {"status_code": 200, "request_id": "r", "body": self._chat(entry["body"], True)}
            if place in self.refused:
                response |= {"status_code": 400, "body": {"error": {"message": "too long"}}}
            line = json.dumps({"id": "x", "custom_id": entry["custom_id"], "response": response, "error": None})
            lines["error" if place in self.refused else "output"].append("{garbled" if place in self.garbled else line)
        return {kind: found for kind, found in lines.items() if found}

    async def _create_messages(self, request: web.Request) -> web.Response:
        self.calls["create"] += 1
        self.batches.append(Batch(f"msgbatch_{len(self.batches)}", (await request.json())["requests"]))
        return web.json_response(self._described_messages(self.batches[-1]))

    async def _list_messages(self, _request: web.Request) -> web.Response:
        data = [self._described_messages(batch) for batch in reversed(self.batches)]
        return web.json_response({"data": data, "has_more": False, "first_id": None, "last_id": None})

    async def _retrieve_messages(self, request: web.Request) -> web.Response:
        return web.json_response(self._described_messages(self._looked_at(request)))

    def _described_messages(self, batch: Batch) -> dict[str, Any]:
        ended = batch.looks >= self.ends_at
        counts = {"processing": 0 if ended else len(batch.entries), "succeeded": len(batch.entries) if ended else 0}
        made = datetime.fromtimestamp(batch.made, timezone.utc)
        return {
            "id": batch.id,
            "type": "message_batch",
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": {"canceled": 0, "errored": 0, "expired": 0, **counts},
            "created_at": made.isoformat(),
            "expires_at": (made + timedelta(days=1)).isoformat(),
            "results_url": f"{self.url}/messages/batches/{batch.id}/results" if ended else None,
        }

    async def _results(self, request: web.Request) -> web.Response:
        (batch,) = (batch for batch in self.batches if batch.id == request.match_info["id"])
        lines = []
        for place, entry in enumerate(batch.entries):
            result: dict[str, Any] = {"type": "succeeded", "message": self._whole_message(entry["params"])}
            if place in self.refused:
                error = {"type": "error", "error": {"type": "invalid_request_error", "message": "too long"}}
                result = {"type": "errored", "error": error}
            lines.append(json.dumps({"custom_id": entry["custom_id"], "result": result}))
        return web.Response(text="\n".join(lines), content_type="application/x-jsonl")

    def _whole_message(self, body: dict[str, Any]) -> dict[str, Any]:
        return {"id": "msg", "type": "message", "role": "assistant", "stop_reason": "end_turn", **self._message(body)}
