"""The file of verdicts: whatever happens to it, no wrong verdict comes out and no run ends."""

import hashlib
import json
import random
import sqlite3
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from openai_server import OpenAIServer

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge import cache as module
from spiqa_tasks.judge.cache import VerdictCache, request_key
from spiqa_tasks.judge.judge import JudgeClient
from spiqa_tasks.judge.types import JudgeConfig, JudgeRequest, Verdict

VERDICT = Verdict("Yes", (("Yes", -0.1), ("No", -2.5)), "m-1", None, False, 10, 1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The path of the cache, which does not exist."""
    return tmp_path / "judge.sqlite"


def fill(path: Path, count: int) -> dict[str, Verdict]:
    """Store `count` different verdicts; return them as they are read."""
    found = {f"{place:05}": replace(VERDICT, text=f"Yes {place}") for place in range(count)}
    with VerdictCache(path) as cache:
        for key, verdict in found.items():
            cache.put(key, verdict)
    return {key: replace(verdict, cached=True) for key, verdict in found.items()}


def read(path: Path, keys: list[str]) -> dict[str, Verdict]:
    with VerdictCache(path) as cache:
        return cache.get(keys)


def test_a_stored_verdict_comes_back_whole(path: Path) -> None:
    """All fields survive, however many keys are asked for; its row is JSON that any program
    reads.
    """
    stored = fill(path, 1500)
    assert read(path, [f"{place:05}" for place in range(3000)]) == stored
    with closing(sqlite3.connect(path)) as db:
        (text,) = db.execute("SELECT verdict FROM verdicts WHERE key = '00007'").fetchone()
    assert json.loads(text)["text"] == "Yes 7"


@pytest.mark.filterwarnings("ignore:The judge's cache")
def test_flipped_bits_never_change_a_verdict(path: Path, tmp_path: Path) -> None:
    """What is read is what was stored; the rest is missing and can be stored again."""
    stored = fill(path, 60)
    chance, damaged = random.Random(0), tmp_path / "damaged" / "judge.sqlite"
    content = path.read_bytes()
    damaged.parent.mkdir()
    for _ in range(60):
        for left in damaged.parent.iterdir():
            left.unlink()
        flipped = bytearray(content)
        flipped[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        damaged.write_bytes(flipped)
        found = read(damaged, list(stored))
        assert found.items() <= stored.items()
        with VerdictCache(damaged) as cache:
            for key in stored.keys() - cache.get(stored).keys():
                cache.put(key, stored[key])
        assert read(damaged, list(stored)).items() <= stored.items()


def test_a_row_that_was_changed_is_missing(path: Path) -> None:
    """By any program, to anything, also to another verdict; storing it again replaces it."""
    fill(path, 5)
    changes = {"00000": '{"text": "No"}', "00001": None, "00002": b"\xff", "00003": 7}
    with closing(sqlite3.connect(path)) as db, db:
        for key, text in changes.items():
            db.execute("UPDATE verdicts SET verdict = ? WHERE key = ?", (text, key))
    with VerdictCache(path) as cache:
        assert set(cache.get([*changes, "00004"])) == {"00004"}
        cache.put("00000", VERDICT)
        assert set(cache.get([*changes, "00004"])) == {"00000", "00004"}


def test_a_row_of_other_fields_is_missing(path: Path) -> None:
    """As another version may have stored it, with a checksum that is right."""
    fill(path, 1)
    rows = []
    for key, fields in (("less", {"text": "Yes"}), ("more", {"top_logprobs": [], "other": 1})):
        text = json.dumps(fields)
        rows.append((key, text, zlib.crc32(text.encode(), zlib.crc32(key.encode()))))
    with closing(sqlite3.connect(path)) as db, db:
        db.executemany("INSERT INTO verdicts VALUES (?, ?, ?)", rows)
    assert set(read(path, ["00000", "less", "more"])) == {"00000"}


def test_the_file_is_made_with_its_folders_and_used_from_any_thread(tmp_path: Path) -> None:
    """In a notebook, another thread than the one that opened the file stores the verdicts."""
    with VerdictCache(tmp_path / "a" / "b" / "judge.sqlite") as cache:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(cache.put, "key", VERDICT).result()
        assert cache.unstored == 0
        assert set(cache.get(["key"])) == {"key"}


@pytest.mark.parametrize(
    "content", [b"no database", "CREATE TABLE verdicts (id INTEGER, text TEXT)"]
)
def test_a_file_that_is_damaged_or_another_programs_is_left_whole(
    path: Path, content: bytes | str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is moved aside, which one sentence says, and not written into."""
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        with closing(sqlite3.connect(path)) as db:
            db.execute(content)
    before = path.read_bytes()
    fill(path, 1)
    assert capsys.readouterr().err.count("is damaged") == 1
    (aside,) = path.parent.glob("judge.damaged-*.sqlite")
    assert aside.read_bytes() == before
    assert len(read(path, ["00000"])) == 1


def test_a_damaged_file_takes_its_log_along(path: Path) -> None:
    """Another process that still writes goes on in the damaged file, and the new one is whole."""
    fill(path, 200)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("CREATE TABLE notes (text TEXT)")  # its pages are in the log
        content = path.read_bytes()
        path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))

        with VerdictCache(path) as cache:
            assert cache.get(["00000"]) == {}
            cache.put("before", VERDICT)
            other.execute("INSERT INTO notes VALUES ('x')")
            cache.put("after", VERDICT)
        (aside,) = path.parent.glob("judge.damaged-*.sqlite")
        with closing(sqlite3.connect(aside)) as moved:
            assert moved.execute("SELECT text FROM notes").fetchall() == [("x",)]
    assert set(read(path, ["before", "after"])) == {"before", "after"}


