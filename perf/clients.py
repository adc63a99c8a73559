"""What a judgement costs in processor time: this package's engine against the `openai` SDK.

Runs a local server of the OpenAI protocol in a process of its own, so that only the client's time is counted.
Usage: `python perf/clients.py [--answers 666] [--slots 64]`.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import time
from collections.abc import Callable

from judge import requests_for, server

from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.engine import Engine
from spiqa_tasks.judge.types import JudgeRequest


def engine(url: str, requests: list[JudgeRequest], slots: int) -> None:
    """All in: queue, claims, retries, verdicts; the cache is left out, as the SDK has none."""
    judge = Engine(JudgeConfig("openai", "m", url, "no-key-needed", concurrency=slots, cache=False))
    judge.map(requests, progress=False)
    judge.close()


def sdk(url: str, requests: list[JudgeRequest], slots: int, *, with_aiohttp: bool) -> None:
    """The asynchronous client of the SDK, with as many requests at a time."""
    from openai import AsyncOpenAI

    async def ask_all() -> None:
        transport = {}
        if with_aiohttp:
            from openai import DefaultAioHttpClient

            transport = {"http_client": DefaultAioHttpClient()}
        limit = asyncio.Semaphore(slots)
        async with AsyncOpenAI(base_url=url, api_key="none", **transport) as client:

            async def ask(request: JudgeRequest) -> None:
                async with limit:
                    await client.chat.completions.create(
                        model="m",
                        messages=[{"role": "user", "content": request.prompt}],
                        max_tokens=1,
                        logprobs=True,
                        top_logprobs=5,
                    )

            await asyncio.gather(*map(ask, requests))

    asyncio.run(ask_all())


def measured(name: str, ask: Callable[[], None], answers: int) -> None:
    """Print the processor and wall time of one way to ask, the second time that it is gone."""
    for is_counted in (False, True):
        processor, wall = time.process_time(), time.perf_counter()
        ask()
        processor, wall = time.process_time() - processor, time.perf_counter() - wall
        if is_counted:
            print(f"{name:28} {processor / answers * 1000:6.2f} ms of processor time each, {wall:6.2f} s in all")


def main() -> None:
    """Measure and print one line a client."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=int, default=666)
    parser.add_argument("--slots", type=int, default=64)
    options = parser.parse_args()
    requests = requests_for(options.answers)
    with server(0.0) as url:
        measured("engine (aiohttp)", lambda: engine(url, requests, options.slots), options.answers)
        if importlib.util.find_spec("openai") is None:
            return
        measured("openai SDK (httpx)", lambda: sdk(url, requests, options.slots, with_aiohttp=False), options.answers)
        if importlib.util.find_spec("httpx_aiohttp") is not None:
            ask = lambda: sdk(url, requests, options.slots, with_aiohttp=True)  # noqa: E731
            measured("openai SDK (aiohttp)", ask, options.answers)


if __name__ == "__main__":
    main()
