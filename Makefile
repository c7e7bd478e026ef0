# Two commands do everything: `make play` and `make test`.
VENV := .venv
PYTHON := $(VENV)/bin/python
# The package itself, which is all that playing takes; and what its tests need besides.
INSTALLED := $(VENV)/.installed
READY := $(VENV)/.ready
# Of what pip says: what it fetches, how large the large ones are, and that it installs.
PIP_STEPS := '^(Collecting [A-Za-z0-9_.-]+| *Downloading [^ ]+ \([0-9.]+ MB\)|Installing collected packages|Successfully installed)'

.PHONY: play test check clean

play: $(INSTALLED)
	@$(VENV)/bin/gamemaster play || [ $$? -eq 130 ]    # who leaves by Ctrl-C has not failed

test: $(READY) check
	$(PYTHON) -m pytest -q -n auto -m "not slow"
	$(PYTHON) -m pytest -q -n auto -m slow

check: $(READY)
	$(VENV)/bin/ruff format --check src tests bench
	$(VENV)/bin/ruff check src tests bench
	$(VENV)/bin/mypy

# What pip says goes to a file, and the steps of it to the screen; `$(1)` is what to install.
define install
	@echo "Fetching and installing what is needed, once; everything pip says is in $(VENV)/pip.log"
	@rm -f $(VENV)/.failed
	@{ $(PYTHON) -m pip install --disable-pip-version-check --no-color --progress-bar off --editable "$(1)" 2>&1 \
		|| touch $(VENV)/.failed; } | tee $(VENV)/pip.log | grep --line-buffered -E -o $(PIP_STEPS) || true
	@if [ -e $(VENV)/.failed ]; then tail -20 $(VENV)/pip.log; exit 1; fi
	@touch $@
endef

$(INSTALLED): pyproject.toml
	@python3 -m venv $(VENV) || { apt-get update && apt-get install -y python3-venv && python3 -m venv $(VENV); }
	$(call install,.)

$(READY): $(INSTALLED)
	$(call install,.[test])

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
