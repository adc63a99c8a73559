"""What building the contexts of SPIQA's test-A costs beyond the host's own start: 666 questions of 118 papers.

    python perf/context.py [--runs 2]

The real annotations where they are (SPIQA_TASKS_TEST_DATA), else made ones of that size, with a small stand-in under
the name of every picture.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path

from measure import REAL_DATA, arguments, fresh, peak_mb, ratio, resident_mb, show, spread, table, timed
from train_load import papers, write_pictures

ANNOTATIONS = "SPIQA_testA.json"
BOUNDS = "bounds: 1 s and 300 MB"
PAPERS, QUESTIONS = 118, 666


def main() -> None:
    """Make the files, measure each size in fresh processes, print the section."""
    if sys.argv[1:2] == ["measure"]:
        return measure()
    options = arguments(__doc__, runs=2)
    rows: list[list[str]] = []
    first: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        for factor in (1, 10):
            made = Path(folder) / str(factor)
            count = make(made / "spiqa" / "test-A", factor)
            os.environ |= {"SPIQA_TASKS_DATA": str(made), "SPIQA_TASKS_CACHE": str(made / "cache")}
            os.environ |= {"SPIQA_JUDGE": "none", "HF_HUB_OFFLINE": "1"}
            opened = fresh(__file__)["load"]
            found = [fresh(__file__) for _ in range(options.runs)]
            own = [each["load"] + each["messages"] for each in found]
            first = first or own
            host, memory = ([each[name] for each in found] for name in ("host", "memory"))
            rows.append([f"{count:,}", spread(own), ratio(own, host), ratio(own, first), spread(memory, "MB"),
                         f"{opened:.3g} s"])  # fmt: skip
    headers = ["questions", "time", "ratio to the host's import", "ratio to 1x", "memory above the host's import",
               "loading the first time, pictures taken out"]  # fmt: skip
    show(
        "Contexts",
        "`process_docs` and `doc_to_messages` of all questions of `spiqa_testA` in the form that API classes get, with "
        "small pictures and no BERTScore model, against the import of lmms-eval's evaluator in the same process "
        f"({BOUNDS}). The train split below is about 400 times as large.",
        table(headers, rows),
    )
    return None


def make(folder: Path, factor: int) -> int:
    """Write annotations and pictures of so many times test-A; return the number of questions."""
    folder.mkdir(parents=True)
    real = REAL_DATA / "spiqa" / "test-A" / ANNOTATIONS
    names = [f"1700.{number:05d}v1" for number in range(PAPERS)]
    once = json.loads(real.read_text()) if real.exists() else papers(names, QUESTIONS)
    copies = {f"{name}{copy or ''}": {**each, "paper_id": f"{name}{copy or ''}"}
              for copy in range(factor) for name, each in once.items()}  # fmt: skip
    (folder / ANNOTATIONS).write_text(json.dumps(copies))
    write_pictures(folder / "SPIQA_testA_Images.zip", copies, (150, 90))
    return sum(len(each["qa"]) for each in copies.values())


def measure() -> None:
    """Import the host, load the split and build every context; print seconds and memory."""
    start = time.perf_counter()
    import datasets
    import lmms_eval.evaluator  # noqa: F401 - its import is what ours is compared with

    host, before = time.perf_counter() - start, resident_mb()
    found: dict[str, datasets.Dataset] = {}
    load = timed(lambda: found.update(docs=loaded(datasets)))
    messages = timed(lambda: build(found["docs"]))
    print(json.dumps({"host": host, "load": load, "messages": messages, "memory": peak_mb() - before}))


def loaded(datasets: object) -> object:
    """The rows, as the host gets them from `process_docs`."""
    from spiqa_tasks.utils.documents import load

    info = datasets.DatasetInfo(config_name="setting=direct")  # type: ignore[attr-defined]
    return load(datasets.Dataset.from_dict({"benchmark": ["spiqa"]}, info=info, split="testA"))  # type: ignore[attr-defined]


def build(docs: object) -> None:
    """Build every context and keep none, as the host does."""
    from spiqa_tasks.utils.prompts import doc_to_messages

    for doc in docs:  # type: ignore[attr-defined]
        assert doc_to_messages(doc, {"images": "encoded"})


if __name__ == "__main__":
    main()
