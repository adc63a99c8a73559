"""Grey pictures in the place of real ones."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from spiqa_tasks.files.image_ablation import ablated_pictures


def test_grey_pictures_have_the_size_of_the_real_ones(tmp_path: Path) -> None:
    """Every pixel is 128 in all channels, sizes stay; without the ablation the paths are the same ones."""
    sizes = [(30, 20), (7, 9), (30, 20)]
    paths = [str(tmp_path / f"{index}.png") for index in range(3)]
    for path, size in zip(paths, sizes, strict=True):
        Image.new("RGB", size, "red").save(path)
    assert ablated_pictures(paths, "none") == paths
    grey = ablated_pictures(paths, "grey")
    assert grey[0] == grey[2]
    for path, size in zip(grey, sizes, strict=True):
        with Image.open(path) as picture:
            assert picture.size == size
            assert picture.convert("RGB").getcolors() == [(size[0] * size[1], (128, 128, 128))]
