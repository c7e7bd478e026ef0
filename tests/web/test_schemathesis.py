"""Requests made up from the OpenAPI schema: none may be a server error. bench/site_fuzz.py makes more of them."""

from __future__ import annotations

import pytest

pytest.importorskip("schemathesis")

from site_fuzz import Tally, fuzz, told

REQUESTS, AT_ONCE = 120, 4


@pytest.mark.slow
@pytest.mark.parametrize("is_signed_in", [False, True], ids=["guest", "signed in"])
def test_no_request_is_a_server_error(is_signed_in: bool) -> None:
    tally = fuzz(REQUESTS, first_seed=1, at_once=AT_ONCE, is_signed_in=is_signed_in)
    assert tally.requests == REQUESTS
    assert not tally.errors, "\n".join(told(tally))
    assert {200, 404, 422} <= set(tally.statuses)
    assert not tally.odd, "\n".join(told(tally))


def test_what_is_found_is_told() -> None:
    tally = Tally()
    tally.add("GET /a", 200, 0.5)
    tally.add("GET /a", 500, 1.5)
    tally.errors.append("GET /a: 500: curl ...")
    lines = list(told(tally))
    assert "200: 1, 500: 1" in lines[0]
    assert "2 requests" in lines[1]
    assert "1.5 s: GET /a" in lines[2]
    assert lines[-1] == "GET /a: 500: curl ..."
