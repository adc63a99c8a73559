"""The local server, which also takes batches (OpenAI's, Anthropic's), and a process that judges with it."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from aiohttp import web
from openai_server import Behaviour, OpenAIServer

from spiqa_tasks.judge import batches
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.engine import Engine
from spiqa_tasks.judge.types import JudgeRequest

WRITTEN = [JudgeRequest(f"Write {place}.", top_logprobs=None, max_tokens=9) for place in range(4)]


def judge_quickly(provider: str, url: str, cache: Path) -> bool:
    """Judge `WRITTEN` in batches, with short waits; whether all verdicts came."""
    batches._FIRST_PAUSE = batches._LONGEST_PAUSE = 0.02
    batches.ARRIVAL_SECONDS = 0.7
    engine = Engine(JudgeConfig(provider, "m", url, "k" * 20, cache_dir=cache))
    try:
        batches.judge_in_batches(engine, WRITTEN, wait=True)
        return all(verdict.ok for verdict in engine.map(WRITTEN))
    finally:
        engine.close()


Handler = Callable[[web.Request], Awaitable[Any]]


@dataclass
class Batch:
    """A batch that was handed over; `looks` counts how often it was looked at."""

    id: str
    entries: list[dict[str, Any]]
    metadata: dict[str, str] | None
    looks: int = 0


class BatchServer(OpenAIServer):
    """`batches` are those handed over. A batch ends at its `ends_at`-th look, as `status` says.

    Entries at a place in `refused` get an error, those in `silent` no line, those in `garbled` one that is no JSON.
    `calls` counts the calls by name (upload, create, list, look, results) and `headers` has theirs. `faults` has faults
    for the next calls by name: a status (nothing is done), "late" (it is done, and answered by 504), "cut" (half of the
    body), "short" (half of the lines), "endless" (the body again and again) or a body to answer with.
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
        self.headers: list[dict[str, str]] = []
        self.faults: dict[str, Iterator[str]] = {}
        self.results_url = ""
        self.more = False

    def _add_routes(self, app: web.Application) -> None:
        for method, path, name, handler in (
            ("POST", "/files", "upload", self._upload),
            ("GET", "/files/{id}/content", "results", self._content),
            ("GET", "/messages/batches/{id}/results", "results", self._content),
            *(("POST", f"{protocol}/batches", "create", self._create) for protocol in ("", "/messages")),
            *(("GET", f"{protocol}/batches", "list", self._list) for protocol in ("", "/messages")),
            *(("GET", f"{protocol}/batches/{{id}}", "look", self._look) for protocol in ("", "/messages")),
        ):
            app.router.add_route(method, f"/v1{path}", partial(self._answered, name, handler))

    async def _answered(self, name: str, handler: Handler, request: web.Request) -> web.StreamResponse:
        """What a call is answered with: JSON, or the bytes of a file; or what its fault makes of that."""
        self.calls[name] += 1
        self.headers.append({header.lower(): value for header, value in request.headers.items()})
        await asyncio.sleep(self.behaviour.latency)
        fault = next(self.faults.get(name, iter(())), "")
        if fault.isdigit():
            error = {"error": {"message": f"no batches for {request.headers.get('Authorization')}"}}
            return web.json_response(error, status=int(fault))
        answer = await handler(request)
        body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        if fault in ("cut", "endless"):
            response = web.StreamResponse(headers={} if fault == "endless" else {"Content-Length": str(len(body))})
            await response.prepare(request)
            await response.write(body[: len(body) // 2])
            while fault == "endless":
                await response.write(body * 1000)
            assert request.transport is not None
            request.transport.abort()
            return response
        if fault == "short":
            body = b"\n".join(body.splitlines()[: body.count(b"\n") // 2])
        if fault and fault not in ("late", "short"):
            body = fault.encode()
        return web.Response(body=body, status=504 if fault == "late" else 200, content_type="application/json")

    async def _upload(self, request: web.Request) -> dict[str, Any]:
        uploaded: Any = (await request.post())["file"]
        self.files[f"file-{len(self.files)}"] = uploaded.file.read()
        return {"id": f"file-{len(self.files) - 1}", "object": "file"}

    async def _content(self, request: web.Request) -> bytes:
        return self.files[request.match_info["id"]]

    async def _create(self, request: web.Request) -> dict[str, Any]:
        body = await request.json()
        entries = body.get("requests") or list(map(json.loads, self.files[body["input_file_id"]].splitlines()))
        assert all(entry.get("url") == body.get("endpoint") for entry in entries)
        self.batches.append(Batch(f"batch_{len(self.batches)}", entries, body.get("metadata")))
        return self._described(self.batches[-1])

    async def _list(self, _request: web.Request) -> dict[str, Any]:
        for batch in self.batches:
            batch.looks += 1
        return {"data": list(map(self._described, reversed(self.batches))), "has_more": self.more, "last_id": "b"}

    async def _look(self, request: web.Request) -> dict[str, Any]:
        (batch,) = (batch for batch in self.batches if batch.id == request.match_info["id"])
        batch.looks += 1
        return self._described(batch)

    def _described(self, batch: Batch) -> dict[str, Any]:
        """A batch with the fields of both protocols."""
        ended, found = batch.looks >= self.ends_at, {"id": batch.id, "metadata": batch.metadata}
        counts = dict.fromkeys(("failed", "succeeded", "canceled", "errored", "expired"), 0)
        if not ended or self.status == "failed":
            counts |= {"completed": 0 if ended else batch.looks, "processing": len(batch.entries)}
            found["errors"] = {"data": [{"code": "bad", "message": "a line is no request"}]}
        else:
            answers, errors = self.lines(batch.entries)
            counts |= {"completed": len(answers), "failed": len(errors)}
            counts |= {"processing": 0, "succeeded": len(answers), "errored": len(errors)}
            for name, lines in (("output", answers), ("error", errors), ("", answers + errors)):
                self.files[f"{batch.id}{name}"] = "\n".join(lines).encode()
                found[f"{name}_file_id"] = f"{batch.id}{name}" if lines else None
            found["results_url"] = self.results_url or f"{self.url}/messages/batches/{batch.id}/results"
        status, processing = (self.status, "ended") if ended else ("in_progress", "in_progress")
        return found | {"status": status, "processing_status": processing, "request_counts": counts}

    def lines(self, entries: Sequence[dict[str, Any]]) -> tuple[list[str], list[str]]:
        """The lines of answers and of errors, the last entry first, as the order is not promised."""
        lines: tuple[list[str], list[str]] = [], []
        for place, entry in reversed(list(enumerate(entries))):
            refused, error = place in self.refused, {"error": {"message": "too long"}}
            if "params" in entry:
                result = {"type": "errored", "error": error} if refused else {"type": "succeeded"}
                line = {"custom_id": entry["custom_id"], "result": {"message": self._message(entry["params"])} | result}
            else:
                body = error if refused else self._chat(entry["body"], True)
                response = {"status_code": 400 if refused else 200, "request_id": "r", "body": body}
                line = {"id": "x", "custom_id": entry["custom_id"], "response": response, "error": None}
            if place not in self.silent:
                lines[refused].append("{" if place in self.garbled else json.dumps(line))
        return lines
