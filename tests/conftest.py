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
os.environ["COLUMNS"] = "100"  # of tables, where some workers have a terminal
os.environ.setdefault("OMP_NUM_THREADS", "1")  # a worker of pytest-xdist for each core
for offline in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "TRANSFORMERS_OFFLINE"):
    os.environ.pop(offline, None)  # read when the hub's client is imported, which is later


class _FastLoader(yaml.CFullLoader):
    """What the host reads 2,000 YAMLs with for each index of its tasks: libyaml takes a sixth of
    the time.
    """

    def __init__(self, stream: Any) -> None:
        super().__init__(stream)
        self.name = getattr(stream, "name", "<string>")  # the host finds hooks beside the file


yaml.FullLoader = yaml.loader.FullLoader = _FastLoader  # type: ignore[misc, assignment]

# A machine that is busy is no fault.
BUSY = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("tests", BUSY, max_examples=50)
settings.register_profile("deep", BUSY, max_examples=500)  # for `make slow`
settings.load_profile("tests")
settings.register_profile(
    "mutants",  # for `make mutants`: the same few examples each time, on a machine that is busy
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


HOST_FOLDERS = (REPOSITORY / "tests" / "models", REPOSITORY / "tests" / "hosts" / "lmms_eval")


@pytest.hookimpl(tryfirst=True)  # before xdist looks for the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Have one of several workers run all that needs lmms-eval, so that it is imported once."""
    for item in items:
        if {"host", "evaluate"} & set(getattr(item, "fixturenames", ())) or set(HOST_FOLDERS) & set(
            item.path.parents
        ):
            item.add_marker(pytest.mark.xdist_group("lmms-eval"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One worker more than there are cores: tests of servers and kills wait for most of their
    time.
    """
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With `--dist loadgroup`, keep the tests of a file together that are in no group."""
    if config.getoption("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadGroupScheduling

    class GroupsAndFiles(LoadGroupScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return str(super()._split_scope(nodeid)).partition("::")[0]

    return GroupsAndFiles(config, log)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Tests of the models that are added to the host need it."""
    needs_host = collection_path == REPOSITORY / "tests" / "models"
    return True if needs_host and not is_installed("lmms-eval") else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Iterator[None]:
    """Skip the test where its fixtures need a part that is not installed."""
    with skipped_without_parts():
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """Skip the test where it needs a part that is not installed."""
    with skipped_without_parts():
        yield


@contextmanager
def skipped_without_parts() -> Iterator[None]:
    """Skip what imports a missing package itself, or through what only a host calls; the core's
    imports must work.
    """
    if (
        importlib.util.find_spec("lmms_eval") is not None
    ):  # the whole test environment: a missing part is a failure
        yield
        return
    try:
        yield
    except MissingPartError as error:
        pytest.skip(str(error))
    except ModuleNotFoundError as error:
        importer = Path(traceback.extract_tb(error.__traceback__)[-1].filename)
        if (error.name or "").startswith("spiqa_tasks") or not {
            "tests",
            "utils",
            "models",
            "importlib",
        } & set(importer.parts):
            raise
        pytest.skip(str(error))


@pytest.fixture(autouse=True)
def own_environment(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every test has its own cache, no data folder and no judge, whatever the machine has
    configured. Only a minute's work is slow enough for a line on stderr.

    It works in an empty folder, so that the processes it starts find the installed package and
    not a checkout's.
    """
    folder = Path(tempfile.mkdtemp(dir=tmp_path_factory.getbasetemp()))
    for name in ("work", "cache"):
        (folder / name).mkdir()
    monkeypatch.chdir(folder / "work")
    monkeypatch.setenv("SPIQA_TASKS_CACHE", str(folder / "cache"))
    monkeypatch.setenv("SPIQA_JUDGE", "none")
    monkeypatch.setattr(printable, "SLOW", 60.0)  # a machine that is busy is no fault
    keys = [provider.key_variable for provider in PROVIDERS.values() if provider.key_variable]
    for name in ("SPIQA_TASKS_DATA", "SPIQA_JUDGE_BASE_URL", "SPIQA_JUDGE_API_KEY", *keys):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def real_folder() -> Path:
    """Where the real annotation files are, on machines that have them."""
    return REAL_DATA


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder with real annotation files; tests that need it are skipped where it is missing."""
    if not REAL_DATA.is_dir():
        pytest.skip("the real annotation files are not on this machine (SPIQA_TASKS_TEST_DATA)")
    return REAL_DATA


@pytest.fixture
def host() -> None:
    """For tests whose commands call lmms-eval: they are skipped where it is not installed."""
    require("lmms-eval", "This test")


@contextmanager
def fake_java() -> Iterator[None]:
    """A Java whose programs take no time: lower-case words as tokens, and an aligner that
    matches every word.
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
    """A fake Java but for tests marked `java`: the start of the real one takes seconds."""
    with nullcontext() if request.node.get_closest_marker("java") else fake_java():
        yield


@pytest.fixture
def no_java(without_java: None) -> Iterator[None]:  # noqa: ARG001 - the fake one goes last
    """A machine without Java."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coco_java, "java", functools.cache(lambda: None))
        yield


@pytest.fixture(scope="module")
def no_programs() -> Iterator[None]:
    """A fake Java for fixtures of a whole module, too."""
    with fake_java():
        yield


@pytest.fixture(scope="session")
def scifibench_release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with SciFIBench's four splits in the release's schema: 14 questions each,
    our own pictures.
    """
    from scifibench_release import write_release

    folder = tmp_path_factory.mktemp("release")
    write_release(folder, questions=14)
    return folder


@pytest.fixture
def run_filter(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, Any, str]]:
    """`run_filter(*arguments)`: `spiqa-tasks filter ...`: (exit status, records, stderr)."""
    from run_command import run_json

    return functools.partial(run_json, capsys, "filter")


@pytest.fixture
def source_task(tmp_path: Path) -> Path:
    """The folder of a task of the host itself, `numbers`."""
    from numbers_task import write_source

    return write_source(tmp_path / "source")


@pytest.fixture(scope="session")
def evaluate() -> Callable[..., dict[str, Any]]:
    """`evaluate(model, tasks, model_args="", **options)`: a run of the real host inside this
    process.

    Its imports and its task index cost seconds, so both are paid once.
    """
    import lmms_eval.models  # noqa: F401 - loads the entry points, as the host's command does
    from lmms_eval.evaluator import simple_evaluate
    from numbers_task import manager

    index = manager()
    # the host collects garbage twice a run, each time looking through all that its imports left
    gc.freeze()

    def run(model: str, tasks: list[str], model_args: str = "", **options: Any) -> dict[str, Any]:
        forget_scorers()
        index.model_name = model
        options = {"task_manager": index, "bootstrap_iters": 0, **options}
        result = simple_evaluate(model=model, model_args=model_args, tasks=tasks, **options)
        assert result is not None
        json.dumps(result["samples"], default=str)
        return dict(result)

    return run


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """The system's chromium, driven by playwright; tests that need it are skipped by name where it
    is missing.

    Of a module, because playwright keeps an event loop running in the thread in which other
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
    """`rows_of(split, settings)`: the questions of a made release of SciFIBench, which the
    package finds too.
    """
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(scifibench_release))
    return lambda split, settings: rows_in(
        "scifibench", split, settings, LocalSource(scifibench_release)
    )
