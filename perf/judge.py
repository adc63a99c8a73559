"""How near the judge engine comes to the limit of its server, and what failures and many answers cost it.

Runs a local server of the OpenAI protocol with a settable latency in a process of its own. Usage:
`python perf/judge.py [--answers 666] [--latency 0.1] [--concurrency 64] [--many 20000]`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from spiqa_tasks.judge.cache import FILE_NAME, VerdictCache
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.engine import Engine
from spiqa_tasks.judge.l3 import L3Judge, L3Rule
from spiqa_tasks.judge.stored import request_key
from spiqa_tasks.judge.types import JudgeRequest, Verdict

SERVER = Path(__file__).parents[1] / "tests" / "servers" / "openai_server.py"
FAULTS = {"429": 0.08, "500": 0.08, "reset": 0.06, "timeout": 0.02, "truncated": 0.06}


@dataclass(frozen=True)
class Row:
    """One line of the table: what was measured, seconds, the ideal it is compared with, and a remark."""

    name: str
    seconds: float
    ideal: float | None
    remark: str


@contextmanager
def server(latency: float, **options: str) -> Iterator[str]:
    """A judge's server in a process of its own; its base URL."""
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
    """How many requests the server has answered or failed so far."""
    with urllib.request.urlopen(url.removesuffix("/v1") + "/stats") as response:
        return int(json.load(response)["requests"])


def requests_for(count: int, tag: str = "") -> list[JudgeRequest]:
    """Judging requests for `count` different answers, about as long as real ones."""
    rule = L3Rule()
    text = "the proposed model outperforms every baseline by a wide margin on all of the datasets"
    return [rule.request(f"{tag}{i}: what does Figure {i} show?", text, text) for i in range(count)]


def engine_seconds(config: JudgeConfig, requests: list[JudgeRequest]) -> tuple[float, Engine]:
    """Seconds from the first submission to the last verdict, and the closed engine."""
    engine = Engine(config)
    L3Judge(engine).preflight()
    start = time.perf_counter()
    engine.map(requests, progress=False)
    seconds = time.perf_counter() - start
    engine.close()
    return seconds, engine


def blocking_ask(url: str) -> Callable[[JudgeRequest], None]:
    """One blocking request at a time, as a plain client makes it."""

    def ask(request: JudgeRequest) -> None:
        message = {"role": "user", "content": request.prompt}
        body = {"model": "m", "messages": [message], "max_tokens": 1, "logprobs": True, "top_logprobs": 5}
        call = urllib.request.Request(
            url + "/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(call) as response:
            json.load(response)

    return ask


def speed(config: JudgeConfig, options: argparse.Namespace) -> Iterator[Row]:
    """The engine against the ideal, a serial loop, four threads, and a warm cache."""
    count, ideal = options.answers, options.answers * options.latency / options.concurrency
    with server(options.latency) as url, tempfile.TemporaryDirectory() as folder:
        times = []
        for run in range(options.runs):
            config = replace(config, base_url=url, cache_dir=Path(folder) / str(run))
            times.append(engine_seconds(config, requests_for(count))[0])
        listed = ", ".join(f"{seconds:.2f}" for seconds in times)
        yield Row(f"engine, {options.concurrency} at a time", min(times), ideal, f"best of {listed} s")
        before = requests_at(url)
        engine = Engine(config)
        start = time.perf_counter()
        engine.map(requests_for(count), progress=False)
        warm = time.perf_counter() - start
        engine.close()
        yield Row("engine, warm cache", warm, None, f"{requests_at(url) - before} requests; engine start included")
        for name, threads, sample in (("serial loop", 1, 20), ("four threads", 4, 80)):
            start = time.perf_counter()
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(blocking_ask(url), requests_for(sample)))
            seconds = (time.perf_counter() - start) * count / sample
            yield Row(name, seconds, ideal, f"{sample} measured, scaled to {count}")


def faults(config: JudgeConfig, options: argparse.Namespace) -> Iterator[Row]:
    """All answers are judged although 30% of the requests fail."""
    ideal = options.answers * options.latency / options.concurrency
    with server(options.latency, faults=json.dumps(FAULTS), hang="5") as url, tempfile.TemporaryDirectory() as folder:
        config = replace(config, base_url=url, cache_dir=Path(folder), timeout=1.0)
        seconds, engine = engine_seconds(config, requests_for(options.answers))
        summary = engine.summary()
        made = requests_at(url)
        remark = f"{summary.judged} judged, {summary.failed} failed, {made} requests"
        yield Row(f"engine, {sum(FAULTS.values()):.0%} of requests fail", seconds, ideal, remark)


