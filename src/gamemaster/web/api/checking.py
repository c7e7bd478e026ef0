"""POST /check: what is wrong with rules, where, and what to do about it."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request

from gamemaster.errors import LimitExceeded
from gamemaster.web.api.models import CheckAnswer, CheckBody
from gamemaster.web.api.places import checked, overtime
from gamemaster.web.api.strictness import ApiRoute, answers
from gamemaster.web.site import site_of

__all__ = ["router"]

router = APIRouter(route_class=ApiRoute, tags=["rules"])

CHECK_SECONDS = 20.0


@router.post("/check", responses=answers(400, 403, 413, 415, 422, 429, 503))
async def check_rules(request: Request, body: CheckBody) -> CheckAnswer:
    """Check rules. They are read, played at random and compiled; what that takes too long for is a finding too."""
    try:
        report = await site_of(request).workers.slow(
            checked, body.rules, body.dialect, body.seconds, seconds=CHECK_SECONDS
        )
    except LimitExceeded as error:
        report = overtime(error)
    return CheckAnswer.model_validate(report)
