"""The report of a large run: time, memory and the size of the page.

    python perf/report.py [--samples 10000] [--runs 3]

Two models' runs over the shipped questions, repeated until there are as many.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from measure import GROWTH, ROOT, arguments, fresh, peak_mb, ratio, resident_mb, show, spread, table, timed

sys.path.insert(0, str(ROOT / "tests" / "servers"))


def main() -> None:
    """Make the runs of each size, measure each in fresh processes, print the section."""
    if sys.argv[1:2] == ["measure"]:
        return measure(Path(sys.argv[2]))
    options = arguments(__doc__, samples=10_000, runs=3)
    rows: list[list[str]] = []
    first: list[float] = []
    for factor in GROWTH:
        with tempfile.TemporaryDirectory() as folder:
            count = make(Path(folder), options.samples * factor // GROWTH[-1])
            found = [fresh(__file__, folder) for _ in range(options.runs)]
        times, floor = ([each[name] for each in found] for name in ("seconds", "floor"))
        first = first or times
        memory = spread([each["memory"] for each in found], "MB")
        size = f"{found[0]['page'] / 1e6:.1f} MB"
        rows.append([f"{count:,}", spread(times), ratio(times, floor), ratio(times, first), memory, size])
    headers = ["samples", "time", "ratio to parsing alone", "ratio to 1x", "memory above the imports", "page"]
    show(
        "Report",
        "`spiqa-tasks report` on runs of two models, tables, plots and every sample with its picture, against "
        "`json.loads` of every line of the same files.",
        table(headers, rows),
    )
    return None


def make(folder: Path, samples: int) -> int:
    """Write the runs of two models; return how many samples they have in all."""
    from host_files import write_demo_run

    from spiqa_tasks.benchmarks.registry import load_rows

    repeat = max(1, samples // 2 // len(load_rows("mmstar", "demo", "")))
    for number, model in enumerate(("one", "two")):
        write_demo_run(folder / model, model, lambda place, _: "ABCD"[place * (number + 1) % 4], repeat=repeat)  # noqa: B023
    return sum(len(path.read_text().splitlines()) for path in folder.rglob("*.jsonl"))


def measure(folder: Path) -> None:
    """Write the page once and print seconds, memory and bytes; then the seconds of parsing alone."""
    from spiqa_tasks.report.content import build
    from spiqa_tasks.report.page import as_html

    before, pages = resident_mb(), []
    seconds = timed(lambda: pages.append(as_html(build([folder / "one", folder / "two"]))))
    memory = peak_mb() - before
    floor = timed(lambda: [json.loads(line) for path in folder.rglob("*.jsonl") for line in path.open()])
    print(json.dumps({"seconds": seconds, "memory": memory, "floor": floor, "page": len(pages[0].encode())}))


if __name__ == "__main__":
    main()
