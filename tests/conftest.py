"""Fixtures that several test modules share."""

import functools
import gc
import importlib.util
import json
import os
import re
import shutil
import signal
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest
import yaml.loader
from forgetting import forget_scorers, forget_text_metrics
from hypothesis import HealthCheck, Phase, settings
from release_rows import rows_in

from spiqa_tasks import printable
from spiqa_tasks.errors import MissingPartError
from spiqa_tasks.extras import is_installed, require
from spiqa_tasks.files.source import LocalSource
from spiqa_tasks.judge.providers import PROVIDERS
from spiqa_tasks.metrics import coco_java

CHROMIUM = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
]
# The width of tables must not be that of a terminal.
os.environ["COLUMNS"] = "100"
# pytest-xdist has a worker for each core already.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Tests have servers of their own. The hub's client, imported later, reads these variables then.
for offline in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "TRANSFORMERS_OFFLINE"):
    os.environ.pop(offline, None)


class _FastLoader(yaml.CFullLoader):
    """libyaml's loader in the place of yaml.FullLoader, which is six times slower: lmms-eval reads
    2,000 YAMLs for an index of its tasks.
    """

    def __init__(self, stream: Any) -> None:
        super().__init__(stream)
        # lmms-eval looks for hooks in the folder of the file.
        self.name = getattr(stream, "name", "<string>")


yaml.FullLoader = yaml.loader.FullLoader = _FastLoader  # type: ignore[misc, assignment]

# Without limits on time: the machine may be busy.
BUSY = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("tests", BUSY, max_examples=50)
settings.register_profile("deep", BUSY, max_examples=500)  # for `make slow`
settings.load_profile("tests")
settings.register_profile(
    "mutants",  # for `make mutants`: the same examples for every mutant, without shrinking
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=50,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)

# A shell's background jobs ignore Ctrl-C, and so would the commands that tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

_WORD = re.compile(r"\w+")

REPOSITORY = Path(__file__).resolve().parents[1]
REAL_DATA = Path(os.environ.get("SPIQA_TASKS_TEST_DATA", REPOSITORY.parent / "shared" / "data"))