def pace(config: JudgeConfig, options: argparse.Namespace) -> Iterator[Row]:
    """A server that allows 100 requests a second, 50 at once: how near the engine stays to that."""
    rate, burst, count = 100, 50, 2000
    ideal = (count - burst) / rate
    with server(options.latency, bucket=f"[{rate}, {burst}]") as url, tempfile.TemporaryDirectory() as folder:
        seconds, engine = engine_seconds(replace(config, base_url=url, cache_dir=Path(folder)), requests_for(count))
        summary, made = engine.summary(), requests_at(url)
        remark = f"{ideal / seconds:.0%} of the limit; {summary.failed} failed, {made} requests"
        yield Row(f"engine, limit of {rate} a second", seconds, ideal, remark)


def warm(config: JudgeConfig, _options: argparse.Namespace) -> Iterator[Row]:
    """100,000 answers whose verdicts are all stored."""
    count = 100_000
    verdict = Verdict("ok", "Yes", tuple((word, -1.0) for word in ("Yes", "No", " yes", "Sim", "Maybe")), "gpt-4o")
    requests = requests_for(count)
    with tempfile.TemporaryDirectory() as folder:
        cache = VerdictCache(Path(folder) / FILE_NAME)
        judge = (config.provider, config.model, config.url, "")
        cache.put_many([(request_key(*judge, request), verdict) for request in requests])
        cache.close()
        engine = Engine(replace(config, cache_dir=Path(folder)))
        start = time.perf_counter()
        found = engine.estimate(requests).cached
        estimated = time.perf_counter()
        engine.map(requests, progress=False)
        end = time.perf_counter()
        engine.close()
    yield Row(f"estimate, {count} answers", estimated - start, None, f"{found} stored")
    yield Row(f"warm cache, {count} answers", end - estimated, None, f"{resident_mb():.0f} MB")


def memory(config: JudgeConfig, options: argparse.Namespace) -> Iterator[Row]:
    """Resident memory while many answers are judged, from a tenth of them judged to the end."""
    ideal = options.many * options.latency / options.concurrency
    with server(options.latency) as url, tempfile.TemporaryDirectory() as folder:
        engine = Engine(replace(config, base_url=url, cache_dir=Path(folder)))
        judge = L3Judge(engine)
        empty = resident_mb()
        start = time.perf_counter()
        questions = (f"{i}: what is shown?" for i in range(options.many))
        pendings = [judge.submit(judge.rule.request(question, "a line", "a line")) for question in questions]
        submitted = time.perf_counter() - start
        pendings[options.many // 10].result()
        tenth = resident_mb()
        engine.wait(pendings)
        seconds, end = time.perf_counter() - start, resident_mb()
        scored = sum(pending.result().ok for pending in pendings)
        engine.close()
    remark = f"{scored} scored; {empty:.0f} MB empty, {tenth:.0f} MB at a tenth, {end:.0f} MB at the end"
    yield Row(f"engine, {options.many} answers", seconds, ideal, remark)
    yield Row(f"handing over {options.many} answers", submitted, None, f"{submitted / options.many * 1e6:.0f} us each")


def resident_mb() -> float:
    """This process's resident memory in MB (Linux)."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def main() -> None:
    """Measure and print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=int, default=666)
    parser.add_argument("--latency", type=float, default=0.1, help="the server's, in seconds")
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--many", type=int, default=20_000, help="answers of the memory run (0: leave it out)")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    config = JudgeConfig("openai", "gpt-4o", "http://127.0.0.1", "key", concurrency=options.concurrency)
    print(
        f"{options.answers} answers, {options.latency * 1000:.0f} ms latency; ideal = answers x latency / concurrency"
    )
    print(f"{'':34} {'seconds':>8} {'ideal':>8} {'ratio':>7}")
    for measure in (speed, faults, pace, warm) if options.many == 0 else (speed, faults, pace, warm, memory):
        for row in measure(config, options):
            against = f"{row.ideal:8.2f} {row.seconds / row.ideal:7.2f}" if row.ideal else f"{'':8} {'':7}"
            print(f"{row.name:34} {row.seconds:8.2f} {against}  {row.remark}", flush=True)


if __name__ == "__main__":
    main()
