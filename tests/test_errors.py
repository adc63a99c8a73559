"""Every error a user can meet."""

import pickle

import pytest

from spiqa_tasks import errors
from spiqa_tasks.cli import main
from spiqa_tasks.errors import DataError, InputError, JudgeError, MissingPartError, SpiqaTasksError

KINDS = (DataError, InputError, JudgeError, MissingPartError)


def test_all_have_one_base() -> None:
    """Whoever catches it catches every error that is raised on purpose, and no defect."""
    found = {
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, BaseException)
    }
    assert found == {SpiqaTasksError, *KINDS}
    assert all(kind.__bases__ == (SpiqaTasksError,) for kind in KINDS)
    assert SpiqaTasksError.__bases__ == (Exception,)


@pytest.mark.parametrize("kind", KINDS)
def test_a_message_steers_no_terminal_and_survives_a_process(kind: type[SpiqaTasksError]) -> None:
    """What a file or a server put into it becomes blanks; workers hand errors on by pickling."""
    error = kind("found \x1b]0;title\x07 here")
    assert str(error) == "found  ]0;title  here"
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (kind, str(error))


def test_the_command_says_the_message_and_ends_with_the_errors_status(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Status 2 and one sentence, without a traceback."""
    assert {kind.exit_code for kind in KINDS} == {2}
    assert main(["score", "--by", "group", "no such folder"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("spiqa-tasks: ")
    assert "Traceback" not in said
