"""Pictures as the host's API classes send them: in forms that they cannot read, made small, made
large.
"""

import base64
import io
from pathlib import Path
from typing import Any

import pytest
from mmstar_release import write_rows
from openai_server import OpenAIServer
from PIL import ExifTags, Image
from run_command import run_json
from run_files import run_records

from spiqa_tasks.benchmarks.mmstar.definition import CATEGORIES
from spiqa_tasks.benchmarks.signature import parse

from .conftest import Launch

SIZES = {
    "large.tif": (1600, 1200),
    "narrow.jpg": (300, 60),
    "turned.png": (640, 480),
    "plain.png": (640, 480),
}
TASK = "mmstar_filtered"
Said = pytest.CaptureFixture[str]


@pytest.fixture
def gpt(
    request: pytest.FixtureRequest,
    server: OpenAIServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Launch:
    """`gpt(model, ...)`: a run of the host's own class on four pictures, at a local server of
    OpenAI's protocol.
    """
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = 6
    rows = []
    for index, (name, size) in enumerate(SIZES.items()):
        image = Image.effect_noise(size, 50).convert("CMYK" if name == "narrow.jpg" else "RGB")
        more: dict[str, Any] = {"exif": exif} if name == "turned.png" else {}
        image.save(tmp_path / name, **more)
        asked = {"index": index, "question": "What?\nOptions: A: x, B: y", "answer": "A"}
        group = {"category": CATEGORIES[0], "l2_category": CATEGORIES[0]}
        rows.append({**asked, **group, "image": (tmp_path / name).read_bytes()})
    write_rows(tmp_path / "data", rows)
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("OPENAI_API_BASE", f"{server.url}/chat/completions")
    monkeypatch.setenv("OPENAI_API_KEY", "EMPTY")
    launch: Launch = request.getfixturevalue("launch")
    server.behaviour.text = "A"
    return lambda model, *more: launch("--data", TASK, "--model", model, *more)


def sent(server: OpenAIServer) -> dict[tuple[int, int], str]:
    """Size -> mode of the pictures that the server got."""
    contents = [request["body"]["messages"][-1]["content"] for request in server.requests]
    urls = (
        part["image_url"]["url"]
        for content in contents
        for part in content
        if part["type"] == "image_url"
    )
    pictures = [Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))) for url in urls]
    return {picture.size: picture.mode for picture in pictures}


def test_a_class_that_makes_pictures_small_is_refused_or_in_the_signature(
    gpt: Launch, server: OpenAIServer, tmp_path: Path, capsys: Said
) -> None:
    """`GPT4o` sends 512 pixels; `score` on the folder keeps the signature's field."""
    assert gpt("GPT4o") == 2
    said = capsys.readouterr().err
    assert (
        "GPT4o (GPT4V) sends pictures of mmstar_filtered with at most 512 pixels an edge. Take a"
        " configuration" in said
    )
    assert "add --accept-pictures" in said
    assert not server.requests
    assert gpt("GPT4o", "--accept-pictures") == 0
    assert "mmstar_filtered with at most 512 pixels an edge." in capsys.readouterr().err
    assert sorted(sent(server)) == [(384, 512), (500, 100), (512, 384)]
    signatures = {
        parse(record["signature"]).max_side for record in run_records(tmp_path / "out", TASK)
    }
    assert signatures == {"up to 512 px"}
    status, scored, said = run_json(capsys, "score", tmp_path / "out", "--partial")
    assert (status, parse(scored["signature"]).max_side) == (0, "up to 512 px"), said


@pytest.mark.parametrize("model", ["GPT4o_HIGH", "served"])
def test_every_file_is_sent(
    gpt: Launch, server: OpenAIServer, tmp_path: Path, capsys: Said, model: str
) -> None:
    """TIFF, CMYK and an orientation in EXIF arrive as lmms-eval sends them, in RGB."""
    more = ["--base-url", server.url, "--key", "EMPTY"] if model == "served" else []
    assert gpt(model, *more) == 0
    assert "pixels an edge" not in capsys.readouterr().err
    assert sent(server) == dict.fromkeys([(1600, 1200), (500, 100), (480, 640), (640, 480)], "RGB")
    assert {
        parse(record["signature"]).max_side for record in run_records(tmp_path / "out", TASK)
    } == {""}