def test_a_new_file_of_another_process_is_not_moved_aside(path: Path) -> None:
    """Of two processes that have the damaged file open the second goes on in the file of the
    first.
    """
    fill(path, 200)
    with VerdictCache(path) as first, VerdictCache(path) as second:
        content = path.read_bytes()
        path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
        assert first.get(["00199"]) == {}
        first.put("of the first", VERDICT)
        assert second.get(["00199"]) == {}
        second.put("of the second", VERDICT)
    assert len(list(path.parent.glob("judge.damaged-*.sqlite"))) == 1
    assert set(read(path, ["of the first", "of the second"])) == {"of the first", "of the second"}


def test_pictures_count_by_content(tmp_path: Path) -> None:
    """A copy has the same verdict."""
    files = [tmp_path / name for name in ("a.png", "b.png", "c.png")]
    for file, content in zip(files, (b"same", b"same", b"other"), strict=True):
        file.write_bytes(content)
    shown = [str(file) for file in files]
    config = JudgeConfig("openai", "m")
    keys = [request_key(config, "", JudgeRequest("?", images=(image,))) for image in shown]
    assert (keys[0] == keys[1], len(set(keys))) == (True, 2)


@contextmanager
def locked(path: Path, how: str) -> Iterator[None]:
    """Hold a lock of a kind on the cache while the block runs."""
    with closing(sqlite3.connect(path, isolation_level=None)) as locker:
        if how == "EXCLUSIVE":
            locker.execute("PRAGMA journal_mode=DELETE")
        locker.execute(f"BEGIN {how}")
        yield


