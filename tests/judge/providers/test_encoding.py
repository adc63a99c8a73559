"""A picture on the way to a judge's server."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from spiqa_tasks.judge.providers.encoding import encoded


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.png", "image/png"),
        ("a.jpg", "image/jpeg"),
        ("A.JPEG", "image/jpeg"),
        ("a.b.gif", "image/gif"),
        ("figure", "image/png"),
        ("figure.unknown", "image/png"),
    ],
)
def test_the_type_is_told_by_the_name_and_the_bytes_arrive(tmp_path: Path, name: str, kind: str) -> None:
    """What has no known ending goes out as a PNG; any bytes come back from the text."""
    content = bytes(range(256)) * 3
    (tmp_path / name).write_bytes(content)
    found, text = encoded(str(tmp_path / name))
    assert found == kind
    assert base64.b64decode(text, validate=True) == content
