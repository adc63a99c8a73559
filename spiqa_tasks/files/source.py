"""Sources of release files: a local folder, the Hugging Face hub at a revision, or the demo set."""

import hashlib
import os
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TypeAlias

from spiqa_tasks.errors import DataError
from spiqa_tasks.files.atomic import cache_folder, write_atomically


@dataclass(frozen=True)
class Repository:
    """A benchmark's Hugging Face data repository; `folder` is its folder under `SPIQA_TASKS_DATA`.

    `revision` is a commit, or a branch whose commit is looked up at the first fetch and kept.
    """

    folder: str
    repo_id: str
    revision: str

    def download(self, pattern: str) -> str:
        """Return the sentence with the command that fetches files."""
        return (
            f"Fetch it with: hf download {self.repo_id} --repo-type dataset "
            f"--revision {self.revision} --include '{pattern}'"
        )


SPIQA = Repository("spiqa", "google/spiqa", "1774b71511f029b82089a069d75328f25fbf0705")
MMSTAR = Repository("mmstar", "Lin-Chen/MMStar", "bc98d668301da7b14f648724866e57302778ab27")
SCIFIBENCH = Repository("scifibench", "jonathan-roberts1/SciFIBench", "main")


@dataclass(frozen=True)
class LocalSource:
    """A folder with `spiqa/`, `mmstar/` and `scifibench/`, each laid out as its repository."""

    root: Path

    def __str__(self) -> str:
        return str(self.root)

    def files(self, repository: Repository, pattern: str) -> list[Path]:
        """Return the files that match `pattern` (shell wildcards), sorted by name.

        Raises DataError: there are none.
        """
        base = self.root / repository.folder
        matching = sorted(base.glob(pattern))
        if not matching:
            raise DataError(
                f"Expected {base / pattern} (SPIQA_TASKS_DATA is {self.root}), found no such "
                f"file. {repository.download(pattern)} --local-dir {base}"
            )
        return matching

    def extracted(self, repository: Repository, archive: str) -> Path | None:
        """Return the folder to which a user extracted an archive, or None."""
        path = self.root / repository.folder / archive.removesuffix(".zip")
        return path if path.is_dir() else None


@dataclass(frozen=True)
class HubSource:
    """The Hugging Face hub, whose client keeps what it fetched."""

    def __str__(self) -> str:
        return "the Hugging Face hub"

    def files(self, repository: Repository, pattern: str) -> list[Path]:
        """Return the files that match, as `LocalSource.files`."""
        paths = _cached(repository, pattern)
        has_all = not _WILDCARDS & set(pattern)  # else more may match than was fetched before
        if paths and has_all:
            return paths
        paths = sorted(_fetched(repository, pattern).glob(pattern))
        if not paths:
            raise DataError(
                f"Expected files {pattern} in the dataset {repository.repo_id} at revision "
                f"{repository.revision}, found none. Set SPIQA_TASKS_DATA to a folder that has "
                "them."
            )
        return paths

    def extracted(self, repository: Repository, archive: str) -> None:
        """Return None: the hub has only archives."""


Source: TypeAlias = LocalSource | HubSource
# A pattern with one of them is several files.
_WILDCARDS = set("*?[")


def hub_folder(repo_id: str) -> Path:
    """Return the folder of a dataset in the hub's cache, by its documented layout."""
    # The hub's client takes half a second to import.
    from huggingface_hub.constants import HF_HUB_CACHE

    return Path(HF_HUB_CACHE, f"datasets--{repo_id.replace('/', '--')}")


def _cached(repository: Repository, pattern: str) -> list[Path]:
    """Return the files in the hub's cache that match."""
    folder = hub_folder(repository.repo_id)
    commit = _revision(repository)
    branch = folder / "refs" / commit
    if branch.is_file():
        commit = branch.read_text()
    return sorted((folder / "snapshots" / commit).glob(pattern))


def _fetched(repository: Repository, pattern: str) -> Path:
    """Fetch the files that match; return the folder that has them. Raises DataError."""
    from huggingface_hub import HfApi, snapshot_download

    revision = _revision(repository)
    try:
        if not _cached(repository, pattern):
            # Fails at once without the hub, where a listing is tried six times.
            HfApi().dataset_info(repository.repo_id, revision=revision, timeout=30)
        folder = Path(
            snapshot_download(
                repository.repo_id, repo_type="dataset", revision=revision, allow_patterns=[pattern]
            )
        )
        if folder.name != revision:
            # A branch: its commit is kept, so that the data stays the same.
            write_atomically(_pin(repository), folder.name.encode())
    except Exception as error:  # errors of whichever HTTP library the hub's client is built on
        reason = (str(error) or repr(error)).splitlines()[0].rstrip(" .")
        raise DataError(
            f"Expected to fetch {pattern} of {repository.repo_id} from the Hugging Face hub, which "
            f"failed: {reason}. Check the connection, or set SPIQA_TASKS_DATA to a folder with it."
        ) from error
    return folder


def _pin(repository: Repository) -> Path:
    """Return the file that keeps the commit of a branch."""
    name = f"{repository.repo_id}@{repository.revision}".replace("/", "--")
    return cache_folder() / "revisions" / name


def _revision(repository: Repository) -> str:
    """Return the commit to fetch: the one kept of a branch, else the repository's revision."""
    pinned = _pin(repository)
    return pinned.read_text() if pinned.exists() else repository.revision


def demo_source() -> LocalSource:
    """Return the small set of our own that the package ships."""
    return LocalSource(Path(str(resources.files("spiqa_tasks.demo"))))


def default_source() -> Source:
    """Return the folder that `SPIQA_TASKS_DATA` names, else the hub.

    Raises DataError: it names no folder.
    """
    root = os.environ.get("SPIQA_TASKS_DATA")
    if not root:
        return HubSource()
    path = Path(os.path.expanduser(root)).resolve()
    if not path.is_dir():
        raise DataError(
            "Expected SPIQA_TASKS_DATA to name a folder with spiqa/, mmstar/ or scifibench/; "
            f"found no folder {root!r}. Correct it, or unset it to use the hub."
        )
    return LocalSource(path)


def fingerprint(paths: list[Path]) -> str:
    """Return twelve hexadecimal digits over the contents of files, whatever their names."""
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()[:12]
