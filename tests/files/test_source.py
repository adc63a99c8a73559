"""Where files come from."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hub_server import COMMIT, Hub, running_hub

from spiqa_tasks.errors import DataError
from spiqa_tasks.files.source import (
    MMSTAR,
    SCIFIBENCH,
    SPIQA,
    HubSource,
    LocalSource,
    default_source,
    demo_source,
    fingerprint,
)


def test_unset_variable_means_the_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without SPIQA_TASKS_DATA files come from the hub."""
    monkeypatch.delenv("SPIQA_TASKS_DATA", raising=False)
    assert isinstance(default_source(), HubSource)


def test_missing_file_names_the_command_that_fetches_it(tmp_path: Path) -> None:
    """The message for a missing file holds repository, revision and target folder."""
    with pytest.raises(DataError) as error:
        LocalSource(tmp_path).files(SPIQA, "test-A/SPIQA_testA.json")
    assert "hf download google/spiqa" in str(error.value)
    assert SPIQA.revision in str(error.value)
    assert str(tmp_path / "spiqa") in str(error.value)


@pytest.fixture
def hub() -> Iterator[str]:
    """The address of a local hub; `Hub.fetched` has the files that were fetched."""
    with running_hub() as url:
        yield url


def prepare(hub: str, home: Path, *tasks: str) -> subprocess.CompletedProcess[str]:
    """Run `spiqa-tasks prepare` against a hub, with an empty cache of the hub's client."""
    environment = {
        **os.environ,
        "HF_ENDPOINT": hub,
        "HF_HOME": str(home),
        "HF_HUB_DISABLE_XET": "1",
    }
    command = [sys.executable, "-m", "spiqa_tasks.cli", "prepare", *tasks]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def test_only_the_files_that_a_task_needs_are_fetched_at_the_pinned_revision(
    hub: str, tmp_path: Path
) -> None:
    """Annotations and one archive for SPIQA, one parquet set at the branch's commit; a second
    run fetches nothing.
    """
    done = prepare(hub, tmp_path, "spiqa_testA", "scifibench_cs_fig2cap")
    assert done.returncode == 0, done.stderr
    assert "spiqa_testA: 39 questions, 31 pictures, ready" in done.stdout
    assert sorted(Hub.fetched) == sorted(
        [
            (SPIQA.repo_id, SPIQA.revision, "test-A/SPIQA_testA.json"),
            (SPIQA.repo_id, SPIQA.revision, "test-A/SPIQA_testA_Images.zip"),
            (SCIFIBENCH.repo_id, COMMIT, "data/CS_Figure2Caption-00000-of-00001.parquet"),
        ]
    )
    Hub.fetched.clear()
    assert prepare(hub, tmp_path, "spiqa_testA").returncode == 0
    assert Hub.fetched == []


def test_file_that_the_hub_lacks_is_one_sentence_with_status_2(hub: str, tmp_path: Path) -> None:
    """A missing file names the dataset and the way around, without a traceback."""
    done = prepare(hub, tmp_path, "spiqa_testB")
    assert done.returncode == 2
    assert "google/spiqa" in done.stderr
    assert "SPIQA_TASKS_DATA" in done.stderr
    assert "Traceback" not in done.stderr


Asked = list[tuple[str, str, list[str]]]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Asked:
    """The requests to a replaced client of the hub: repository, revision, patterns."""
    asked: Asked = []

    def snapshot(repo_id: str, *, repo_type: str, revision: str, allow_patterns: list[str]) -> str:
        assert repo_type == "dataset"
        asked.append((repo_id, revision, allow_patterns))
        folder = tmp_path / "client" / ("c" * 40)
        for name in ("b-1", "a-1", "a-0"):
            _cached(folder / "data" / f"{name}.parquet")
        return str(folder)

    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot)
    monkeypatch.setattr("huggingface_hub.HfApi.dataset_info", lambda *_, **__: None)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("SPIQA_TASKS_CACHE", str(tmp_path / "cache"))
    return asked


