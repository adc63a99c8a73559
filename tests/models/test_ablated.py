"""`--model ablated`: what reaches the base model, run in the host."""

import base64
import hashlib
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openai_server import Behaviour, OpenAIServer
from PIL import Image

Evaluate = Callable[..., dict[str, Any]]
Request = tuple[str, list[Image.Image]]


@pytest.fixture(scope="module")
def evaluate(evaluate: Evaluate) -> Evaluate:
    """`evaluate(model, model_args, task, **options)` runs lmms-eval in this process and returns its
    results.
    """
    from lmms_eval import models
    from lmms_eval.models.registry_v2 import ModelManifest

    models.MODEL_REGISTRY_V2.register_manifest(
        ModelManifest("recorder", "recording_model.Recorder")
    )
    return lambda model, model_args, task, **options: evaluate(
        model, [task], model_args, batch_size=1, **options
    )


@pytest.fixture
def recorder() -> Any:
    """The class of a model that keeps its inputs, emptied."""
    from recording_model import Recorder

    Recorder.seen.clear()
    return Recorder


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """A model whose answer is a digest of the request, pictures and options included."""
    digest = Behaviour(text=lambda body: hashlib.sha256(str(body).encode()).hexdigest())
    with OpenAIServer(digest) as running:
        yield running


def base_args(server: OpenAIServer) -> str:
    """Return the arguments of the base model."""
    return f"model_version=tiny,base_url={server.url},api_key=EMPTY,timeout=60,num_concurrent=1"


def received(server: OpenAIServer) -> list[Request]:
    """(text, pictures) of every request, sorted by text: the host sends them in an order of its
    own.
    """
    requests = []
    for request in server.requests:
        parts = [part for message in request["body"]["messages"] for part in message["content"]]
        urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
        pictures = [Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))) for url in urls]
        requests.append(("".join(part.get("text", "") for part in parts), pictures))
    server.requests.clear()
    return sorted(requests, key=lambda request: request[0])


@pytest.mark.parametrize(("task", "limit"), [("mmstar_demo", 3), ("scifibench_demo", 13)])
def test_api_model_gets_the_same_text_and_other_pixels(
    evaluate: Evaluate, server: OpenAIServer, task: str, limit: int
) -> None:
    """Grey pictures arrive at the size and number of the originals, with the same text.

    `scifibench_demo` has 12 questions of one picture, then of five.
    """
    evaluate("openai", base_args(server), task, limit=limit)
    plain = received(server)
    assert len(plain) == limit
    evaluate("ablated", f"base=openai,ablation=grey,{base_args(server)}", task, limit=limit)
    for (text, pictures), (other_text, others) in zip(plain, received(server), strict=True):
        assert text == other_text
        assert [picture.size for picture in pictures] == [other.size for other in others]
        assert all((np.asarray(other) == 128).all() for other in others)


def test_text_takes_the_pictures_away(evaluate: Evaluate, server: OpenAIServer) -> None:
    """No picture arrives, the text stays, and our own task without pictures shows the model the
    same.
    """
    evaluate("openai", base_args(server), "mmstar_demo", limit=3)
    texts = [text for text, _ in received(server)]
    evaluate("ablated", f"base=openai,ablation=text,{base_args(server)}", "mmstar_demo", limit=3)
    assert received(server) == [(text, []) for text in texts]
    evaluate("openai", base_args(server), "mmstar_demo_text", limit=3)
    assert received(server) == [(text, []) for text in texts]


def test_our_grey_task_shows_what_the_wrapped_model_sees(
    evaluate: Evaluate, server: OpenAIServer
) -> None:
    """`_grey` and `ablation=grey` are the same pictures."""
    evaluate("openai", base_args(server), "mmstar_demo_grey", limit=3)
    ours = received(server)
    evaluate("ablated", f"base=openai,ablation=grey,{base_args(server)}", "mmstar_demo", limit=3)
    for (text, [picture]), (other_text, [other]) in zip(ours, received(server), strict=True):
        assert (text, picture.tobytes()) == (other_text, other.tobytes())


@pytest.mark.slow
def test_response_cache_never_mixes_ablated_and_real_answers(
    evaluate: Evaluate, server: OpenAIServer, tmp_path: Path
) -> None:
    """One cache for a plain run and three ablated ones: each asks the model once, and is served
    its own answers.
    """
    answers: dict[str, list[str]] = {}
    models = {"plain": ("openai", ""), "grey": ("ablated", "base=openai,ablation=grey,")}
    models |= {
        f"permuted {seed}": ("ablated", f"base=openai,options=permuted,seed={seed},")
        for seed in (0, 1)
    }
    for repeat in range(2):
        for name, (model, args) in models.items():
            results = evaluate(
                model, args + base_args(server), "mmstar_demo", limit=4, use_cache=str(tmp_path)
            )
            assert len(received(server)) == (4 if repeat == 0 else 0)
            given = [sample["filtered_resps"][0] for sample in results["samples"]["mmstar_demo"]]
            assert answers.setdefault(name, given) == given
    assert len({tuple(given) for given in answers.values()}) == len(models)


