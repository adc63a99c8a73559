"""What many answers cost the judge engine: verdicts that are stored already, and memory while it asks.

python perf/judge_store.py [--answers 100000] [--many 20000] [--latency 0.1] [--concurrency 64] [--runs 3]
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

from measure import GROWTH, arguments, paired, ratio, resident_mb, show, spread, table, timed
from served import requests_for, server

from spiqa_tasks.judge.cache import FILE_NAME, VerdictCache
from spiqa_tasks.judge.cache_entry import request_key
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.engine import Engine
from spiqa_tasks.judge.types import Verdict

VERDICT = Verdict("ok", "Yes", tuple((word, -1.0) for word in ("Yes", "No", " yes", "Sim", "Maybe")), "gpt-4o")
BOUNDS = {"estimate": 1.0, "answering": 5.0}


def stored(config: JudgeConfig, count: int, runs: int) -> list[tuple[str, list[float]]]:
    """Return the seconds of an estimate and of all verdicts, where every one is stored."""
    requests = requests_for(count)
    with tempfile.TemporaryDirectory() as folder:
        cache = VerdictCache(Path(folder) / FILE_NAME)
        cache.put_many([(request_key(config, "", request), VERDICT) for request in requests])
        cache.close()
        config = replace(config, cache_dir=Path(folder))

        def measure(what: str) -> float:
            engine = Engine(config)
            if what == "estimate":
                seconds = timed(lambda: engine.estimate(requests))
            else:
                seconds = timed(lambda: engine.map(requests))
                assert engine.summary().cached == count
            engine.close()
            return seconds

        return list(paired({what: partial(measure, what) for what in BOUNDS}, runs).items())


def warm(config: JudgeConfig, most: int, runs: int) -> str:
    """The table of stored verdicts, for 1, 10 and 100 times as many."""
    stored(config, 10, 1)  # imports, uncounted
    rows: list[list[str]] = []
    first: dict[str, list[float]] = {}
    for factor in GROWTH:
        count = most * factor // GROWTH[-1]
        for what, times in stored(config, count, runs):
            grown = ratio(times, first.setdefault(what, times))
            kept = "kept" if statistics.median(times) < BOUNDS[what] else "not kept"
            bound = f"{BOUNDS[what]:g} s: {kept}" if factor == GROWTH[-1] else ""
            rows.append([what, f"{count:,}", spread(times), grown, bound])
    return table(["from stored verdicts", "answers", "time", "ratio to 1x", "bound"], rows)


def memory(config: JudgeConfig, options: argparse.Namespace) -> str:
    """The table of a long judging: time against the ideal, and resident memory."""
    ideal = options.many * options.latency / options.concurrency
    with server(options.latency) as url, tempfile.TemporaryDirectory() as folder:
        engine = Engine(replace(config, url=url, cache_dir=Path(folder)))
        empty, start = resident_mb(), time.perf_counter()
        pendings = engine.submit_all(requests_for(options.many))
        submitted = time.perf_counter() - start
        pendings[options.many // 10].result()
        tenth = resident_mb()
        engine.wait(pendings)
        seconds, end = time.perf_counter() - start, resident_mb()
        scored = sum(pending.result().ok for pending in pendings)
        engine.close()
    row = [f"{scored:,}", f"{seconds:.3g} s", f"{seconds / ideal:.3g}", f"{submitted / options.many * 1e6:.0f} us",
           f"{empty:.0f} MB, {tenth:.0f} MB, {end:.0f} MB"]  # fmt: skip
    headers = ["answers judged", "time", "ratio to the ideal", "handing one over", "memory at first, a tenth, the end"]
    return table(headers, [row])


def main() -> None:
    """Measure and print the section."""
    options = arguments(__doc__, answers=100_000, many=20_000, latency=0.1, concurrency=64, runs=3)
    config = JudgeConfig("openai", "gpt-4o", "http://127.0.0.1", "key", concurrency=options.concurrency)
    show(
        "Judge: stored verdicts and memory",
        "The judge engine where every verdict is stored (`--dry-run`'s estimate, and all scores without a request), "
        f"and its memory over many answers, against the ideal of a server that takes {options.latency * 1000:.0f} ms.",
        warm(config, options.answers, options.runs),
        memory(config, options) if options.many else "",
    )


if __name__ == "__main__":
    main()
