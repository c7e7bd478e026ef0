"""Settings of all tests: examples are counted, never timed, as other work may slow the machine down."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

os.environ.setdefault(
    "GAMEMASTER_LATE_WORKERS", "1"
)  # a site starts processes for heavy work only if a test has some


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Whether a file is left out: it has no slow test where only such are asked for; each process would import it."""
    is_test = collection_path.name.startswith("test_") and collection_path.suffix == ".py"
    if config.option.markexpr == "slow" and is_test and "slow" not in collection_path.read_text():
        return True
    return None
