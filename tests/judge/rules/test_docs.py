"""What docs/judge.md shows of rules."""

from __future__ import annotations

import re
from pathlib import Path

from spiqa_tasks.judge.rules.grade import read_rubric


def test_the_rubric_of_the_docs_is_one(tmp_path: Path) -> None:
    """As it stands there."""
    page = (Path(__file__).resolve().parents[3] / "docs" / "judge.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```yaml\n(prompt: .*?)```", page, re.DOTALL)
    path = tmp_path / "rubric.yaml"
    path.write_text(shown, encoding="utf-8")
    assert [value for _, value in read_rubric(path).levels] == [1, 0.7, 0.2, 0]