def test_a_file_that_is_locked_for_writing_is_read(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Verdicts that cannot be stored meanwhile are stored as soon as it is free, at the latest
    at the end; only then a lock is worth a word.
    """
    monkeypatch.setattr(module, "LOCKED_SECONDS", 0.2)
    stored = fill(path, 3)
    with VerdictCache(path) as cache, locked(path, "IMMEDIATE"):
        assert cache.get(stored) == stored
        cache.put("new", VERDICT)
        assert cache.unstored == 1
    assert cache.unstored == 0
    assert capsys.readouterr().err == ""
    assert set(read(path, ["new"])) == {"new"}
    with locked(path, "IMMEDIATE"), VerdictCache(path) as late:
        assert late.get(stored) == stored
        late.put("later", VERDICT)
    assert late.unstored == 1


def test_a_file_that_nobody_may_read_stops_the_run(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Going on would pay for its verdicts again."""
    monkeypatch.setattr(module, "LOCKED_SECONDS", 0.2)
    fill(path, 1)
    with locked(path, "EXCLUSIVE"), pytest.raises(JudgeError, match="pay twice"):
        read(path, ["00000"])


def unwritable(how: str, folder: Path) -> Path:
    """Return a folder of the cache that cannot be written."""
    blocker = folder / "file"
    blocker.write_text("")
    (folder / "there" / "judge.sqlite").mkdir(parents=True)
    return {"no folder": blocker / "below", "no file": folder / "there"}[how]


@pytest.mark.parametrize("how", ["no folder", "no file", "read-only", "full"])
def test_verdicts_that_cannot_be_stored_count_in_this_run(
    server: OpenAIServer,
    config: JudgeConfig,
    how: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """All are judged, what is stored already is not asked for; the first lost one is said, and
    at the end how many.
    """
    asked = [JudgeRequest(f"p{place}") for place in range(5)]
    known = 0
    if how in ("read-only", "full"):
        JudgeClient(config).verdicts(asked[:2])
        known, pages = 2, {"read-only": "query_only = 1", "full": "max_page_count = 1"}[how]
        plain = module._connected

        def limited(path: Path) -> sqlite3.Connection:
            db = plain(path)
            db.execute(f"PRAGMA {pages}")
            return db

        monkeypatch.setattr(module, "_connected", limited)
        long = "x" * 20_000  # more than a page has room for
        asked = [
            *asked[:2],
            *(JudgeRequest(f"p{place}", top_logprobs=None) for place in range(2, 5)),
        ]
        server.behaviour.text = long
    else:
        config = replace(config, cache_dir=unwritable(how, tmp_path))
    judge = JudgeClient(config)
    found = judge.verdicts(asked)
    assert [verdict.ok for verdict in found] == [True] * 5
    assert (judge.unstored, len(server.requests)) == (5 - known, 5)
    lines = (
        capsys.readouterr().err.splitlines()
    )  # the first call imports an SDK, and may be slow enough for progress
    first, line = [each for each in lines if "judgements ..." not in each]
    assert "cannot be written (" in first
    assert line.startswith(
        f"spiqa-tasks: Expected to store {5 - known} verdicts in the judge's cache"
    )
    assert "SPIQA_TASKS_CACHE" in line


def test_a_verdict_that_failed_is_not_stored(path: Path) -> None:
    """It would be found again in place of an answer, as if the judge had been asked."""
    with VerdictCache(path) as cache:
        cache.put("good", VERDICT)
        cache.put("failed", Verdict("failed", reason="server error (HTTP 500)"))
    assert set(read(path, ["good", "failed"])) == {"good"}


KEYS = {
    """{"base_url": "http://h/v1", "draws": 0, "extra": "", "fingerprint": "f", "images": [], \
"max_tokens": 1, "model": "gpt-4o", "prompt": "p", "provider": "openai", "repeat": 0, \
"thoughts": 0, "top_logprobs": 5}""": JudgeRequest("p"),
    """{"base_url": "http://h/v1", "draws": 2, "extra": "", "fingerprint": "f", "images": [], \
"max_tokens": 3, "model": "gpt-4o", "prompt": "p", "provider": "openai", "repeat": 0, \
"thoughts": 7, "top_logprobs": 5}""": JudgeRequest("p", max_tokens=3, draws=2, thoughts=7),
}
"""JSON of which a key is the hash -> the request."""


@pytest.mark.parametrize(("text", "asked"), KEYS.items())
def test_the_key_of_a_request_stays_as_it_is(text: str, asked: JudgeRequest) -> None:
    """Verdicts that were paid for with an earlier version are found."""
    config = JudgeConfig("openai", "gpt-4o", "http://h/v1")
    assert request_key(config, "f", asked) == hashlib.sha256(text.encode()).hexdigest()
