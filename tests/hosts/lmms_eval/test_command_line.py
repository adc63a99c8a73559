"""The words of a run's command."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.lmms_eval.command_line import Model, Options, check_extra, command


def test_the_command_has_every_option() -> None:
    """In the host's spelling, the further arguments last."""
    options = Options(["accelerate", "launch"], 8, Path("more"), ["--batch_size", "4"])
    assert " ".join(command(Model("m", "a=1"), "t", Path("out"), options)) == (
        "accelerate launch -m lmms_eval --model m --model_args a=1 --tasks t --output_path out --log_samples "
        "--use_cache out/cache --limit 8 --include_path more --batch_size 4"
    )
    words = command(Model("m"), "t", Path("out"), Options())
    assert words[:6] == [sys.executable, "-m", "lmms_eval", "--model", "m", "--tasks"]


@pytest.mark.parametrize("word", ["--limit", "--output-path=x", "--tasks"])
def test_what_the_suite_sets_is_refused(word: str) -> None:
    """Among further arguments, in any spelling; a value may be called so."""
    with pytest.raises(InputError, match=f"Expected no {word} among"):
        check_extra(["--batch_size", "1", word])
    check_extra(["--batch_size", "1"])
