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

# Tests start thousands of processes: each would compile the sources anew where nothing may be written beside them.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: play test check clean

play: $(INSTALLED)
	@$(VENV)/bin/gamemaster serve --open

CHECK = $(VENV)/bin/ruff format --check src tests bench && $(VENV)/bin/ruff check src tests bench && $(VENV)/bin/mypy
# What searches run in machine code, compiled once for a machine: every player that a test starts would begin it anew.
KERNELS = $(PYTHON) -c "from gamemaster.search.native.warming import KINDS, LATER_KINDS, warm_up; warm_up(None, (*KINDS, *LATER_KINDS))"

PYTEST = $(PYTHON) -m pytest -q
AGAIN = --last-failed --last-failed-no-failures none

# Fast ones first. Those of one file stay together as far as they can: they share a server, a browser or a database.
# Some wait for processes and browsers more than they compute, slow ones above all: more of them than two cores.
# What fails beside all the others is tried once more by itself: both outcomes are on the screen, and a fault fails twice.
test: $(READY) $(SYSTEM)
	$(KERNELS) & $(CHECK) && wait $$!
	$(PYTEST) -n 3 --dist worksteal -m "not slow" || $(PYTEST) $(AGAIN) -m "not slow"
	$(PYTEST) -n 4 --dist worksteal -m slow || $(PYTEST) $(AGAIN) -m slow

check: $(READY)
	$(CHECK)

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