# Folders and fixtures of tests that import lmms-eval.
HOST_FOLDERS = {REPOSITORY / "tests" / "models", REPOSITORY / "tests" / "hosts" / "lmms_eval"}
HOST_FIXTURES = {"host", "evaluate"}


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put all tests that need lmms-eval into one worker, which imports it once."""
    for item in items:
        has_host_fixture = not HOST_FIXTURES.isdisjoint(getattr(item, "fixturenames", ()))
        is_in_host_folder = not HOST_FOLDERS.isdisjoint(item.path.parents)
        if has_host_fixture or is_in_host_folder:
            item.add_marker(pytest.mark.xdist_group("lmms-eval"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return one worker more than there are cores: tests of servers and kills mostly wait."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With `--dist loadgroup`, run the tests of a file in one worker if they are in no group."""
    if config.getoption("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadGroupScheduling

    class GroupsAndFiles(LoadGroupScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return str(super()._split_scope(nodeid)).partition("::")[0]

    return GroupsAndFiles(config, log)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Skip tests/models without lmms-eval: its modules import it."""
    needs_host = collection_path == REPOSITORY / "tests" / "models"
    return True if needs_host and not is_installed("lmms-eval") else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Iterator[None]:
    """Skip a test whose fixtures need a package that is not installed."""
    with skipped_without_packages():
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """Skip a test that needs a package that is not installed."""
    with skipped_without_packages():
        yield


@contextmanager
def skipped_without_packages() -> Iterator[None]:
    """Skip a test of `make test-core` that needs a package which the core does without.

    The test fails if the core itself imports the package; tests, hooks (`utils/`) and models may.
    """
    # The environment of `make test` has every package.
    if importlib.util.find_spec("lmms_eval") is not None:
        yield
        return

    try:
        yield
    except MissingPartError as error:
        pytest.skip(str(error))
    except ModuleNotFoundError as error:
        importer = Path(traceback.extract_tb(error.__traceback__)[-1].filename)
        is_of_core = {"tests", "utils", "models", "importlib"}.isdisjoint(importer.parts)
        if is_of_core or (error.name or "").startswith("spiqa_tasks"):
            raise
        pytest.skip(str(error))


@pytest.fixture(autouse=True)
def own_environment(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Give every test its own cache, no data folder and no judge, whatever the machine has
    configured.

    Its working directory is empty, so that its processes import the installed package, not a
    checkout.
    """
    folder = Path(tempfile.mkdtemp(dir=tmp_path_factory.getbasetemp()))
    for name in ("work", "cache"):
        (folder / name).mkdir()
    monkeypatch.chdir(folder / "work")
    monkeypatch.setenv("SPIQA_TASKS_CACHE", str(folder / "cache"))
    monkeypatch.setenv("SPIQA_JUDGE", "none")
    # No `reading ...` on stderr because the machine is busy.
    monkeypatch.setattr(printable, "SLOW", 60.0)
    keys = [provider.key_variable for provider in PROVIDERS.values() if provider.key_variable]
    for name in ("SPIQA_TASKS_DATA", "SPIQA_JUDGE_BASE_URL", "SPIQA_JUDGE_API_KEY", *keys):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def real_folder() -> Path:
    """The folder of the real annotation files, which may be missing."""
    return REAL_DATA


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of the real annotation files; skips the test if it is missing."""
    if not REAL_DATA.is_dir():
        pytest.skip("the real annotation files are not on this machine (SPIQA_TASKS_TEST_DATA)")
    return REAL_DATA


@pytest.fixture
def host() -> None:
    """Skip a test whose commands call lmms-eval if it is not installed."""
    require("lmms-eval", "This test")


@contextmanager
def fake_java() -> Iterator[None]:
    """Replace Java's programs: the tokenizer returns words in lower case, the aligner matches every
    word.
    """
    forget_text_metrics()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coco_java, "java", functools.cache(lambda: "java"))
        patch.setattr(
            coco_java,
            "_run_tokenizer",
            lambda lines: [" ".join(_WORD.findall(line.lower())) for line in lines],
        )
        patch.setattr(
            coco_java, "_run_aligner", lambda pairs: [(1.0,) * coco_java.FIELDS] * len(pairs)
        )
        yield
    forget_text_metrics()


@pytest.fixture(autouse=True)
def without_java(request: pytest.FixtureRequest) -> Iterator[None]:
    """Replace Java's programs, whose start takes seconds, unless the test is marked `java`."""
    with nullcontext() if request.node.get_closest_marker("java") else fake_java():
        yield


@pytest.fixture
def no_java(without_java: None) -> Iterator[None]:  # noqa: ARG001 - ends before `without_java`
    """Have the package find no Java."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coco_java, "java", functools.cache(lambda: None))
        yield


@pytest.fixture(scope="module")
def no_programs() -> Iterator[None]:
    """Replace Java's programs also for the fixtures of a module, which are set up first."""
    with fake_java():
        yield


@pytest.fixture(scope="session")
def scifibench_release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with SciFIBench's four splits in the release's schema: 14 questions each, with
    pictures of our own.
    """
    from scifibench_release import write_release

    folder = tmp_path_factory.mktemp("release")
    write_release(folder, questions=14)
    return folder


@pytest.fixture
def run_filter(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, Any, str]]:
    """A function of the arguments of `spiqa-tasks filter` that runs it and returns (exit status,
    records, stderr).
    """
    from run_command import run_json

    return functools.partial(run_json, capsys, "filter")


@pytest.fixture
def source_task(tmp_path: Path) -> Path:
    """The folder of `numbers`, a task of lmms-eval that is none of ours."""
    from numbers_task import write_source

    return write_source(tmp_path / "source")


@pytest.fixture(scope="session")
def evaluate() -> Callable[..., dict[str, Any]]:
    """`evaluate(model, tasks, model_args="", **options)` runs lmms-eval in this process and returns
    its results.

    Its imports and its index of tasks take seconds, and are shared by all tests.
    """
    import lmms_eval.models  # noqa: F401 - loads the entry points, as the host's command does
    from lmms_eval.evaluator import simple_evaluate
    from numbers_task import manager

    index = manager()
    # lmms-eval collects garbage twice a run: without the objects of its imports that is quick.
    gc.freeze()

    def run(model: str, tasks: list[str], model_args: str = "", **options: Any) -> dict[str, Any]:
        forget_scorers()
        index.model_name = model
        options = {"task_manager": index, "bootstrap_iters": 0, **options}
        result = simple_evaluate(model=model, model_args=model_args, tasks=tasks, **options)
        assert result is not None
        json.dumps(result["samples"], default=str)  # raises if lmms-eval could not log them
        return dict(result)

    return run


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """The system's chromium, driven by playwright; skips the test if either is missing.

    Closed after each module: playwright's event loop runs in the thread in which tests of other
    modules start theirs.
    """
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("chromium is not installed (apt-get install chromium)")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=CHROMIUM)
        yield browser
        browser.close()


@pytest.fixture
def rows_of(
    scifibench_release: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str, str], list[dict[str, Any]]]:
    """`rows_of(split, settings)` returns rows of `scifibench_release`, now the data folder."""
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(scifibench_release))
    return lambda split, settings: rows_in(
        "scifibench", split, settings, LocalSource(scifibench_release)
    )
