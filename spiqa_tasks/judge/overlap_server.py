"""A small judge server for demonstrations: the overlap of words as log-probabilities of yes and no.

It speaks as much of the OpenAI protocol as L3Score needs, so that a run shows what a run with a real judge looks like.
It knows nothing of meaning and is no judge for results; its name is in every signature.
"""

from __future__ import annotations

import json
import math
import re
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from spiqa_tasks.errors import InputError

MODEL = "demo-overlap"
_SURE = 0.99
"""The highest probability that is given; no model is ever certain."""
_OTHERS = {"Maybe": 1e-9, "Partly": 1e-9, "Perhaps": 1e-9}
"""Further first words, as L3Score looks at five."""
_PARTS = re.compile(r"^(?:Ground-truth|Candidate) answer: (.*?) ?$", re.MULTILINE)
_WORDS = re.compile(r"\w+")


def overlap(reference: str, prediction: str) -> float:
    """Return the F1 of the words of two answers, 0 to 1."""
    first, second = (Counter(_WORDS.findall(text.lower())) for text in (reference, prediction))
    common = sum((first & second).values())
    return 2 * common / (sum(first.values()) + sum(second.values())) if common else 0.0


def completion(body: dict[str, Any]) -> dict[str, Any]:
    """Return the chat completion to a request of L3Score."""
    found = _PARTS.findall(str(body["messages"][-1]["content"]))
    share = overlap(found[0], found[-1]) if len(found) == 2 else 0.0
    yes = min(max(share, 1 - _SURE), _SURE)
    words = sorted({"Yes": yes, "No": 1 - yes, **_OTHERS}.items(), key=lambda pair: -pair[1])
    top = [{"token": word, "logprob": math.log(probability), "bytes": None} for word, probability in words]
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": words[0][0]},
        "logprobs": {"content": [{**top[0], "top_logprobs": top}]},
    }
    usage = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    common = {"id": "demo", "object": "chat.completion", "created": 0, "model": MODEL}
    return {**common, "choices": [choice], "usage": usage}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer `/v1/chat/completions`."""
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            status, answer = 200, completion(json.loads(content))
        except (ValueError, KeyError, IndexError, TypeError):
            status, answer = 400, {"error": {"message": "expected a chat completion request"}}
        if self.path != "/v1/chat/completions":
            status, answer = 404, {"error": {"message": "only /v1/chat/completions is here"}}
        text = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: Any) -> None:
        """Log no single requests."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


@contextmanager
def overlap_judge(port: int = 0) -> Iterator[str]:
    """Serve on 127.0.0.1 until the block ends; yield the base URL.

    Raises:
        InputError: the port (0: a free one) is taken.
    """
    try:
        server = _Server(("127.0.0.1", port), _Handler)
    except OSError as error:
        raise InputError(
            f"Expected port {port} to be free, found {error.strerror or error}. Name another one."
        ) from None
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
