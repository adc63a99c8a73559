"""The pace at which a server is asked, on a clock that the tests move."""

from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.judge.pace import Pace


@given(limit=st.floats(3, 60), burst=st.floats(2, 20))
def test_a_servers_limit_is_used_up_and_few_requests_are_refused(
    limit: float, burst: float
) -> None:
    """Of a bucket refilled at any rate nearly all is used, once found out, with few refusals
    above ten a second.
    """
    pace, now, tokens, filled = Pace(), 0.0, burst, 0.0
    accepted = refused = 0
    while now < 150:
        if wait := pace.take_turn(now):
            now += wait
            continue
        tokens, filled = min(burst, tokens + (now - filled) * limit), now
        accepts = tokens >= 1
        tokens -= accepts
        accepted += accepts and now >= 30
        refused += not accepts and now >= 30
        pace.came_back(now, now, "answered" if accepts else "refused")
    assert accepted / 120 > 0.95 * limit
    assert refused < (0.2 if limit > 10 else 0.4) * accepted
