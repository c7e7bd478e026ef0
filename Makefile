# Two commands do everything: `make play` and `make test`.
VENV := .venv
PYTHON := $(VENV)/bin/python
READY := $(VENV)/.ready

.PHONY: play test check clean

play: $(READY)
	$(VENV)/bin/gamemaster play tictactoe

test: $(READY) check
	$(PYTHON) -m pytest -q -n auto -m "not slow"
	$(PYTHON) -m pytest -q -n auto -m slow

check: $(READY)
	$(VENV)/bin/ruff format --check src tests bench
	$(VENV)/bin/ruff check src tests bench
	$(VENV)/bin/mypy

$(READY): pyproject.toml
	python3 -m venv $(VENV) || { apt-get update && apt-get install -y python3-venv && python3 -m venv $(VENV); }
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --editable ".[test]"
	touch $(READY)

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
