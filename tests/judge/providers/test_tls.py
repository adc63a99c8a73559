"""A judge behind TLS and behind a company's proxy, as a process with these variables meets them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from openai_server import OpenAIServer
from tls import connect_proxy, forwarding, make_certificate

PROGRAM = """
import json, os, sys
from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.judge import make_judge
from spiqa_tasks.judge.resolve import parse_judge
try:
    verdicts = make_judge("l3score", parse_judge("openai:m", environ=os.environ)).preflight()
    print(json.dumps([verdict.text for verdict in verdicts]))
except JudgeError as error:
    print(json.dumps(str(error)))
"""
SECRET = "s3cret-of-the-proxy"


def asked(url: str, cache: Path, **variables: str) -> object:
    """Ask the test questions in a process of its own; return its output, or the error message."""
    kept = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    own = {"SPIQA_JUDGE_BASE_URL": url, "SPIQA_TASKS_CACHE": str(cache), **variables}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**kept, **own},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert SECRET not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def target(server: OpenAIServer) -> str:
    """Host and port of the judge's server."""
    return server.url.split("/")[2]


def test_a_certificate_of_ones_own_is_trusted_where_the_environment_names_it(
    target: str, tmp_path: Path
) -> None:
    """By SSL_CERT_FILE; without, the sentence says what is wrong, at once and not after retries."""
    certificate = make_certificate(tmp_path)
    with forwarding(target, certificate) as port:
        url = f"https://127.0.0.1:{port}/v1"
        told = str(asked(url, tmp_path))
        assert "CERTIFICATE_VERIFY_FAILED" in told
        assert "SSL_CERT_FILE" in told
        assert asked(url, tmp_path, SSL_CERT_FILE=str(certificate)) == ["Yes", "No"]


def test_https_goes_through_the_proxy_of_the_environment(target: str, tmp_path: Path) -> None:
    """With user and password where it wants them, which no message repeats."""
    certificate = make_certificate(tmp_path)
    with forwarding(target, certificate) as port, connect_proxy(f"me:{SECRET}") as (proxy, targets):
        url, trusted = f"https://127.0.0.1:{port}/v1", {"SSL_CERT_FILE": str(certificate)}
        assert asked(
            url, tmp_path, HTTPS_PROXY=f"http://me:{SECRET}@127.0.0.1:{proxy}", **trusted
        ) == ["Yes", "No"]
        assert set(targets) == {f"127.0.0.1:{port}"}
        told = str(
            asked(url, tmp_path, HTTPS_PROXY=f"http://you:{SECRET}@127.0.0.1:{proxy}", **trusted)
        )
        assert "407" in told


def test_a_proxy_that_is_not_there_is_told(tmp_path: Path) -> None:
    """With its address, and without its password."""
    told = asked(
        "https://judge.invalid/v1", tmp_path, HTTPS_PROXY=f"http://me:{SECRET}@127.0.0.1:9"
    )
    assert "127.0.0.1:9" in str(told)
