"""A local server that speaks the OpenAI chat protocol and fails on request.

In a test: `with OpenAIServer(Behaviour(latency=0.1)) as server:` then `server.url`. As a
process: `python openai_server.py --latency 0.1 --faults '{"429": 0.1}'` prints its URL and
serves until its input closes.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import math
import random
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

TopLogprobs = list[tuple[str, float]]


def agreeing(prompt: str) -> TopLogprobs:
    """Return log-probabilities of Yes if the answers in L3Score's prompt are equal but for case,
    else of No.
    """
    reference = re.search(r"^Ground-truth answer: (.*)$", prompt, re.MULTILINE)
    prediction = re.search(r"^Candidate answer: (.*)$", prompt, re.MULTILINE)
    same = bool(
        reference and prediction and reference[1].strip().lower() == prediction[1].strip().lower()
    )
    first, second = ("Yes", "No") if same else ("No", "Yes")
    return [
        (first, math.log(0.9)),
        (second, math.log(0.08)),
        (" yes", -5.0),
        ("Sim", -7.0),
        ("Maybe", -9.0),
    ]


@dataclass
class Behaviour:
    """The server's answers and faults.

    Attributes:
        latency: seconds until an answer.
        together: requests that must be open at a time before the first is answered, unless `hang`
            seconds have passed.
        slots: requests that may be open at a time; others get a 429.
        faults: fault -> its probability for each request.
        script: faults of the first requests, one each.
        sticky: fault of every request.
        retry_after: header of a 429.
        text, verdict: the answer, or the log-probabilities for a prompt.
        record: whether `OpenAIServer.requests` are kept.
        bucket: (requests a second, requests at once); others get a 429.

    A fault is an HTTP status ("503"), "reset", "timeout" (silent for `hang` seconds), "truncated",
    "not_json", "no_logprobs", "ok", "echo_key" (a 401 that repeats the key), "max_tokens" (the 400
    of models that want max_completion_tokens), "images" (the 400 of servers that take one image),
    "too_large" (the 429 of a request above the limit of tokens a minute), "quota" (a 429 whose code
    is a number), "redirect", "deep" (deeply nested JSON), "packed" (gzip) or "drip" (endless
    blanks).
    """

    latency: float = 0.0
    together: int = 1
    slots: int | None = None
    faults: Mapping[str, float] = field(default_factory=dict)
    script: list[str] = field(default_factory=list)
    sticky: str | None = None
    retry_after: str | None = "0.05"
    hang: float = 30.0
    text: str | Callable[[dict[str, Any]], str] = "A plain answer."
    verdict: Callable[[str], TopLogprobs] = agreeing
    served_model: str | None = None
    record: bool = True
    seed: int = 0
    bucket: tuple[float, float] | None = None


class OpenAIServer:
    """Serves in a thread of its own between `start` and `stop`, or as a context manager.

    Attributes:
        requests: `{"path", "headers", "body"}` of every POST.
        counts: fault or "ok" -> number of requests.
        most_active: largest number of requests that were open at a time.
    """

    def __init__(self, behaviour: Behaviour | None = None, port: int = 0) -> None:
        self.behaviour = behaviour or Behaviour()
        self.requests: list[dict[str, Any]] = []
        self.counts: Counter[str] = Counter()
        self.active = 0
        self.most_active = 0
        self.url = ""
        self._port = port
        self._tokens = self.behaviour.bucket[1] if self.behaviour.bucket else 0.0
        self._filled = time.monotonic()
        self._random = random.Random(self.behaviour.seed)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def start(self) -> OpenAIServer:
        """Listen on 127.0.0.1; `url` ends in /v1."""
        self._thread.start()
        port = asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(30)
        self.url = f"http://127.0.0.1:{port}/v1"
        return self

    def stop(self) -> None:
        """Close every connection, and end the thread."""
        asyncio.run_coroutine_threadsafe(self._runner.cleanup(), self._loop).result(30)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(30)
        self._loop.close()

    def __enter__(self) -> OpenAIServer:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    async def _listen(self) -> int:
        app = web.Application(client_max_size=1 << 30)
        app.router.add_get("/stats", self._stats)
        app.router.add_get("/v1/models", self._models)
        self._add_routes(app)
        app.router.add_post("/{path:.*}", self._post)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port, backlog=1024)
        await site.start()
        return int(self._runner.addresses[0][1])

    def _add_routes(self, app: web.Application) -> None:
        """Add the routes of a subclass."""

    async def _stats(self, _request: web.Request) -> web.Response:
        total = sum(self.counts.values())
        return web.json_response(
            {"counts": self.counts, "requests": total, "most_active": self.most_active}
        )

    async def _models(self, _request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": "tiny", "object": "model"}]})

    async def _post(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        if self.behaviour.record:
            headers = {name.lower(): value for name, value in request.headers.items()}
            self.requests.append({"path": request.path_qs, "headers": headers, "body": body})
        if self.behaviour.slots is not None and self.active >= self.behaviour.slots:
            return await self._fault("429", request)
        if self.behaviour.bucket is not None and not self._take_token(*self.behaviour.bucket):
            return await self._fault("429", request)
        fault = self._draw()
        self.active += 1
        self.most_active = max(self.most_active, self.active)
        try:
            await asyncio.sleep(self.behaviour.latency)
            await self._gathered()
            if fault != "ok":
                return await self._fault(fault, request)
            return self._answer(body, request.path)
        finally:
            self.active -= 1

    async def _gathered(self) -> None:
        """Wait until `together` requests were open at a time."""
        until = time.monotonic() + self.behaviour.hang
        while self.most_active < self.behaviour.together and time.monotonic() < until:
            await asyncio.sleep(0.01)

    def _take_token(self, rate: float, most: float) -> bool:
        """Return whether the token bucket has a token, and take it."""
        now = time.monotonic()
        self._tokens = min(most, self._tokens + (now - self._filled) * rate)
        self._filled = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True

    def _draw(self) -> str:
        """Return the next request's fault, or "ok"."""
        if self.behaviour.sticky:
            return self.behaviour.sticky
        if self.behaviour.script:
            return self.behaviour.script.pop(0)
        position = self._random.random()
        for fault, probability in self.behaviour.faults.items():
            position -= probability
            if position < 0:
                return fault
        return "ok"

    def _answer(self, body: dict[str, Any], path: str, *, logprobs: bool = True) -> web.Response:
        self.counts["ok" if logprobs else "no_logprobs"] += 1
        return web.json_response(
            self._message(body) if path.endswith("/messages") else self._chat(body, logprobs)
        )

    def _chat(self, body: dict[str, Any], logprobs: bool) -> dict[str, Any]:
        choice: dict[str, Any] = {"index": 0, "finish_reason": "stop", "logprobs": None}
        if body.get("logprobs") and logprobs:
            top = self.behaviour.verdict(_prompt(body))[: body.get("top_logprobs", 5)]
            text = top[0][0]
            listed = [{"token": token, "logprob": logprob, "bytes": None} for token, logprob in top]
            choice["logprobs"] = {"content": [listed[0] | {"top_logprobs": listed}]}
        else:
            text = self._text(body)
        choice["message"] = {"role": "assistant", "content": text}
        usage = {
            "prompt_tokens": len(_prompt(body)) // 4,
            "completion_tokens": 1,
            "total_tokens": 1,
        }
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 0,
            "model": self.behaviour.served_model or body.get("model"),
            "choices": [choice],
            "usage": usage,
        }

    def _message(self, body: dict[str, Any]) -> dict[str, Any]:
        content = [{"type": "text", "text": self._text(body)}]
        return {
            "model": body.get("model"),
            "content": content,
            "usage": {"input_tokens": 3, "output_tokens": 2},
        }

    def _text(self, body: dict[str, Any]) -> str:
        text = self.behaviour.text
        return text if isinstance(text, str) else text(body)

    async def _fault(self, fault: str, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        if fault == "no_logprobs":
            return self._answer(body, request.path, logprobs=False)
        if fault == "max_tokens" and "max_tokens" not in body:
            return self._answer(body, request.path)
        self.counts[fault] += 1
        if fault == "reset" and request.transport is not None:
            request.transport.abort()
        if fault == "timeout":
            await asyncio.sleep(self.behaviour.hang)
        if fault == "truncated":
            return web.Response(
                text=json.dumps(self._chat(body, True))[:-40], content_type="application/json"
            )
        if fault == "not_json":
            return web.Response(text="<html>gateway</html>", content_type="text/html")
        if fault == "max_tokens":
            return _error(
                400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            )
        if fault == "too_large":
            return _error(
                429,
                "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested"
                " 41234.",
            )
        if fault == "quota":
            return web.json_response(
                {"error": {"message": "No credit.", "type": "insufficient_quota", "code": 429}},
                status=429,
            )
        if fault == "redirect":
            return web.Response(status=308, headers={"Location": "https://elsewhere.example/v1"})
        if fault == "deep":
            return web.Response(text="[" * 200_000, content_type="application/json")
        if fault == "packed":
            content = json.dumps(self._chat(body, True)).encode()
            return web.Response(body=gzip.compress(content), headers={"Content-Encoding": "gzip"})
        if fault == "drip":
            stream = web.StreamResponse()
            await stream.prepare(request)
            while True:
                await stream.write(b" ")
                await asyncio.sleep(0.05)
        if fault == "echo_key":
            return _error(
                401, f"Incorrect API key provided: {request.headers.get('authorization')}."
            )
        if fault == "images":
            return _error(400, "At most 1 image(s) may be provided in one prompt.")
        status = int(fault) if fault.isdigit() else 503
        wait = (
            {"Retry-After": self.behaviour.retry_after}
            if status == 429 and self.behaviour.retry_after
            else {}
        )
        return _error(status, f"fault {status}", wait)


def _prompt(body: dict[str, Any]) -> str:
    content = body["messages"][-1]["content"]
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content)


def _error(status: int, message: str, headers: Mapping[str, str] | None = None) -> web.Response:
    body = {"error": {"message": message, "type": "error", "code": None}}
    return web.json_response(body, status=status, headers=headers)


def main() -> None:
    """Serve until standard input closes."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds")
    parser.add_argument("--slots", type=int, help="requests in work at a time; 429 beyond")
    parser.add_argument(
        "--faults", type=json.loads, default={}, help="JSON object: fault -> probability"
    )
    parser.add_argument("--hang", type=float, default=30.0, help="seconds of the fault 'timeout'")
    parser.add_argument(
        "--bucket", type=json.loads, help="JSON list: requests a second, how many at once"
    )
    parser.add_argument(
        "--text", default="A plain answer.", help="the answer to plain chat requests"
    )
    arguments = vars(parser.parse_args())
    port = arguments.pop("port")
    with OpenAIServer(Behaviour(record=False, **arguments), port) as server:
        print(server.url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
