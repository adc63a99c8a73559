"""What runs of the host over real annotations need."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def stub_pictures(tmp_path: Path) -> Callable[[Path], Path]:
    """`stub_pictures(annotations)`: a data folder with real test-A annotations and a stand-in for every figure."""
    from PIL import Image

    def make(annotations: Path) -> Path:
        one = tmp_path / "one.png"
        Image.new("RGB", (32, 24), "white").save(one)
        target = tmp_path / "data" / "spiqa" / "test-A"
        for paper_id, paper in json.loads(annotations.read_text()).items():
            folder = target / "SPIQA_testA_Images" / paper_id
            folder.mkdir(parents=True)
            for name in paper["all_figures"]:
                (folder / name).hardlink_to(one)
        (target / annotations.name).symlink_to(annotations)
        return tmp_path / "data"

    return make
