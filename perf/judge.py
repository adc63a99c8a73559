"""Measure how near asking a judge comes to the limit of its server, with and without failures.

    python perf/judge.py [--answers 666] [--latency 0.1] [--concurrency 64] [--runs 5]

The server speaks OpenAI's protocol, has this latency, and runs in another process.
"""

import argparse
import json
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from measure import arguments, growth, paired, ratio, show, spread, table, timed
from served import blocking_ask, requests_at, requests_for, server

from spiqa_tasks.judge.judge import JudgeClient
from spiqa_tasks.judge.types import JudgeConfig

FAULTS = {"429": 0.08, "500": 0.08, "reset": 0.06, "timeout": 0.02, "truncated": 0.06}
# Of a server with a limit: requests a second, requests at once; and the answers to judge there.
RATE, BURST, PACED = 100, 50, 2000
HEADERS = ["way", "time", "ratio to the ideal", "ratio to ours"]


def ask_all(config: JudgeConfig, count: int) -> tuple[float, int]:
    """Return the seconds for all verdicts with an empty cache, and how many failed."""
    with tempfile.TemporaryDirectory() as folder:
        judge = JudgeClient(replace(config, cache_dir=Path(folder)))
        judge.verdicts(requests_for(2, "first "))  # imports the SDK
        requests = requests_for(count)
        seconds = timed(lambda: judge.verdicts(requests))
        return seconds, sum(not verdict.ok for verdict in judge.verdicts(requests))


def plain(url: str, threads: int, sample: int, count: int) -> Callable[[], float]:
    """Return a function that asks `sample` requests in some threads, each waiting for its answer,
    and returns the seconds, scaled to `count` requests.
    """

    def measure() -> float:
        with ThreadPoolExecutor(threads) as pool:
            return (
                timed(lambda: list(pool.map(blocking_ask(url), requests_for(sample))))
                * count
                / sample
            )

    return measure


def speed(config: JudgeConfig, options: argparse.Namespace) -> list[str]:
    """Return the table of our time, the ideal, four threads and a serial loop, and the table of our
    time by number of answers.
    """
    count, ideal = options.answers, options.answers * options.latency / options.concurrency
    with server(options.latency) as url:
        config = replace(config, url=url)
        ours = f"ours, {options.concurrency} at a time"
        ways = {
            ours: lambda: ask_all(config, count)[0],
            "four threads": plain(url, 4, 80, count),
            "serial loop": plain(url, 1, 20, count),
        }
        found = paired(ways, options.runs)
        rows = [[name, spread(each), ratio(each, [ideal] * len(each)), ratio(each, found[ours])]
                for name, each in found.items()]  # fmt: skip
        grown = growth(
            "answers",
            max(count // 10, 1),
            lambda size: ask_all(config, size)[0],
            min(options.runs, 2),
        )
    return [table(HEADERS, [["ideal", f"{ideal:.3g} s", "1", ""], *rows]), grown]


def faults(config: JudgeConfig, options: argparse.Namespace) -> list[str]:
    """Return the row of a server that fails 30% of the requests: time, ratio, answers lost."""
    ideal = options.answers * options.latency / options.concurrency
    times = []
    failed = 0
    with server(options.latency, faults=json.dumps(FAULTS), hang="5") as url:
        for _ in range(options.runs):
            seconds, lost = ask_all(replace(config, url=url, timeout=1.0), options.answers)
            times.append(seconds)
            failed += lost
    ratios = ratio(times, [ideal] * len(times))
    return [
        f"{sum(FAULTS.values()):.0%} of requests fail",
        spread(times),
        ratios,
        f"{failed} answers lost",
    ]


def pace(config: JudgeConfig, options: argparse.Namespace) -> list[str]:
    """Return the row of a server with a limit on requests: time, ratio, share of the limit."""
    ideal = (PACED - BURST) / RATE
    with server(options.latency, bucket=f"[{RATE}, {BURST}]") as url:
        seconds, lost = ask_all(replace(config, url=url), PACED)
        refused = 1 - (PACED + 2) / requests_at(url)
    remark = (
        f"{ideal / seconds:.0%} of the limit; {refused:.0%} of requests refused, {lost}"
        " answers lost"
    )
    return [
        f"{PACED:,} answers, limit of {RATE} a second",
        spread([seconds]),
        f"{seconds / ideal:.3g}",
        remark,
    ]


def main() -> None:
    """Measure and print the section."""
    options = arguments(__doc__, answers=666, latency=0.1, concurrency=64, runs=5)
    config = JudgeConfig(
        "openai", "gpt-4o", "http://127.0.0.1", "key", concurrency=options.concurrency
    )
    compared, grown = speed(config, options)
    hard = table(
        ["server", "time", "ratio to the ideal", "outcome"],
        [faults(config, options), pace(config, options)],
    )
    show(
        "Judge",
        "Asking a judge, against the ideal (answers x latency / requests at a time), four threads"
        f" and a serial loop of blocking requests: {options.answers} answers, a server that takes"
        f" {options.latency * 1000:.0f} ms, the loops measured on 80 and 20 answers and scaled."
        " Then a server that fails, one that sets a limit, and more answers.",
        compared,
        hard,
        grown,
    )


if __name__ == "__main__":
    main()
