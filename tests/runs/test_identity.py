"""Which model a run is."""

import pytest

from spiqa_tasks.hosts.lmms_eval_files import model_arguments
from spiqa_tasks.runs.identity import Identity, checkpoint, identity


@pytest.mark.parametrize(
    ("model", "arguments", "expected", "label"),
    [
        ("m", "", Identity("m"), "m"),
        ("m", "b=2,a=1", Identity("m,a=1,b=2"), "m,a=1,b=2"),
        (
            "m",
            "a=1,device=cuda,batch_size=4,base_url=http://x,api_key=k,hf_token=s,password=p",
            Identity("m,a=1"),
            "m,a=1",
        ),
        ("m", "a=1,seed=3", Identity("m,a=1", seed="3"), "m,a=1,seed=3"),
        ("ablated", "base=m,ablation=grey,a=1", Identity("m,a=1", "grey"), "m,a=1,ablation=grey"),
        (
            "ablated",
            "base=m,ablation=grey,seed=1",
            Identity("m", "grey", "1"),
            "m,ablation=grey,seed=1",
        ),
        (
            "ablated",
            "base=m,shots_split=dev,ablation=text,shots=2",
            Identity("m", "text,shots=2,shots_split=dev"),
            "m,ablation=text,shots=2,shots_split=dev",
        ),
    ],
)
def test_identity_is_model_arguments_ablation_and_seed(
    model: str, arguments: str, expected: Identity, label: str
) -> None:
    """Arguments in any order are one model; those that say where and how fast it runs do not
    count.
    """
    assert identity(model, arguments) == expected
    assert identity(model, arguments).label == label


def test_a_comma_that_no_key_follows_is_part_of_a_value() -> None:
    """Lists and quoted texts stay whole."""
    assert model_arguments("a=[1,2],b=x, y,c=3") == {"a": "[1,2]", "b": "x, y", "c": "3"}
    assert model_arguments(" ") == {}


def test_a_wrapped_model_whose_arguments_are_not_told_has_question_marks() -> None:
    """A base or an ablation that the host's record lacks; a value may have a sign of equality."""
    assert identity("ablated", "") == Identity("?", "?")
    assert model_arguments("a=b=c") == {"a": "b=c"}


def test_a_model_is_named_in_signatures() -> None:
    """With what was done and its seed; with its ablation if it did not see the questions as they
    are.
    """
    assert Identity("m", seed="3").signature_fields == {"model": "m"}
    assert Identity("m", "grey").signature_fields == {"model": "m", "model_wrapper": "grey"}
    assert Identity("m", "shuffled", "3").signature_fields == {
        "model": "m",
        "model_wrapper": "shuffled,seed=3",
    }


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ("pretrained=org/llava-7b,model_name=llava_qwen", "llava-7b"),
        ("model_version=gpt-4o,base_url=http://x/v1", "gpt-4o"),
        ("model_type=url_model,model_name=qwen-plus", "qwen-plus"),
        ("model=/hf/hub/models--Qwen--Qwen2.5-VL-3B/snapshots/66285546d2b8", "Qwen2.5-VL-3B"),
        ("temperature=0", "api"),
    ],
)
def test_people_see_the_checkpoint_that_the_arguments_name(arguments: str, name: str) -> None:
    """Beside a checkpoint, `model_name` is LLaVA's name of its family; the hub's cache has
    commits for folders.
    """
    assert checkpoint(identity("api", arguments).model) == name
