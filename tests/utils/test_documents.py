"""What a model is shown, when a picture has gone since the task was loaded."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.utils.documents import doc_to_messages, doc_to_visual


def with_picture(path: Path) -> dict[str, Any]:
    """A demo question whose pictures are this file."""
    row = load_rows("mmstar", "demo", "")[0]
    return {**row, "images": [str(path)] * len(row["images"])}


@pytest.mark.parametrize("hook", [doc_to_messages, doc_to_visual])
@pytest.mark.parametrize("content", [None, b"", b"\x89PNG\r\n\x1a\n" + b"x" * 40])
def test_the_run_ends_with_one_sentence(
    tmp_path: Path, hook: Callable[..., Any], content: bytes | None
) -> None:
    """Missing, empty or broken: no exception that the host would retry and then exit with 0."""
    path = tmp_path / "picture.png"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SystemExit, match=r"^spiqa-tasks: .*picture\.png"):
        hook(with_picture(path))