@pytest.mark.parametrize("pattern", ["data/a-*.parquet", "data/a-?.parquet", "data/a-[01].parquet"])
def test_files_of_a_branch_are_those_of_one_commit_in_their_order(
    asked: Asked, pattern: str, tmp_path: Path
) -> None:
    """The branch is looked up once, and its commit kept for later runs."""
    for _ in range(2):
        found = HubSource().files(SCIFIBENCH, pattern)
        assert [path.name for path in found] == ["a-0.parquet", "a-1.parquet"]
    name, commit = "jonathan-roberts1/SciFIBench", "c" * 40
    assert asked == [(name, "main", [pattern]), (name, commit, [pattern])]
    assert (
        tmp_path / "cache" / "revisions" / "jonathan-roberts1--SciFIBench@main"
    ).read_text() == commit


@pytest.mark.parametrize(
    ("raised", "told"), [(OSError("no\nroute"), "no"), (OSError(), "OSError()")]
)
@pytest.mark.usefixtures("asked")
def test_a_hub_that_fails_is_told_in_its_first_line(
    monkeypatch: pytest.MonkeyPatch, raised: Exception, told: str
) -> None:
    """Whatever its client raises, with or without words; what has many retries is not begun."""

    def fail(*_: object, **__: object) -> None:
        raise raised

    monkeypatch.setattr("huggingface_hub.HfApi.dataset_info", fail)
    with pytest.raises(DataError) as error:
        HubSource().files(SPIQA, "a.json")
    assert (
        str(error.value)
        == "Expected to fetch a.json of google/spiqa from the Hugging Face hub, which failed:"
        f" {told}. Check the connection, or set SPIQA_TASKS_DATA to a folder with it."
    )


def test_a_file_that_was_fetched_before_is_not_asked_for(asked: Asked, tmp_path: Path) -> None:
    """At the revision that is used."""
    assert HubSource().extracted(SPIQA, "test-A") is None
    path = tmp_path / "hub" / "datasets--google--spiqa" / "snapshots" / SPIQA.revision / "a.json"
    _cached(path)
    assert HubSource().files(SPIQA, "a.json") == [path]
    assert asked == []


def _cached(path: Path, content: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


def test_a_local_folder_has_files_in_their_order_and_extracted_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Below the repository's own folder."""
    for name in ("b.json", "a.json", "x/y.png"):
        _cached(tmp_path / "spiqa" / name)
    source = LocalSource(tmp_path)
    assert source.files(SPIQA, "*.json") == [
        tmp_path / "spiqa" / "a.json",
        tmp_path / "spiqa" / "b.json",
    ]
    assert source.extracted(SPIQA, "x") == tmp_path / "spiqa" / "x"
    assert source.extracted(SPIQA, "a.json") is None
    assert source.extracted(MMSTAR, "x") is None
    assert str(LocalSource(tmp_path)) == str(tmp_path)
    assert str(HubSource()) == "the Hugging Face hub"
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(tmp_path / "spiqa" / ".."))
    assert default_source() == LocalSource(tmp_path.resolve())
    assert [path.name for path in demo_source().files(MMSTAR, "*.parquet")]


def test_a_variable_that_names_no_folder_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sentence quotes it; the home of an unknown user is left as it stands."""
    for value in (str(tmp_path / "x"), "~nobody-has-this-name/data"):
        monkeypatch.setenv("SPIQA_TASKS_DATA", value)
        with pytest.raises(DataError, match=rf"found no folder {value!r}\. Correct it"):
            default_source()


def test_a_fingerprint_is_that_of_the_contents_one_after_the_other(tmp_path: Path) -> None:
    """Twelve digits of their SHA-256, also where a file is longer than a block."""
    contents = [b"ab" * 600_000, b"c"]
    for place, content in enumerate(contents):
        (tmp_path / str(place)).write_bytes(content)
    expected = hashlib.sha256(b"".join(contents)).hexdigest()[:12]
    assert fingerprint([tmp_path / "0", tmp_path / "1"]) == expected
