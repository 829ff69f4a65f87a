# Every target sets up what it needs: python3, pip and make are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUT := build
KERNELS := $(wildcard src/netchoice/_kernels/*.py)
WORKERS := $(shell nproc 2>/dev/null || echo 2)

.PHONY: help demo example-large recovery reproduce test test-all test-bounds lint bench docs lock clean

help:
	@echo "make demo      set up, and say which model made an example network"
	@echo "make test      set up, lint, check types, run the tests, kernels with bounds checking too"
	@echo "make test-all  the same with the slow tests"
	@echo "make bench     speed against the peers, measured side by side"
	@echo "make example-large  100,000 nodes: features selected on pilots, costs extrapolated"
	@echo "make recovery  how often the model of networks grown by plain code is told rightly"
	@echo "make reproduce the paper's tables, figures and claims; SCALE=tiny, small or paper"
	@echo "make docs      build the documentation into $(OUT)/docs"
	@echo "make lint      ruff and mypy only"
	@echo "make lock      renew requirements/*.txt from pyproject.toml"

# Debian's python3 may come without ensurepip: then the pip that is there fills the environment.
$(VENV)/.created:
	@echo "setting up $(VENV) (once)"
	@$(PYTHON) -m venv $(VENV) >/dev/null 2>&1 || { \
		rm -rf $(VENV) && $(PYTHON) -m venv --without-pip $(VENV) && \
		$(PYTHON) -m pip --python $(BIN)/python install --quiet pip; }
	@touch $@

$(VENV)/.runtime: requirements/runtime.txt pyproject.toml | $(VENV)/.created
	@echo "installing the pinned packages of requirements/runtime.txt"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements/runtime.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: requirements/dev.txt $(VENV)/.runtime
	@echo "installing the pinned packages of requirements/dev.txt"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements/dev.txt
	@touch $@

# Packages that are measured against only; each may be missing.
$(VENV)/.bench: requirements/bench.txt $(VENV)/.dev
	@echo "installing the peers of requirements/bench.txt"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements/bench.txt
	@touch $@

$(VENV)/.warm: $(KERNELS) $(VENV)/.runtime
	@echo "compiling the numerical kernels (once)"
	@rm -f src/netchoice/_kernels/__pycache__/*.nb[ci] # a kernel is cached without regard to its helpers
	@$(BIN)/netchoice warmup 2>/dev/null
	@touch $@

demo: $(VENV)/.warm
	@mkdir -p $(OUT)/demo
	@echo
	@echo "A network of 1000 nodes; which mechanism made it, dmc or dmr?"
	@echo '$$ netchoice choose examples/dmr-network.tsv --space duplication --out $(OUT)/demo/choice'
	@$(BIN)/netchoice choose examples/dmr-network.tsv --space duplication --out $(OUT)/demo/choice --fresh
	@echo
	@echo "The truth: it was grown by dmr with p_delete = 0.55 and p_new = 0.45."
	@echo "To look at: $(OUT)/demo/choice/report.html; single pictures in $(OUT)/demo/choice/figures"

# Networks grown by the plain twins of the tests, told by the whole machinery.
recovery: $(VENV)/.dev $(VENV)/.warm
	$(BIN)/python benchmarks/recovery.py

# Selection on pilots for a network on which the whole battery is out of reach.
example-large: $(VENV)/.warm
	$(BIN)/python examples/large_network.py

# The paper once more. The yeast networks are found through NETCHOICE_DATA, or fetched.
SCALE ?= small
PARTS ?= all
reproduce: $(VENV)/.warm
	$(BIN)/netchoice reproduce $(PARTS) --scale $(SCALE) --out $(OUT)/reproduction-$(SCALE)

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Debian's browser, for the tests of the report; where it cannot be had they are skipped.
BROWSER := $(VENV)/.browser
ROOT_SHELL := $(shell [ "$$(id -u)" = 0 ] && echo env || echo sudo -n)
$(BROWSER): | $(VENV)/.created
	@if command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1; then touch $@; \
	elif command -v apt-get >/dev/null 2>&1 && $(ROOT_SHELL) true >/dev/null 2>&1; then \
		echo "installing chromium for the tests of the report (once)"; \
		{ $(ROOT_SHELL) apt-get update -qq && $(ROOT_SHELL) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
			--no-install-recommends chromium fonts-dejavu-core; } >/dev/null 2>&1 && touch $@ \
			|| echo "chromium could not be installed: the tests in a browser will be skipped"; \
	else echo "no chromium, and no way to install it: the tests in a browser will be skipped"; fi

test: lint $(VENV)/.warm $(BROWSER) test-bounds
	$(BIN)/python -m pytest --doctest-modules src/netchoice -q -p no:cacheprovider
	$(BIN)/python -m pytest -n $(WORKERS) -m "not slow"

test-all: test
	$(BIN)/python -m pytest -n $(WORKERS) -m slow

# Kernels once more with every index checked; their own cache, since checked code is other code.
test-bounds: $(VENV)/.dev
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(OUT)/boundscheck \
		$(BIN)/python -m pytest -n $(WORKERS) -m "kernels and not slow"

bench: $(VENV)/.bench $(VENV)/.warm
	-$(BIN)/python benchmarks/growth.py
	-$(BIN)/python benchmarks/features.py
	-$(BIN)/python benchmarks/scaling.py
	-$(BIN)/python benchmarks/costs.py
	-$(BIN)/python benchmarks/tables.py
	-$(BIN)/python benchmarks/information.py
	-$(BIN)/python benchmarks/relief.py
	-$(BIN)/python benchmarks/forest.py
	-$(BIN)/python benchmarks/selection.py
	-$(BIN)/python benchmarks/fit.py
	-$(BIN)/python benchmarks/extrapolation.py
	-$(BIN)/python benchmarks/pilot_size.py
	-$(BIN)/python benchmarks/inference.py

docs: $(VENV)/.dev
	$(BIN)/sphinx-build -W --keep-going -q -b html docs $(OUT)/docs
	@echo "open $(OUT)/docs/index.html"

# What a fresh install next year gets: exactly what was tested.
lock:
	rm -rf $(OUT)/lock && $(PYTHON) -m venv $(OUT)/lock
	$(OUT)/lock/bin/python -m pip install --quiet --upgrade pip
	$(OUT)/lock/bin/python -m pip install --quiet hatchling editables .
	$(OUT)/lock/bin/python -m pip freeze --exclude netchoice > requirements/runtime.txt
	$(OUT)/lock/bin/python -m pip install --quiet ".[dev]"
	$(OUT)/lock/bin/python -m pip freeze --exclude netchoice > requirements/dev.txt

clean:
	rm -rf $(VENV) $(OUT)
