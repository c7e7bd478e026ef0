# Two commands do everything: `make play` serves the site and opens it, `make test` runs every test.
VENV := .venv
PYTHON := $(VENV)/bin/python
# The package itself, which is all that playing takes; and what its tests need besides.
INSTALLED := $(VENV)/.installed
READY := $(VENV)/.ready
# What tests need of the system: a browser, and a database server. Who may not install them has those tests skipped.
SYSTEM := $(VENV)/.system
# Of what pip says: what it fetches, how large the large ones are, and that it installs.
PIP_STEPS := '^(Collecting [A-Za-z0-9_.-]+| *Downloading [^ ]+ \([0-9.]+ MB\)|Installing collected packages|Successfully installed)'

.PHONY: play test check clean

play: $(INSTALLED)
	@$(VENV)/bin/gamemaster serve --open

test: $(READY) $(SYSTEM) check
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

$(SYSTEM): $(INSTALLED)
	@command -v chromium > /dev/null && { command -v postgres > /dev/null || ls -d /usr/lib/postgresql/*/bin > /dev/null 2>&1; } \
		|| { echo "Installing a browser and a database server for tests, once"; \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
		chromium postgresql fonts-dejavu-core > $(VENV)/apt.log 2>&1; } \
		|| echo "They could not be installed (see $(VENV)/apt.log): tests that need them are skipped"
	@touch $@

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
