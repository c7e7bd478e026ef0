"""Settings of all tests: examples are counted, never timed, as other work may slow the machine down."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

os.environ.setdefault(
    "GAMEMASTER_LATE_WORKERS", "1"
)  # a site starts processes for heavy work only if a test has some
