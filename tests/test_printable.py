"""Text from files and servers on its way to a terminal."""

import io
import time
import unicodedata
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks import printable as module
from spiqa_tasks.printable import counted, printable, progress, say


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


def test_a_closed_stderr_takes_neither_remarks_nor_progress(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Python has None for it (`2>&-`), and `print` would write to stdout, where the JSON is."""
    monkeypatch.setattr(module, "SLOW", 0.01)
    monkeypatch.setattr(module.sys, "stderr", None)
    say("one")
    with progress("judging", 7) as bar:
        bar.n = 1
        time.sleep(0.1)
    assert capsys.readouterr().out == ""


def test_what_stands_in_for_stderr_may_have_no_terminal_to_ask(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Programs that log their output put objects there that can be written to, and no more."""
    texts: list[str] = []
    monkeypatch.setattr(module, "SLOW", 0.01)
    monkeypatch.setattr(module.sys, "stderr", SimpleNamespace(write=texts.append))
    say("one")
    with progress("reading"):
        while not any("reading" in text for text in texts):
            time.sleep(0.01)
    assert "".join(texts) == "spiqa-tasks: one\nspiqa-tasks: reading ... 00:00\n"


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


def _lines(capsys: pytest.CaptureFixture[str], number: int) -> list[str]:
    """Wait for lines on stderr, and return them."""
    said = ""
    while said.count("\n") < number:
        time.sleep(0.01)
        said += capsys.readouterr().err
    return said.splitlines()


def test_only_what_takes_long_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A block that ends in time says nothing; one that takes longer says once what it does, and
    how long.
    """
    with progress("being quick", 3) as bar:
        bar.n = 1
    assert capsys.readouterr().err == ""

    monkeypatch.setattr(module, "SLOW", 0.01)
    with progress("reading\x1b[2J", program="spiqa-vlmevalkit"):
        assert _lines(capsys, 1) == ["spiqa-vlmevalkit: reading [2J ... 00:00"]
    assert capsys.readouterr().err == ""


def test_a_log_has_a_line_every_ten_seconds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """However often the number changes meanwhile."""
    assert module.LINE_SECONDS == 10.0
    monkeypatch.setattr(module, "SLOW", 0.01)
    monkeypatch.setattr(module, "LINE_SECONDS", 0.2)
    started = time.monotonic()
    with progress("judging", 7) as bar:
        (first,) = _lines(capsys, 1)
        while time.monotonic() < started + 0.5:
            bar.n = 3
            time.sleep(0.001)
    rest = capsys.readouterr().err.splitlines()
    assert first.startswith("spiqa-tasks: judging:   0%")
    assert 1 <= len(rest) <= 2
    assert all("| 3/7 [00:00<" in line for line in rest)


def test_a_terminal_shows_one_bar_and_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is drawn again and again in the same line, and wiped before a remark and at the end."""
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(module.sys, "stderr", terminal)
    monkeypatch.setattr(module, "SLOW", 0.01)
    with progress("judging", 7) as bar:
        bar.n = 3
        while "3/7" not in terminal.getvalue():
            time.sleep(0.01)
        say("a remark")
        shown = terminal.getvalue()
        while terminal.getvalue() == shown:
            time.sleep(0.01)
    lines = terminal.getvalue().split("\n")
    assert [line.rpartition("\x1b[K")[2] for line in lines[:-1]] == ["spiqa-tasks: a remark"]
    assert terminal.getvalue().rpartition("\r")[2].strip() == ""
    assert terminal.getvalue().split("\r")[-2].strip() == ""
