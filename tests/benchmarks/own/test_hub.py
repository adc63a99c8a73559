"""A benchmark of one's own on the hub: MMStar's release, as a YAML that knows nothing of ours."""

import json
import os
import subprocess
import sys
from pathlib import Path

from hub_server import COMMIT, Hub, running_hub

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.files.source import MMSTAR

YAML = f"""\
benchmark: stars
data: hf://datasets/{MMSTAR.repo_id}@main/*.parquet
columns: {{id: index, question: question, options: question, answer: answer, images: image, groups: category}}
"""
_LOAD = """
import json, sys
from pathlib import Path
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.hosts.catalogue import read_task
task = read_task(Path(sys.argv[1]))
print(json.dumps(load_rows(task.entry, task.split, task.settings)))
"""


def test_the_rows_of_a_release_are_those_of_its_own_loader(tmp_path: Path) -> None:
    """Fetched once at the commit of the branch; ids, questions, options, answers and pictures are the same."""
    path = tmp_path / "stars.yaml"
    path.write_text(YAML)
    with running_hub() as url:
        environ = {
            **os.environ,
            "HF_ENDPOINT": url,
            "HF_HOME": str(tmp_path / "home"),
            "HF_HUB_DISABLE_XET": "1",
        }
        Hub.fetched.clear()
        for _ in range(2):
            done = subprocess.run(
                [sys.executable, "-c", _LOAD, str(path)],
                env=environ,
                capture_output=True,
                text=True,
            )
            assert done.returncode == 0, done.stderr
        assert Hub.fetched == [(MMSTAR.repo_id, COMMIT, "mmstar.parquet")]
    ours = load_rows("mmstar", "demo", "")
    found = json.loads(done.stdout)
    for name in ("id", "question", "letters", "options", "answer"):
        assert [row[name] for row in found] == [row[name] for row in ours]
    pictures = [[Path(path).read_bytes() for path in row["images"]] for row in found]
    assert pictures == [[Path(path).read_bytes() for path in row["images"]] for row in ours]