@pytest.mark.parametrize(("ablation", "pictures"), [("grey", 1), ("text", 0)])
def test_simple_models_get_other_visuals(
    evaluate: Evaluate, recorder: Any, ablation: str, pictures: int
) -> None:
    """A base that has only a simple class runs as one; its visuals are replaced for every
    document of a batch.
    """
    evaluate("recorder", "colour=red", "mmstar_demo")
    plain = list(recorder.seen)
    recorder.seen.clear()
    results = evaluate("ablated", f"base=recorder,ablation={ablation},colour=red", "mmstar_demo")
    assert results["config"]["model_backend"].endswith("AblatedRecorder (simple)")
    assert [text for text, _ in recorder.seen] == [text for text, _ in plain]
    for (_, own), (_, shown) in zip(plain, recorder.seen, strict=True):
        assert len(shown) == pictures
        assert not {picture.tobytes() for picture in own} & {picture.tobytes() for picture in shown}


@pytest.fixture
def make(evaluate: Evaluate) -> Callable[..., Any]:  # noqa: ARG001 - it registers the recorder
    """`make(model_args, additional_config)` returns the wrapped model as lmms-eval makes it."""
    from lmms_eval import models

    made: Callable[..., Any] = models.get_model("ablated").create_from_arg_string
    return made


def test_wrapped_model_is_its_base(make: Callable[..., Any], recorder: Any) -> None:
    """Arguments, batch size and device reach the base, and attributes set from outside are the
    base's own.
    """
    model = make("base=recorder,ablation=grey,colour=red,seed=3", {"batch_size": 4, "device": None})
    assert isinstance(model, recorder)
    assert (model.colour, model.given, model.ablation_seed) == ("red", {"batch_size": 4}, 3)
    model._rank = 1
    assert model.rank == 1


def test_tasks_take_the_wrapped_models_own_values(make: Callable[..., Any]) -> None:
    """`lmms_eval_specific_kwargs` of a YAML are those of the base, not of a model called
    `ablated`.
    """
    from lmms_eval.tasks import TaskManager

    manager = TaskManager("WARNING", include_defaults=False, model_name="ablated")
    make("base=recorder,ablation=grey")
    assert manager.model_name == "recorder"
    assert (
        TaskManager("WARNING", include_defaults=False, model_name="qwen2_vl").model_name
        == "qwen2_vl"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("ablation=grey", r"name of a base model of lmms-eval, found ''\. Use it as --model"),
        ("base=opena,ablation=grey", "Nearest: .*openai"),
        ("base=ablated,ablation=grey", "name of a base model"),
        ("base=recorder", "Expected ablation to be one of grey"),
        ("base=recorder,ablation=pink", r"found 'pink'\. Use it as --model ablated"),
        ("base=ocr_baseline,ablation=text", "ocr_baseline reads the question's document"),
    ],
)
def test_wrong_arguments_are_refused(
    make: Callable[..., Any], arguments: str, message: str
) -> None:
    """The message says what is missing and shows an example."""
    with pytest.raises(SystemExit, match=message):
        make(arguments)


def instance(hook: Callable[..., Any]) -> Any:
    """A request of the host."""
    from lmms_eval.api.instance import Instance

    metadata = {"task": "t", "doc_id": 0, "repeats": 1}
    return Instance("generate_until", ("Look", {}, hook, 0, "t", "test"), 0, metadata)


@pytest.mark.parametrize(
    "method", ["loglikelihood", "generate_until_multi_round", "generate_visual_cot"]
)
def test_other_kinds_of_requests_are_refused(make: Callable[..., Any], method: str) -> None:
    """The base would be shown the real pictures."""
    with pytest.raises(SystemExit, match="generates text in one round for --model ablated"):
        getattr(make("base=recorder,ablation=grey"), method)([])


def test_videos_are_refused(make: Callable[..., Any]) -> None:
    """A task that shows a video is no task for picture ablations."""
    model = make("base=recorder,ablation=grey")
    model.task_dict = {"t": {"test": [{}]}}
    with pytest.raises(SystemExit, match=r"clip\.mp4"):
        model.generate_until([instance(lambda _: ["clip.mp4"])])


def test_a_local_chat_model_answers_differently(evaluate: Evaluate, tmp_path: Path) -> None:
    """A vision-language model tells pictures, grey pictures and no pictures apart."""
    pytest.importorskip("decord")
    import tiny_vlm

    args = tiny_vlm.model_args(tiny_vlm.build(tmp_path))
    answers = {}
    for name, model, extra in (
        ("figure", "qwen2_5_vl", ""),
        ("grey", "ablated", "base=qwen2_5_vl,ablation=grey,"),
        ("text", "ablated", "base=qwen2_5_vl,ablation=text,"),
    ):
        results = evaluate(
            model, extra + args, "mmstar_demo", limit=2, gen_kwargs="max_new_tokens=8"
        )
        answers[name] = [
            sample["filtered_resps"][0] for sample in results["samples"]["mmstar_demo"]
        ]
    assert all(len({answers[name][place] for name in answers}) == 3 for place in range(2))


def test_the_arguments_of_a_hook_reach_it() -> None:
    """Hosts hand a document over with more."""
    from spiqa_tasks.models.ablated import _with_result

    hook = _with_result(lambda doc, extra, *, more: [doc, extra, more], lambda got: [*got, "new"])
    assert hook("doc", 1, more=2) == ["doc", 1, 2, "new"]
