"""The judge's server in a process of its own, and requests for it."""

import json
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from measure import ROOT

from spiqa_tasks.judge.rules import Candidate, L3ScoreRule
from spiqa_tasks.judge.types import JudgeRequest

SERVER = ROOT / "tests" / "servers" / "openai_server.py"


@contextmanager
def server(latency: float = 0.0, **options: str) -> Iterator[str]:
    """Run a server of OpenAI's protocol in a process of its own; yield its base URL.

    `options` are options of `openai_server.py`.
    """
    arguments = [word for name, value in options.items() for word in (f"--{name}", value)]
    process = subprocess.Popen(
        [sys.executable, str(SERVER), "--latency", str(latency), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.communicate()


def requests_at(url: str) -> int:
    """Return how many requests the server has answered or failed so far."""
    with urllib.request.urlopen(url.removesuffix("/v1") + "/stats") as response:
        return int(json.load(response)["requests"])


def requests_for(count: int, tag: str = "") -> list[JudgeRequest]:
    """Return requests about `count` different answers, as long as real ones."""
    rule = L3ScoreRule()
    text = "the proposed model outperforms every baseline by a wide margin on all of the datasets"
    return [
        rule.request(Candidate(text, f"{tag}{i}: what does Figure {i} show?", text))
        for i in range(count)
    ]


def blocking_ask(url: str) -> Callable[[JudgeRequest], None]:
    """Return a function that sends a request and waits for its answer."""

    def ask(request: JudgeRequest) -> None:
        message = {"role": "user", "content": request.prompt}
        body = {
            "model": "m",
            "messages": [message],
            "max_tokens": 1,
            "logprobs": True,
            "top_logprobs": 5,
        }
        call = urllib.request.Request(
            url + "/chat/completions",
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(call) as response:
            json.load(response)

    return ask
