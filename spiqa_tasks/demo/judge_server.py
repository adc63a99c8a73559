"""A small judge server for demonstrations: the overlap of words as log-probabilities of yes and no.

It speaks the part of the OpenAI protocol that L3Score needs. It is no judge for results; its
name is in every signature.
"""

import asyncio
import math
import os
import re
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from operator import itemgetter
from typing import Any

from spiqa_tasks.errors import InputError

# The name of no real model, so that nobody takes a score by this judge for a result.
MODEL = "demo-overlap"

# Highest probability of Yes or No: the logarithm of the other's is finite.
_HIGHEST = 0.99

# The reference and the prediction in L3Score's released prompt.
_ANSWER = re.compile(r"^(?:Ground-truth|Candidate) answer: (.*?) ?$", re.MULTILINE)


def overlap(reference: str, prediction: str) -> float:
    """Return the F1 of the words of two answers, 0 to 1."""
    expected, answered = (
        Counter(re.findall(r"\w+", text.lower())) for text in (reference, prediction)
    )
    words = expected.total() + answered.total()
    return 2 * (expected & answered).total() / words if words else 0.0


def completion(body: dict[str, Any]) -> dict[str, Any]:
    """Return the chat completion to a request of L3Score."""
    answers = _ANSWER.findall(str(body["messages"][-1]["content"]))
    f1 = overlap(*answers) if len(answers) == 2 else 0.0
    yes = min(max(f1, 1 - _HIGHEST), _HIGHEST)
    top = [
        {"token": token, "logprob": math.log(probability)}
        for token, probability in {"Yes": yes, "No": 1 - yes}.items()
    ]
    top.sort(key=itemgetter("logprob"), reverse=True)
    first = top[0]
    choice = {
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": first["token"]},
        "logprobs": {"content": [{**first, "top_logprobs": top}]},
    }
    return {"model": MODEL, "choices": [choice]}


@contextmanager
def overlap_judge(port: int = 0) -> Iterator[str]:
    """Serve the judge on 127.0.0.1 while the block runs; yield its base URL.

    `port` 0 is any free port. Raises InputError: the port is taken.
    """
    from aiohttp import web

    async def answer(request: web.Request) -> web.Response:
        return web.json_response(completion(await request.json()))

    app = web.Application(client_max_size=16 << 20)
    app.router.add_post("/v1/chat/completions", answer)
    runner = web.AppRunner(app, access_log=None)
    loop = asyncio.new_event_loop()
    loop.run_until_complete(runner.setup())
    try:
        loop.run_until_complete(web.TCPSite(runner, "127.0.0.1", port).start())
    except OSError as error:
        reason = os.strerror(error.errno or 0)
        raise InputError(
            f"Expected port {port} to be free, found {reason}. Name another one."
        ) from None

    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
