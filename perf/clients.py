"""What a judgement costs in processor time: this package's engine against the `openai` SDK.

Runs a local server of the OpenAI protocol in a process of its own, so that only the client's time is counted.
Usage: `python perf/clients.py [--answers 666] [--slots 64] [--runs 3]`.
"""

from __future__ import annotations

import asyncio
import importlib.util
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from measure import arguments, paired, ratio, show, spread, table
from served import requests_for, server

from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.engine import Engine
from spiqa_tasks.judge.types import JudgeRequest


def engine(url: str, requests: list[JudgeRequest], slots: int) -> None:
    """All in: queue, claims, retries, verdicts; the cache is left out, as the SDK has none."""
    judge = Engine(JudgeConfig("openai", "m", url, "no-key-needed", concurrency=slots, cache=False))
    judge.map(requests)
    judge.close()


def sdk(url: str, requests: list[JudgeRequest], slots: int, *, with_aiohttp: bool) -> None:
    """The asynchronous client of the SDK, with as many requests at a time."""
    from openai import AsyncOpenAI

    async def ask_all() -> None:
        transport: dict[str, Any] = {}
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


def main() -> None:
    """Measure each client that is installed and print the section."""
    options = arguments(__doc__, answers=666, slots=64, runs=3)
    requests = requests_for(options.answers)
    with server() as url:
        ways: dict[str, Callable[[], object]] = {"engine (aiohttp)": lambda: engine(url, requests, options.slots)}
        if importlib.util.find_spec("openai"):
            ways["openai SDK (httpx)"] = lambda: sdk(url, requests, options.slots, with_aiohttp=False)
            if importlib.util.find_spec("httpx_aiohttp"):
                ways["openai SDK (aiohttp)"] = lambda: sdk(url, requests, options.slots, with_aiohttp=True)
        for ask in ways.values():
            ask()  # imports, uncounted
        found = paired({name: partial(processor, ask, options.answers) for name, ask in ways.items()}, options.runs)
    packages = ("openai", "httpx_aiohttp")
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    left_out = f"Left out, because it is not installed: the SDK with {', '.join(missing)}." if missing else ""
    rows = [[name, spread(each, "ms"), ratio(each, found["engine (aiohttp)"])] for name, each in found.items()]
    show(
        "Clients",
        f"Processor time of a judgement, all in (queue, claims, retries, verdicts), against the `openai` SDK: "
        f"{options.answers} requests, {options.slots} at a time, a server that answers at once.",
        table(["client", "processor time a request", "ratio to the engine"], rows),
        left_out,
    )


def processor(ask: Callable[[], object], answers: int) -> float:
    """Milliseconds of this process's CPU per request."""
    start = time.process_time()
    ask()
    return (time.process_time() - start) * 1000 / answers


if __name__ == "__main__":
    main()
