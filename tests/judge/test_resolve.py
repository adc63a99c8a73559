"""Which judge is asked, with which URL and key."""

import contextlib
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.judge import JudgeClient
from spiqa_tasks.judge.resolve import checked_extra, judge_from_environ, parse_judge
from spiqa_tasks.judge.types import NO_THINKING

OPENAI = "https://api.openai.com/v1"


def test_the_default_is_the_papers_judge() -> None:
    """Without SPIQA_JUDGE, OpenAI's gpt-4o is asked with OPENAI_API_KEY."""
    config = judge_from_environ({"OPENAI_API_KEY": "k"})
    assert config is not None
    assert (config.name, config.url, config.api_key) == ("openai:gpt-4o", OPENAI, "k")


def test_none_switches_judging_off() -> None:
    """SPIQA_JUDGE=none needs no key."""
    assert judge_from_environ({"SPIQA_JUDGE": "none"}) is None


def test_the_url_of_the_model_under_test_is_never_used() -> None:
    """OPENAI_BASE_URL and OPENAI_API_BASE point at another server and are ignored."""
    environ = {
        "OPENAI_BASE_URL": "http://x/v1",
        "OPENAI_API_BASE": "http://y/v1",
        "OPENAI_API_KEY": "k",
    }
    config = judge_from_environ(environ)
    assert config is not None
    assert config.url == OPENAI


def test_the_judges_own_variables_win() -> None:
    """SPIQA_JUDGE_BASE_URL and SPIQA_JUDGE_API_KEY come first, and SPIQA_TASKS_CACHE holds the
    verdicts.
    """
    config = judge_from_environ(
        {
            "SPIQA_JUDGE": "openai:qwen:7b",
            "SPIQA_JUDGE_BASE_URL": "http://127.0.0.1:1/v1/",
            "SPIQA_JUDGE_API_KEY": "own",
            "OPENAI_API_KEY": "other",
            "SPIQA_TASKS_CACHE": "some/where",
        }
    )
    assert config is not None
    assert (config.model, config.url, config.api_key) == ("qwen:7b", "http://127.0.0.1:1/v1", "own")
    assert config.cache_dir == Path("some/where")


def test_a_server_of_ones_own_needs_no_key() -> None:
    """Local servers and local models are used without a key."""
    own, local = (
        parse_judge(judge, environ={})
        for judge in ("openai:m@http://127.0.0.1:1/v1", "hf:some/model")
    )
    assert (own.api_key, local.url) == (None, "")
    for config in (own, local):
        JudgeClient(config).require_key()


@pytest.mark.parametrize("judge", ["gpt-4o", "gemini:pro", "", ":m"])
def test_an_unknown_provider_lists_the_known_ones(judge: str) -> None:
    """The message holds every provider."""
    with pytest.raises(JudgeError, match="openai, anthropic, hf"):
        parse_judge(judge, environ={})


@given(
    model=st.text(st.characters(blacklist_categories=("Cs",)), min_size=1)
    .map(str.strip)
    .filter(bool),
    url=st.sampled_from(
        ["", "http://127.0.0.1:8000/v1", "https://host/a@b/v1?api-version=2024-06-01"]
    ),
)
def test_any_model_name_and_url_are_told_apart(model: str, url: str) -> None:
    """Names may hold `:` and `/`, and `@` as `%40`: what stands behind the first `@` is the URL."""
    assume("%40" not in model)
    written = model.replace("@", "%40")
    config = parse_judge(f"openai:{written}" + (f"@{url}" if url else ""), environ={})
    assert (config.model, config.url) == (model, url or OPENAI)


@given(st.text(max_size=60) | st.text(max_size=30).map("openai:m@http://{}".format))
def test_no_text_raises_anything_but_one_sentence(judge: str) -> None:
    """Whatever the text, it is a judge or a JudgeError."""
    with contextlib.suppress(JudgeError):
        assert parse_judge(judge, environ={}).model


def test_a_url_of_its_own_wins_over_the_environments() -> None:
    """`@URL` and `base_url` come before SPIQA_JUDGE_BASE_URL; two different ones are refused."""
    environ = {"SPIQA_JUDGE_BASE_URL": "http://environ/v1"}
    assert parse_judge("openai:m", environ=environ).url == "http://environ/v1"
    assert parse_judge("openai:m@http://own/v1", environ=environ).url == "http://own/v1"
    assert parse_judge("openai:m", base_url="http://own/v1", environ=environ).url == "http://own/v1"
    with pytest.raises(JudgeError, match="two URLs"):
        parse_judge("openai:m@http://own/v1", base_url="http://other/v1", environ={})


