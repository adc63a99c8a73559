"""Pictures as the host's API classes send them: in forms that they cannot read, made small, made large."""

import base64
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from openai_server import OpenAIServer
from PIL import ExifTags, Image
from run_command import run_json
from run_files import run_records

from spiqa_tasks.benchmarks.signature import parse
from spiqa_tasks.hosts.catalogue import INCLUDE

from .conftest import Launch

SIZES = {
    "large.tif": (1600, 1200),
    "narrow.jpg": (300, 60),
    "turned.png": (640, 480),
    "nosuffix": (640, 480),
}
YAML = """
benchmark: pictured
data: questions.jsonl
kind: choice
columns: {id: image, question: question, answer: answer, options: [A, B], images: image}
metrics: [accuracy]
"""
Said = pytest.CaptureFixture[str]


@pytest.fixture
def gpt(
    request: pytest.FixtureRequest,
    server: OpenAIServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Launch:
    """`gpt(model, ...)`: a run of the host's own class on four pictures, at a local server of OpenAI's protocol."""
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = 6
    for name, size in SIZES.items():
        image = Image.effect_noise(size, 50).convert("CMYK" if name == "narrow.jpg" else "RGB")
        more: dict[str, Any] = {"exif": exif} if name == "turned.png" else {}
        image.save(tmp_path / name, format=None if "." in name else "PNG", **more)
    rows = (
        {"image": name, "question": "What?", "answer": "A", "A": "x", "B": "y"} for name in SIZES
    )
    (tmp_path / "questions.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (tmp_path / "pictured.yaml").write_text(YAML)
    monkeypatch.setenv(INCLUDE, str(tmp_path))
    monkeypatch.setenv("OPENAI_API_BASE", f"{server.url}/chat/completions")
    monkeypatch.setenv("OPENAI_API_KEY", "EMPTY")
    launch: Launch = request.getfixturevalue(
        "launch"
    )  # imports the host, which then knows the benchmark
    host = sys.modules["vlmeval.dataset"]
    monkeypatch.setattr(
        host, "SUPPORTED_DATASETS", [*host.SUPPORTED_DATASETS, "pictured"]
    )  # if it was imported before
    server.behaviour.text = "A"
    return lambda model, *more: launch("--data", "pictured", "--model", model, *more)


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
        "GPT4o (GPT4V) sends pictures of pictured reduced, 1,600 x 1,200 as 512 x 384. Take a configuration"
        in said
    )
    assert "add --accept-pictures" in said
    assert not server.requests
    assert gpt("GPT4o", "--accept-pictures") == 0
    assert "pictured reduced, 1,600 x 1,200 as 512 x 384." in capsys.readouterr().err
    assert sorted(sent(server)) == [(384, 512), (500, 100), (512, 384)]
    signatures = {
        parse(record["signature"]).pictures for record in run_records(tmp_path / "out", "pictured")
    }
    assert signatures == {"up to 512 px"}
    status, scored, said = run_json(capsys, "score", tmp_path / "out")
    assert (status, parse(scored["signature"]).pictures) == (0, "up to 512 px"), said


@pytest.mark.parametrize("model", ["GPT4o_HIGH", "served"])
def test_every_file_is_sent_and_what_is_enlarged_is_said(
    gpt: Launch, server: OpenAIServer, tmp_path: Path, capsys: Said, model: str
) -> None:
    """TIFF, a file without suffix, CMYK and an orientation in EXIF arrive as lmms-eval sends them, in RGB."""
    more = ["--base-url", server.url, "--key", "EMPTY"] if model == "served" else []
    assert gpt(model, *more) == 0
    said = capsys.readouterr().err
    assert "edge below 100 px enlarged, 300 x 60 as 500 x 100." in said
    assert "reduced" not in said
    assert sent(server) == dict.fromkeys([(1600, 1200), (500, 100), (480, 640), (640, 480)], "RGB")
    assert {
        parse(record["signature"]).pictures for record in run_records(tmp_path / "out", "pictured")
    } == {""}
