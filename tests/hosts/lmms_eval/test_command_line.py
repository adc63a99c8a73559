"""The words of a run's command."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.lmms_eval.command_line import (
    Model,
    Options,
    alone_in,
    answering,
    check_extra,
    command,
    run_host,
)


def test_the_command_has_every_option() -> None:
    """In the host's spelling, the further arguments last."""
    options = Options(["accelerate", "launch"], 8, Path("more"), ["--batch_size", "4"])
    assert " ".join(command(Model("m", "a=1"), "t", Path("out"), options)) == (
        "accelerate launch -m lmms_eval --model m --model_args a=1 --tasks t --output_path out --log_samples "
        "--use_cache out/cache --limit 8 --include_path more --batch_size 4"
    )
    words = command(Model("m"), "t", Path("out"), Options())
    assert words[:6] == [sys.executable, "-m", "lmms_eval", "--model", "m", "--tasks"]


SUITE = """
import os, signal, sys
from pathlib import Path
from spiqa_tasks.hosts.lmms_eval.command_line import alone_in, run_host
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in jobs of a background shell
folder = Path(sys.argv[1])
with alone_in(folder, lambda: None) as held:
    run_host([sys.executable, "-c", sys.argv[2]], folder / "logs" / "log", held, os.environ)
"""
LASTING = (
    "import os, time; print(os.getpid(), flush=True); time.sleep(2); open('ended', 'w').close()"
)


def started(folder: Path, code: str) -> tuple[subprocess.Popen[bytes], int]:
    """A suite whose run does what `code` says, and the run's process."""
    suite = subprocess.Popen([sys.executable, "-c", SUITE, str(folder), code])
    log, until = folder / "logs" / "log", time.monotonic() + 30
    while not (log.is_file() and log.read_text().endswith("\n")):
        assert time.monotonic() < until
        time.sleep(0.02)
    return suite, int(log.read_text())


def test_a_run_that_outlives_its_killed_suite_is_waited_for(tmp_path: Path) -> None:
    """So that what it asks is not asked again beside it; the one that waits says so."""
    suite, _ = started(tmp_path, LASTING)
    suite.kill()
    suite.wait()
    said: list[bool] = []
    with alone_in(tmp_path, lambda: said.append(Path("ended").exists())):
        assert Path("ended").exists()
    with alone_in(tmp_path, lambda: said.append(True)):
        assert said == [False]


def test_an_interrupted_suite_ends_its_run(tmp_path: Path) -> None:
    """It is gone before the suite is."""
    suite, run = started(tmp_path, LASTING.replace("sleep(2)", "sleep(60)"))
    suite.send_signal(signal.SIGINT)
    suite.wait(30)
    with pytest.raises(ProcessLookupError):
        os.kill(run, 0)


def test_an_ablated_model_wraps_the_named_one() -> None:
    """Its own arguments come last, where it has any."""
    assert Model("m").ablated("grey") == Model("ablated", "base=m,ablation=grey")
    assert Model("m", "a=1,b=2").ablated("text") == Model("ablated", "base=m,ablation=text,a=1,b=2")


def test_every_word_that_the_suite_sets_is_named() -> None:
    """As it was written, with what to do."""
    with pytest.raises(InputError) as caught:
        check_extra(["--model=x", "limit", "--seed", "1", "--log-samples"])
    assert str(caught.value) == (
        "Expected no --model=x, limit, --log-samples behind --, which this command sets. Leave it out."
    )


def test_what_only_says_how_fast_a_model_runs_changes_no_answer() -> None:
    """Each with its value, in both spellings; an abbreviation is an option of its own."""
    running = ["--batch_size", "4", "--device=cuda", "--verbosity", "DEBUG", "--wandb_args", "x=1"]
    running += ["--max_batch_size", "8", "--process_docs_parallel", "2"]
    changing = ["--gen_kwargs", "temperature=1", "--batch", "3", "--seed=1"]
    assert answering(running) == []
    assert answering([*changing[:2], *running, *changing[2:]]) == changing


def test_a_run_writes_what_it_says_to_the_log(tmp_path: Path) -> None:
    """Both its outputs, nothing of an earlier run; it has the given environment, and nothing to read."""
    log = tmp_path / "a" / "b" / "log"
    code = "import os, sys; print(os.environ['X'] + sys.stdin.read(), flush=True); print('e', file=sys.stderr); exit(7)"
    for value in ("first and longer", "second"):
        with alone_in(tmp_path / "held" / "deep", lambda: None) as held:
            assert (
                run_host([sys.executable, "-c", code], log, held, {**os.environ, "X": value}) == 7
            )
    assert log.read_text() == "second\ne\n"
    with alone_in(tmp_path, lambda: None) as held, pytest.raises(InputError) as caught:
        run_host(["no_such_launcher"], tmp_path / "log", held, os.environ)
    assert str(caught.value) == (
        "Expected to start no_such_launcher, found No such file or directory. Correct --launch."
    )