def test_a_judge_in_this_process_has_no_url() -> None:
    """SPIQA_JUDGE_BASE_URL is not for it, and a URL of its own is refused."""
    assert parse_judge("hf:m", environ={"SPIQA_JUDGE_BASE_URL": "http://x/v1"}).url == ""
    with pytest.raises(JudgeError, match="in this process"):
        parse_judge("hf:m@http://x/v1", environ={})


@pytest.mark.parametrize(
    "url", ["http://", "https://:8000/v1", "http://[::1/v1", "http://host:port/v1", "ftp://host"]
)
def test_a_url_without_a_server_is_refused(url: str) -> None:
    """A host must be there and the port a number."""
    with pytest.raises(JudgeError, match="base URL must be"):
        parse_judge("openai:m", base_url=url, environ={})


@pytest.mark.parametrize(
    "url", ["http://user:pw@host/v1", "http://host/v1?api-key=abc", "http://host/v1?token=abc"]
)
def test_credentials_in_the_url_are_refused_without_repeating_them(url: str) -> None:
    """A URL is logged and kept in signatures, so it must hold no secret."""
    with pytest.raises(JudgeError, match="SPIQA_JUDGE_API_KEY") as caught:
        parse_judge("openai:m", base_url=url, environ={})
    assert url not in str(caught.value)


def test_extra_fields_go_to_judges_of_ones_own() -> None:
    """A provider's public server is not sent them; an address of one's own and a judge in this
    process are.
    """
    environ = {"SPIQA_JUDGE_EXTRA": ' {"chat_template_kwargs": {} } '}
    for judge in ("openai:m@http://own/v1", "hf:m"):
        assert parse_judge(judge, environ=environ).extra == '{"chat_template_kwargs": {}}'
    assert parse_judge("openai:m", environ=environ).extra == ""


@pytest.mark.parametrize("key", [" \n", "", "  "])
def test_a_blank_key_is_none(key: str) -> None:
    """Neither an argument nor a variable of blanks is a key."""
    assert parse_judge("openai:m", api_key=key, environ={"OPENAI_API_KEY": key}).api_key is None


@pytest.mark.parametrize("extra", ["[1]", "{", "null", "5", '"x"', "[" * 100_000])
def test_what_is_no_object_is_one_sentence_with_an_example(extra: str) -> None:
    """The example is one that can be used."""
    with pytest.raises(
        JudgeError, match=r"^Expected SPIQA_JUDGE_EXTRA to be a JSON object, such as "
    ) as caught:
        checked_extra(extra)
    assert NO_THINKING in str(caught.value)
    assert json.loads(checked_extra(NO_THINKING)) == {
        "chat_template_kwargs": {"enable_thinking": False}
    }


OWN = "http://own/v1"
BOTH = {"SPIQA_JUDGE_API_KEY": "judges", "OPENAI_API_KEY": "public"}


@pytest.mark.parametrize(
    ("judge", "environ", "key"),
    [
        ("openai:m", BOTH, "public"),
        ("openai:m", {"SPIQA_JUDGE_API_KEY": "judges"}, "judges"),
        (f"openai:m@{OWN}", BOTH, "judges"),
        (f"openai:m@{OWN}", {"OPENAI_API_KEY": "public"}, None),
        ("openai:m", {**BOTH, "SPIQA_JUDGE": "openai:n"}, "judges"),
        (f"openai:m@{OWN}", {**BOTH, "SPIQA_JUDGE": "openai:n"}, None),
        ("openai:m", {**BOTH, "SPIQA_JUDGE": f"openai:n@{OWN}/"}, "public"),
        (f"openai:m@{OWN}/", {**BOTH, "SPIQA_JUDGE": f"openai:n@{OWN}"}, "judges"),
        ("openai:m@http://other/v1", {**BOTH, "SPIQA_JUDGE": f"openai:n@{OWN}"}, None),
        ("openai:m", {**BOTH, "SPIQA_JUDGE_BASE_URL": OWN}, "judges"),
        ("anthropic:m@https://api.anthropic.com/v1", {**BOTH, "SPIQA_JUDGE_BASE_URL": OWN}, None),
        ("hf:m", BOTH, None),
        ("hf:m", {**BOTH, "SPIQA_JUDGE": "hf:m"}, None),
        ("openai:m", {**BOTH, "SPIQA_JUDGE": "unknown:m"}, "public"),
    ],
)
def test_a_key_goes_only_where_its_owner_is(
    judge: str, environ: dict[str, str], key: str | None
) -> None:
    """The provider's own to its public address; the judge's to the server that the environment
    names, if it does.
    """
    assert parse_judge(judge, environ=environ).api_key == key


