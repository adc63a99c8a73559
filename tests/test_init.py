"""What the package gives, imported as it is."""

import subprocess
import sys

import pytest


def test_importing_the_package_imports_nothing_else() -> None:
    """The metric is loaded on first use; the host, torch and the HTTP client are not loaded by
    the import.
    """
    program = (
        "import sys, spiqa_tasks; print(any(m.split('.')[0] in ('torch', 'httpx', 'lmms_eval') for"
        " m in sys.modules),spiqa_tasks.L3Score.__name__, 'L3Score' in spiqa_tasks.__all__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "L3Score", "True"]


def test_a_name_that_the_package_lacks_is_an_attribute_error() -> None:
    """A typo is told as for any module."""
    import spiqa_tasks

    with pytest.raises(AttributeError, match="L4Score"):
        _ = spiqa_tasks.L4Score


def test_completion_shows_the_public_names() -> None:
    """`spiqa_tasks.<tab>` offers what is public, loaded or not."""
    import spiqa_tasks

    assert dir(spiqa_tasks) == sorted(spiqa_tasks.__all__)
    assert all(getattr(spiqa_tasks, name) for name in spiqa_tasks.__all__)
