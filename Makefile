# Every target installs what it needs. Only python3, pip and make must be present.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUT := build
KERNELS := $(wildcard src/netchoice/_kernels/*.py src/netchoice/models/mechanisms/*.py)
WORKERS := $(shell nproc 2>/dev/null || echo 2)

.PHONY: help prepare demo example-large reproduce test test-all test-bounds test-matrix lint attack \
	results bench atlas docs lock release-check clean

help:
	@echo "make demo           set up netchoice and choose a model for an example network"
	@echo "make test           set up netchoice, run the linter, the type checker and all fast tests"
	@echo "make test-all       also run the slow tests and the kernel tests with bounds checking, and build the documentation"
	@echo "make test-matrix    test each installed Python (3.11 to 3.14) with the lowest and the newest dependencies"
	@echo "make release-check  build the packages, check them, and use the wheel in an empty environment"
	@echo "make attack         damage files and kill runs, and print what happened; TRIALS=1000 SEED=1"
	@echo "make atlas          compare real networks with all mechanisms, twice, with controls; HOURS=6"
	@echo "make bench          print the speed of rows, answers, features and growth"
	@echo "make results        measure every figure of the documentation whose code has changed; takes hours"
	@echo "make example-large  choose a model for a network of 100,000 nodes, using pilots"
	@echo "make reproduce      reproduce the paper's tables, figures and claims; SCALE=tiny, small or paper"
	@echo "make docs           build the documentation into $(OUT)/docs"
	@echo "make lint           run ruff and mypy only"
	@echo "make lock           update requirements/*.txt from pyproject.toml"

# If Debian's python3 has no ensurepip, the installed pip installs pip into the environment.
$(VENV)/.created:
	@echo "setting up $(VENV) (once)"
	@$(PYTHON) -m venv $(VENV) >/dev/null 2>&1 || { \
		rm -rf $(VENV) && $(PYTHON) -m venv --without-pip $(VENV) && \
		$(PYTHON) -m pip --python $(BIN)/python install --quiet pip; }
	@touch $@

# Python compiles modules when they are first imported; to compile all of them takes longer.
$(VENV)/.runtime: requirements/runtime.txt pyproject.toml | $(VENV)/.created
	@echo "installing the pinned packages of requirements/runtime.txt"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --no-deps -r requirements/runtime.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: requirements/dev.txt $(VENV)/.runtime
	@echo "installing the pinned packages of requirements/dev.txt"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --no-deps -r requirements/dev.txt
	@touch $@

# Packages that only the benchmarks use; the benchmarks also run if some are missing.
$(VENV)/.bench: requirements/bench.txt $(VENV)/.dev
	@echo "installing the peers of requirements/bench.txt"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements/bench.txt
	@touch $@

# numba does not recompile a kernel when its helpers change.
$(VENV)/.changed: $(KERNELS) $(VENV)/.runtime
	@rm -f $(addsuffix /__pycache__/*.nb[ci],$(sort $(dir $(KERNELS))))
	@touch $@

$(VENV)/.warm: $(VENV)/.changed
	@echo "compiling the numerical kernels (once)"
	@$(BIN)/netchoice warmup 2>/dev/null
	@touch $@

# The first run compiles the kernels that it uses.
demo: $(VENV)/.changed
	@rm -rf $(OUT)/demo && mkdir -p $(OUT)/demo # also results of an earlier version, which are not read
	@echo
	@echo "Which model made this network of 1000 nodes, dmc or dmr?"
	@echo '$$ netchoice choose examples/dmr-network.tsv --space duplication --out $(OUT)/demo/choice'
	@$(BIN)/netchoice choose examples/dmr-network.tsv --space duplication --out $(OUT)/demo/choice
	@echo
	@echo "The true model is dmr with p_delete = 0.55 and p_new = 0.45. One in 20 intervals misses the true value."
	@echo "Open $(OUT)/demo/choice/report.html in a browser. The figures are in $(OUT)/demo/choice/figures."

# Select features on pilots, for a network on which computing all features would take too long.
example-large: $(VENV)/.warm
	$(BIN)/python examples/large_network.py

# Reproduce the paper. NETCHOICE_DATA names the folder of the yeast networks; without it they are downloaded.
SCALE ?= small
PARTS ?= all
reproduce: $(VENV)/.warm
	$(BIN)/python -m reproduction $(PARTS) --scale $(SCALE) --out $(OUT)/reproduction-$(SCALE)

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Install Debian's browser for the tests of the report. Without it these tests are skipped.
BROWSER := $(VENV)/.browser
ROOT_SHELL := $(shell [ "$$(id -u)" = 0 ] && echo env || echo sudo -n)
$(BROWSER): | $(VENV)/.created
	@if command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1; then touch $@; \
	elif command -v apt-get >/dev/null 2>&1 && $(ROOT_SHELL) true >/dev/null 2>&1; then \
		echo "installing chromium for the tests of the report (once)"; \
		{ $(ROOT_SHELL) apt-get update -qq && $(ROOT_SHELL) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
			--no-install-recommends chromium fonts-dejavu-core; } >/dev/null 2>&1 && touch $@ \
			|| echo "chromium could not be installed; pytest will skip the tests in a browser"; \
	else echo "chromium is not installed and cannot be installed; pytest will skip the tests in a browser"; fi

# Packages, kernels, the browser and the linters do not depend on one another: they run side by side.
prepare:
	@$(MAKE) --no-print-directory -j3 $(VENV)/.warm lint $(BROWSER)

# Tests of one file run in one process, which makes their shared fixtures once.
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

test: prepare
	$(PYTEST) -m "not slow" --doctest-modules src/netchoice reproduction tests

test-all: test docs
	$(PYTEST) -m slow
	@$(MAKE) --no-print-directory test-bounds

# Run the kernel tests with every index checked. The checked kernels need a separate cache.
test-bounds: $(VENV)/.dev
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(OUT)/boundscheck \
		$(PYTEST) -m kernels

# A part of the suite with every Python that is found, in environments of its own: build/matrix.
# ENVIRONMENTS="--only 3.12-lowest" runs one of them.
test-matrix: $(VENV)/.created
	$(BIN)/python tools/test_matrix.py $(ENVIRONMENTS)

release-check: $(VENV)/.created
	$(BIN)/python tools/check_release.py

# Attack netchoice with seeded damage.
TRIALS ?= 1000
SEED ?= 1
attack: $(VENV)/.dev $(VENV)/.warm
	$(BIN)/python -m attack --trials $(TRIALS) --seed $(SEED)

# Figures of the documentation: measure those that are missing or older than their code. It can be interrupted.
results: $(VENV)/.bench $(VENV)/.warm
	$(BIN)/python tools/results.py

# The atlas of real networks: some hours; it can be interrupted and resumed.
HOURS ?= 6
atlas: $(VENV)/.dev $(VENV)/.warm
	$(BIN)/python benchmarks/atlas.py --out $(OUT)/atlas --hours $(HOURS)
	$(BIN)/python tools/results.py atlas

# Speed: rows and answers, features against networkx and networkit, growth against networkx.
bench: $(VENV)/.bench $(VENV)/.warm
	$(BIN)/python benchmarks/row_costs.py --choose
	$(BIN)/python benchmarks/features.py
	$(BIN)/python benchmarks/growth.py

docs: $(VENV)/.dev
	$(BIN)/sphinx-build -W --keep-going -q -b html docs $(OUT)/docs
	@echo "open $(OUT)/docs/index.html"

# Pin the versions that were tested, so that later installations get the same ones.
lock:
	rm -rf $(OUT)/lock && $(PYTHON) -m venv $(OUT)/lock
	$(OUT)/lock/bin/python -m pip install --quiet --upgrade pip
	$(OUT)/lock/bin/python -m pip install --quiet hatchling editables .
	$(OUT)/lock/bin/python -m pip freeze --exclude netchoice > requirements/runtime.txt
	$(OUT)/lock/bin/python -m pip install --quiet ".[dev]"
	$(OUT)/lock/bin/python -m pip freeze --exclude netchoice > requirements/dev.txt

clean:
	rm -rf $(VENV) $(OUT)