def test_the_key_is_in_no_representation() -> None:
    """repr and str of a config hide the key, which makes another judge of it."""
    config = parse_judge("openai:m", api_key="sk-very-secret", environ={})
    assert "secret" not in f"{config!r} {config} {[config]}"
    assert len({config, replace(config), replace(config, api_key="other")}) == 2


@pytest.mark.parametrize("change", [{"concurrency": 0}, {"timeout": 0.0}])
def test_a_judge_that_could_never_be_asked_is_refused(change: dict[str, float]) -> None:
    """No slot and no time are one sentence."""
    with pytest.raises(JudgeError, match="at least 1 and its timeout above 0"):
        replace(parse_judge("openai:m", environ={}), **change)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("address", "corrected"),
    [
        ("localhost:8765/v1", "openai:m@http://localhost:8765/v1"),
        ("127.0.0.1:8765", "openai:m@http://127.0.0.1:8765"),
        ("http:/localhost/v1", "openai:m@http://localhost/v1"),
        (" http://localhost/v1", "openai:m@http://localhost/v1"),
        ("cf/meta/llama", "openai:m@http://cf/meta/llama"),
    ],
)
def test_what_stands_behind_the_first_at_is_an_address(address: str, corrected: str) -> None:
    """One without `http://` is refused with it, and never asked at the public address."""
    with pytest.raises(JudgeError, match="must be http://host") as caught:
        parse_judge(f"openai:m@{address}", environ={"OPENAI_API_KEY": "k"})
    assert f"Write {corrected}." in str(caught.value)


HEADER = {"SPIQA_JUDGE_HEADER": "X-Tenant=mine"}


@pytest.mark.parametrize(
    ("judge", "environ", "is_sent"),
    [
        (f"openai:m@{OWN}", HEADER, True),
        (f"openai:m@{OWN}", {**HEADER, "SPIQA_JUDGE_BASE_URL": OWN}, True),
        ("openai:m@http://other/v1", {**HEADER, "SPIQA_JUDGE_BASE_URL": OWN}, False),
        ("openai:m", HEADER, False),
        ("hf:m", HEADER, False),
    ],
)
def test_a_header_goes_where_the_judges_key_goes(
    judge: str, environ: dict[str, str], is_sent: bool
) -> None:
    """But to no public address: it may be a key of a gateway."""
    expected = (("X-Tenant", "mine"),) if is_sent else ()
    assert parse_judge(judge, environ=environ).headers == expected


def test_each_line_is_a_header_whose_value_may_have_an_equals_sign() -> None:
    """The name ends at the first one."""
    environ = {"SPIQA_JUDGE_HEADER": "A=b=c\n X-Tenant= mine "}
    headers = parse_judge(f"openai:m@{OWN}", environ=environ).headers
    assert headers == (("A", "b=c"), ("X-Tenant", "mine"))


@pytest.mark.parametrize(
    "header", [" ", "X", "=v", "X=", "X Y=v", "X=\u00e9", "Authorization=Bearer secret", "Host=h"]
)
def test_a_header_that_cannot_be_sent_is_refused_without_its_value(header: str) -> None:
    """The key has a way of its own."""
    with pytest.raises(JudgeError, match="NAME=VALUE in SPIQA_JUDGE_HEADER") as caught:
        parse_judge(f"openai:m@{OWN}", environ={"SPIQA_JUDGE_HEADER": header})
    assert "secret" not in str(caught.value)


def test_a_query_stands_in_no_text() -> None:
    """Though it is sent, for it may be a signature."""
    config = parse_judge(f"openai:m@{OWN}?subscription=0123456789", environ={})
    assert config.redact("at http://own/v1?subscription=0123456789") == "at http://own/v1?[key]"
    assert "0123456789" not in f"{config!r} {config.host}"
