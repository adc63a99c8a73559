"""A large table of questions is loaded in seconds."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from own_data import COLUMNS, write_own

ROWS = 100_000
_LOAD = """
import re, sys, time
from pathlib import Path
from spiqa_tasks.benchmarks.registry import load_table
from spiqa_tasks.hosts.catalogue import read_task

task = read_task(Path(sys.argv[1]))
begun = time.process_time()
rows = load_table(task.benchmark, task.split, task.settings).num_rows
print(rows, time.process_time() - begun, re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured in other units elsewhere")
def test_a_hundred_thousand_rows_take_less_than_ten_seconds_and_a_gigabyte(tmp_path: Path) -> None:
    """Rows of choices with paths of pictures; no picture is opened."""
    rows = [
        {
            "id": f"q{place}",
            "question": f"What is at {place}?",
            "answer": "ABCD"[place % 4],
            "level": place % 5,
        }
        | {"options": [f"option {place}", "b", "c", "d"], "image": "red.png"}
        for place in range(ROWS)
    ]
    path = write_own(
        tmp_path, rows, kind="choice", columns={**COLUMNS, "groups": "level", "cluster": "image"}
    )
    found = subprocess.run(
        [sys.executable, "-c", _LOAD, str(path)], capture_output=True, text=True, check=True
    )
    count, seconds, kilobytes = json.loads(f"[{','.join(found.stdout.split())}]")
    assert count == ROWS
    assert seconds < 10
    assert kilobytes < 1_000_000
