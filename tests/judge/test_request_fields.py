"""Fields that a user adds to every request to a judge."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.providers import PROVIDERS
from spiqa_tasks.judge.request_fields import NO_THINKING, checked_extra
from spiqa_tasks.judge.resolve import parse_judge

VALUES = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3))


@given(st.dictionaries(st.text(min_size=1).map("x_{}".format), VALUES, min_size=1, max_size=4))
def test_one_meaning_has_one_spelling(fields: dict[str, object]) -> None:
    """Order and blanks do not count, so that they make no other verdicts; the values stay what they are."""
    found = checked_extra(json.dumps(fields), None)
    turned = json.dumps(dict(reversed(fields.items())), indent=3)
    assert checked_extra(f"  {turned}\n", None) == found
    assert json.loads(found) == fields


@pytest.mark.parametrize("text", ["", " \n", "{}", " { } "])
def test_no_fields_are_an_empty_text(text: str) -> None:
    """An empty object asks for nothing, so that its judge is no other one than that without extra fields."""
    assert checked_extra(text, None) == ""


@pytest.mark.parametrize("extra", ["[1]", "{", "null", "5", '"x"', "[" * 100_000])
def test_what_is_no_object_is_one_sentence_with_an_example(extra: str) -> None:
    """The example is one that can be used."""
    with pytest.raises(JudgeError, match=r"^Expected a JSON object as the judge's extra fields, such as ") as caught:
        checked_extra(extra, None)
    assert NO_THINKING in str(caught.value)
    assert json.loads(checked_extra(NO_THINKING, None)) == {"chat_template_kwargs": {"enable_thinking": False}}


@pytest.mark.parametrize("field", ["model", "messages", "system", "max_tokens", "temperature", "logprobs"])
def test_a_field_of_the_judgement_itself_is_refused(field: str) -> None:
    """Also beside others, and also where the provider takes any field."""
    with pytest.raises(JudgeError, match=f"found {field}. Leave them out"):
        checked_extra(json.dumps({"seed": 1, field: 5}), None)


def test_where_a_provider_knows_few_fields_the_sentence_lists_them() -> None:
    """A judge in this process takes what its chat template may be told; all that are refused are named."""
    with pytest.raises(JudgeError, match=r"may be a, b; found c, d\. Leave them out\."):
        checked_extra('{"d": 1, "a": 2, "c": 3}', ("b", "a"))
    known = PROVIDERS["hf"].extras
    assert known
    with pytest.raises(JudgeError, match=f"may be {', '.join(sorted(known))}; found seed"):
        parse_judge("hf:m", environ={"SPIQA_JUDGE_EXTRA": '{"seed": 1}'})
