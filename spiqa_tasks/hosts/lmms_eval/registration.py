"""Registration with lmms-eval: our models through its entry point, the rest by extending its modules.

The host has no entry point for tasks. It loads the entry point of models before it builds a task index, so that is
where the index learns of our folders. `lmms-eval tasks list`, a fresh `lmms-eval serve` and its user interface build
an index without loading models; for them the package installs a one-line `.pth` file that calls `register_tasks` in
the host's processes and does nothing in others (see setup.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spiqa_tasks.hosts.after_import import patch
from spiqa_tasks.hosts.lmms_eval.patches import PATCHES

if TYPE_CHECKING:
    from lmms_eval.models.registry_v2 import ModelManifest

MODELS = {
    "random_choice": "spiqa_tasks.models.choice.RandomChoice",
    "frequent_choice": "spiqa_tasks.models.choice.FrequentChoice",
    "caption_retrieval": "spiqa_tasks.models.retrieval.CaptionRetrieval",
    "ocr_baseline": "spiqa_tasks.models.retrieval.OcrBaseline",
    "clip_choice": "spiqa_tasks.models.clip.ClipChoice",
}
"""Model name -> class, all of them simple models of the host."""
ABLATED = "ablated"
"""The model that wraps another one; chat where its base is."""


def register() -> list[ModelManifest]:
    """Return the payload of the host's entry point `lmms_eval.models`: our models; as a side effect, our tasks."""
    from lmms_eval.models.registry_v2 import ModelManifest

    register_tasks()
    wrapper = ModelManifest(
        model_id=ABLATED,
        simple_class_path="spiqa_tasks.models.ablated.AblatedSimple",
        chat_class_path="spiqa_tasks.models.ablated.Ablated",
    )
    return [wrapper, *(ModelManifest(model_id=name, simple_class_path=path) for name, path in MODELS.items())]


def register_tasks() -> None:
    """Make our tasks and models known to lmms-eval in this process, for a script that calls `simple_evaluate`.

    Patches the host's modules, now or when they are imported; imports nothing of the host itself.
    """
    patch(PATCHES)
