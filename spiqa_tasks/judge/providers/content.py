"""The content of a message to a judge's server: pictures, then the prompt."""

from __future__ import annotations

import base64
import mimetypes
from collections.abc import Callable
from pathlib import Path
from typing import Any

from spiqa_tasks.judge.types import JudgeRequest


def content_of(request: JudgeRequest, image_part: Callable[[str], dict[str, Any]]) -> str | list[dict[str, Any]]:
    """Return the prompt, or its parts after those of the pictures; `image_part` maps a picture's URL to a part.

    Half a surrogate pair, which is no text and which servers refuse, becomes a question mark.
    """
    prompt = request.prompt.encode("utf-8", "replace").decode()
    if not request.images:
        return prompt
    return [*(image_part(_url(image)) for image in request.images), {"type": "text", "text": prompt}]


def _url(image: str) -> str:
    """A URL as it is; a local picture as a data URL, of the media type that its name has, else image/png."""
    if image.startswith(("http://", "https://", "data:")):
        return image
    media_type = mimetypes.guess_type(image)[0] or "image/png"
    return f"data:{media_type};base64,{base64.b64encode(Path(image).read_bytes()).decode()}"
