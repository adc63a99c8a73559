"""Which key a judge is asked with: a key goes only where its owner is.

- A key given as an argument goes with the judge it was given for.
- A provider's own variable (OPENAI_API_KEY, ANTHROPIC_API_KEY) goes to that provider's public address, nowhere else.
- SPIQA_JUDGE_API_KEY goes to the server that the environment names: SPIQA_JUDGE_BASE_URL, the URL in SPIQA_JUDGE, or
  the public address of the provider in SPIQA_JUDGE. There it comes before the provider's variable. Where the
  environment names a server, no other one gets it.
- Where the environment names none, SPIQA_JUDGE_API_KEY is the key of the judges that are named elsewhere (`--judge`,
  `L3Score(judge=...)`), and of the default judge where none is; a public address gets it only without a key of its own.

So `score --judge openai:a@URL1 --judge openai:gpt-4o` with both variables set and nothing else sends
SPIQA_JUDGE_API_KEY to URL1 and OPENAI_API_KEY to OpenAI. With SPIQA_JUDGE=openai:gpt-4o besides, SPIQA_JUDGE_API_KEY is
OpenAI's, and URL1 gets no key; with SPIQA_JUDGE_BASE_URL=URL2 besides, gpt-4o is asked at URL2 with it, and URL1 gets
no key.
"""

from __future__ import annotations

from collections.abc import Mapping

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.config import KEY_VARIABLE
from spiqa_tasks.judge.providers.declaration import Provider


def clean_key(key: str | None) -> str | None:
    """Return the key without blanks around it; None where nothing is left.

    Raises:
        JudgeError: a key that cannot be sent, such as one with a line break inside; the message does not repeat it.
    """
    stripped = (key or "").strip()
    if "\n" in stripped or "\r" in stripped:
        raise JudgeError(f"Expected the judge's key on one line, found a line break in it. Set {KEY_VARIABLE} again.")
    if not stripped.isprintable():
        raise JudgeError(f"Expected a key of printable characters, found others in it. Set {KEY_VARIABLE} again.")
    return stripped or None


def find_key(provider: Provider, url: str, named_url: str, environ: Mapping[str, str]) -> str | None:
    """Return the key from `environ` for a judge of `provider` at `url`; None where none is its own.

    Args:
        provider: the judge's provider.
        url: the base URL that will be asked, without a trailing slash; empty for a judge in this process.
        named_url: the base URL that the environment names, in the same form; empty where it names none.
        environ: the environment.
    """
    if not url:
        return None
    public = environ.get(provider.key_variable or "", "").strip() if url == provider.url else ""
    judges = environ.get(KEY_VARIABLE, "").strip()
    if not named_url:
        return public or judges or None
    return (judges if url == named_url else "") or public or None
