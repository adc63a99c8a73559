"""What is raised inside the host's process."""

from __future__ import annotations

import logging

import pytest

from spiqa_tasks.errors import DataError
from spiqa_tasks.hosts.lmms_eval.guard import one_sentence


def test_our_own_errors_are_said_as_they_are(caplog: pytest.LogCaptureFixture) -> None:
    """The sentence is the error's, and the log has no traceback of it."""
    with pytest.raises(SystemExit) as caught, one_sentence():
        raise DataError("Expected a file, found none.")
    assert caught.value.code == "spiqa-tasks: Expected a file, found none."
    assert isinstance(caught.value.__cause__, DataError)
    assert caplog.text == ""


def test_a_defect_is_named_and_its_traceback_logged(caplog: pytest.LogCaptureFixture) -> None:
    """The sentence asks for a report; what is needed for one is in the log."""
    with caplog.at_level(logging.ERROR), pytest.raises(SystemExit) as caught, one_sentence():
        raise KeyError("figure")
    assert caught.value.code == "spiqa-tasks: unexpected KeyError: 'figure'; please report it."
    assert "Traceback" in caplog.text
    assert "KeyError: 'figure'" in caplog.text


@pytest.mark.parametrize("signal", [KeyboardInterrupt, SystemExit])
def test_who_ends_the_process_is_not_stopped(signal: type[BaseException]) -> None:
    """Ctrl-C and an exit go through as they are, and nothing is raised where nothing was."""
    with pytest.raises(signal, match=r"^as it was$"), one_sentence():
        raise signal("as it was")
    with one_sentence():
        pass
