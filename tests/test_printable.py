"""Text from files and servers on its way to a terminal."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks import printable as module
from spiqa_tasks.printable import counted, printable, progress, said_if_slow, say


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[2Jb", "a [2Jb"),
        ("bell\x07, delete\x7f, C1 \x9b1m", "bell , delete , C1  1m"),
        ("right\u202eto left", "right to left"),
        ("soft\u00adhyphen and zero\u200bwidth", "soft hyphen and zero width"),
        ("lines\u2028and\u2029paragraphs\r", "lines and paragraphs "),
        ("half a pair \ud800", "half a pair  "),
        ("one\n\ttwo", "one\n\ttwo"),
        (
            "\U0001f469\u200d\U0001f52c and \u0915\u094d\u200c\u0937",
            "\U0001f469\u200d\U0001f52c and \u0915\u094d\u200c\u0937",
        ),
        ("naïve 中文 α\u00a0b", "naïve 中文 α\u00a0b"),
        ("", ""),
    ],
)
def test_what_steers_a_terminal_becomes_a_blank(text: str, shown: str) -> None:
    """Line feeds, tabs and what joins letters and emoji stay."""
    assert printable(text) == shown


@given(st.text(st.characters(codec=None), max_size=40))
def test_any_text_keeps_its_length_and_all_that_can_be_seen(text: str) -> None:
    """Control, format and separating characters go, nothing else, and a second time changes
    nothing.
    """
    shown = printable(text)
    for before, after in zip(text, shown, strict=True):
        hidden = (
            unicodedata.category(before) in ("Cc", "Cf", "Cs", "Zl", "Zp")
            and before not in "\n\t\u200c\u200d"
        )
        assert after == (" " if hidden else before)
    assert printable(shown) == shown


def test_remarks_go_to_stderr_after_the_programs_name(capsys: pytest.CaptureFixture[str]) -> None:
    """One line each, without what steers the terminal."""
    say("one", "two\x1b[2J")
    say("three", program="spiqa-vlmevalkit")
    say()
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines() == [
        "spiqa-tasks: one",
        "spiqa-tasks: two [2J",
        "spiqa-vlmevalkit: three",
    ]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (counted(0, "question"), "0 questions"),
        (counted(1, "question"), "1 question"),
        (counted(2, "question"), "2 questions"),
        (counted(1, "reply", "replies"), "1 reply"),
        (counted(3, "reply", "replies"), "3 replies"),
    ],
)
def test_a_number_stands_with_what_it_counts(found: str, expected: str) -> None:
    """One thing has no s, and a plural of its own where it has one."""
    assert found == expected


def test_only_what_takes_long_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A block that ends in time says nothing; one that takes longer says once what it does."""
    with said_if_slow("being quick"):
        pass
    monkeypatch.setattr(module, "SLOW", 0.01)
    with said_if_slow("reading"):
        while not (said := capsys.readouterr().err):
            time.sleep(0.01)
    assert said == "spiqa-tasks: reading ...\n"


def test_slow_work_says_how_far_it_is_ever_more_rarely(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once after the first time, again when twice as much has passed; quick work says nothing."""
    times = iter([0.0, 1.0, 9.0, 10.0, 15.0, 20.0, 39.0, 40.0])
    monkeypatch.setattr(module.time, "monotonic", lambda: next(times))
    with progress("judging", 7) as show:
        for done in range(1, 8):
            show(done)
    assert capsys.readouterr().err.splitlines() == [
        f"spiqa-tasks: judging: {done} of 7" for done in (3, 5, 7)
    ]
