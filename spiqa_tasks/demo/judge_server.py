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
from typing import Any

from spiqa_tasks.errors import InputError

# Looks like no model that anybody sells, so that no number of it passes for a result.
MODEL = "demo-overlap"

# Highest probability of a word.
_SURE = 0.99

# Further first words: L3Score needs five.
_OTHERS = {"Maybe": 1e-9, "Partly": 1e-9, "Perhaps": 1e-9}

# Both answers in the released prompt of L3Score.
_PARTS = re.compile(r"^(?:Ground-truth|Candidate) answer: (.*?) ?$", re.MULTILINE)


def overlap(reference: str, prediction: str) -> float:
    """Return the F1 of the words of two answers, 0 to 1."""
    first, second = (Counter(re.findall(r"\w+", text.lower())) for text in (reference, prediction))
    common = sum((first & second).values())
    return 2 * common / (sum(first.values()) + sum(second.values())) if common else 0.0


def completion(body: dict[str, Any]) -> dict[str, Any]:
    """Return the chat completion to a request of L3Score."""
    answers = _PARTS.findall(str(body["messages"][-1]["content"]))
    share = overlap(*answers) if len(answers) == 2 else 0.0
    yes = min(max(share, 1 - _SURE), _SURE)
    words = sorted({"Yes": yes, "No": 1 - yes, **_OTHERS}.items(), key=lambda pair: -pair[1])
    top = [
        {"token": word, "logprob": math.log(probability), "bytes": None}
        for word, probability in words
    ]
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": words[0][0]},
        "logprobs": {"content": [{**top[0], "top_logprobs": top}]},
    }
    usage = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    common = {"id": "demo", "object": "chat.completion", "created": 0, "model": MODEL}
    return {**common, "choices": [choice], "usage": usage}


@contextmanager
def overlap_judge(port: int = 0) -> Iterator[str]:
    """Serve on 127.0.0.1 until the block ends; yield the base URL.

    Raises InputError: the port (0: a free one) is taken.
    """
    from aiohttp import web

    async def answer(request: web.Request) -> web.Response:
        return web.json_response(completion(await request.json()))

    app = web.Application(client_max_size=16 << 20)
    app.router.add_post("/v1/chat/completions", answer)
    loop, runner = asyncio.new_event_loop(), web.AppRunner(app, access_log=None)
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
