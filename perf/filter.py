"""The filter of the MMStar paper at the paper's size: 22,401 questions, eight models.

python perf/filter.py [--questions 22401] [--models 8] [--runs 3]
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from pathlib import Path

from measure import GROWTH, ROOT, arguments, fresh, peak_mb, ratio, resident_mb, show, spread, table, timed

sys.path.insert(0, str(ROOT / "tests" / "servers"))


def main() -> None:
    """Make the runs of each size, measure each in fresh processes, print the section."""
    if sys.argv[1:2] == ["measure"]:
        return measure(Path(sys.argv[2]))
    options = arguments(__doc__, questions=22_401, models=8, runs=3)
    rows: list[list[str]] = []
    first: list[float] = []
    for factor in GROWTH:
        count = options.questions * factor // GROWTH[-1]
        with tempfile.TemporaryDirectory() as folder:
            make(Path(folder), count, options.models)
            found = [fresh(__file__, folder) for _ in range(options.runs)]
        times, floor = ([each[name] for each in found] for name in ("seconds", "floor"))
        first = first or times
        memory = spread([each["memory"] for each in found], "MB")
        rows.append([f"{count:,}", spread(times), ratio(times, floor), ratio(times, first), memory])
    headers = ["questions", "time", "ratio to parsing alone", "ratio to 1x", "memory above the imports"]
    show(
        "Filter",
        f"`spiqa-tasks filter` on the logged answers of {options.models} models, against `json.loads` of every line of "
        "the same files.",
        table(headers, rows),
    )
    return None


def make(folder: Path, questions: int, models: int) -> None:
    """Write the runs of models that answer a third of the questions, as the host writes them."""
    from host_files import choice_samples, write_run

    generator = random.Random(0)
    for model in range(models):
        rights = [generator.random() < 1 / 3 for _ in range(questions)]
        write_run(folder, f"m{model}", {"t": choice_samples(rights)}, stamp=str(model))


def measure(folder: Path) -> None:
    """Filter once and print seconds and memory; then the seconds of parsing alone."""
    from spiqa_tasks.analysis.filter_runs import filter_runs
    from spiqa_tasks.runs.loading import load_runs
    from spiqa_tasks.runs.places import Place

    before = resident_mb()
    seconds = timed(lambda: filter_runs(load_runs([Place(folder)])[0], text_only_models=True))
    memory = peak_mb() - before
    floor = timed(lambda: parse(folder))
    print(json.dumps({"seconds": seconds, "memory": memory, "floor": floor}))


def parse(folder: Path) -> None:
    """Parse every line and keep none."""
    for path in folder.glob("*.jsonl"):
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                json.loads(line)


if __name__ == "__main__":
    main()
