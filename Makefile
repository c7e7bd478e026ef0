# Two commands do everything: `make play` and `make test`.
VENV := .venv
PYTHON := $(VENV)/bin/python
READY := $(VENV)/.ready
# Of what pip says: what it fetches, how large the large ones are, and that it installs.
PIP_STEPS := '^(Collecting [A-Za-z0-9_.-]+| *Downloading [^ ]+ \([0-9.]+ MB\)|Installing collected packages|Successfully installed)'

.PHONY: play test check clean

play: $(READY)
	@$(VENV)/bin/gamemaster play || [ $$? -eq 130 ]    # who leaves by Ctrl-C has not failed

test: $(READY) check
	$(PYTHON) -m pytest -q -n auto -m "not slow"
	$(PYTHON) -m pytest -q -n auto -m slow

check: $(READY)
	$(VENV)/bin/ruff format --check src tests bench
	$(VENV)/bin/ruff check src tests bench
	$(VENV)/bin/mypy

$(READY): pyproject.toml
	@python3 -m venv $(VENV) || { apt-get update && apt-get install -y python3-venv && python3 -m venv $(VENV); }
	@echo "Fetching and installing what is needed, once; everything pip says is in $(VENV)/pip.log"
	@rm -f $(VENV)/.failed
	@{ $(PYTHON) -m pip install --disable-pip-version-check --no-color --progress-bar off --editable ".[test]" 2>&1 \
		|| touch $(VENV)/.failed; } | tee $(VENV)/pip.log | grep --line-buffered -E -o $(PIP_STEPS) || true
	@if [ -e $(VENV)/.failed ]; then tail -20 $(VENV)/pip.log; exit 1; fi
	@touch $(READY)

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
