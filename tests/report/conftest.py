"""What tests of the report share: runs on disk."""

from pathlib import Path

import pytest
from report_runs import write_two_runs


@pytest.fixture(scope="session")
def two_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of two runs of two benchmarks; to be read only."""
    return write_two_runs(tmp_path_factory.mktemp("runs"))
