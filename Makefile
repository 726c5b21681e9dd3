# `make demo` and `make test` need nothing but Python 3.11 or later and make: they set up their own environment in .venv.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin

# The share of its random examples that Hypothesis tries; `make test EXAMPLES=1` tries all of them.
EXAMPLES ?= 0.1
export TIMEBOUND_EXAMPLES = $(EXAMPLES)

.PHONY: demo test machine-code tests pages uncompiled compiled bounds plain numbas browser lint site format bench wheel library dist clean
.DEFAULT_GOAL := demo

demo: $(VENV)/.demo
	@mkdir -p out
	$(BIN)/timebound race harbour --start 12,100 --goal 180,14 --terrain unknown --virtual-ms 0.002 \
		--agents tbaa,rtaa,dstar-lite \
		--param radius=8 --param line_of_sight=true --picture out/demo.png --gif out/demo.gif

# Two things at a time: while packages are installed and sources are checked, what most tests need is compiled. CI needs
# a browser; elsewhere, tests that need one are skipped where there is none.
test: $(VENV)/.demo
	$(MAKE) -j2 machine-code tests

machine-code: $(VENV)/.demo
	-NUMBA_CPU_NAME=generic $(BIN)/timebound warmup --workers 2

tests: lint site uncompiled compiled pages bounds plain

# Tests of every agent in every world, and of every command and call with bad input, would wait for the compiler for
# minutes: they are marked, and run without it. The others run the machine code that is shipped, for any processor.
uncompiled: $(VENV)/.dev | lint site $(if $(CI),browser)
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n auto --durations 20 -m uncompiled

compiled: $(VENV)/.dev | machine-code
	NUMBA_CPU_NAME=generic $(BIN)/python -m pytest -n auto --durations 60 -m "not uncompiled and not plain" --ignore tests/documents

# What pages, docstrings and links say is true, and spelt correctly.
pages: $(VENV)/.dev | machine-code
	NUMBA_CPU_NAME=generic $(BIN)/python -m pytest -n auto --durations 20 tests/documents

# Machine code in which every index is checked: of every agent, of searches and of fleets. What is compiled for it is kept
# apart, so only the first run takes long.
bounds: $(VENV)/.dev | compiled
	TIMEBOUND_CHECK_BOUNDS=1 TIMEBOUND_EXAMPLES=0.05 TIMEBOUND_FLEETS=8 NUMBA_CPU_NAME=generic \
		$(BIN)/python -m pytest -n auto --durations 20 -m bounds tests/agents tests/fleet tests/search

# A part of the suite as plain Numba compiles it, without the library's own machinery.
plain: $(VENV)/.dev | bounds
	TIMEBOUND_PLAIN=1 NUMBA_CPU_NAME=generic $(BIN)/python -m pytest -n auto --durations 20 tests/plain

# The oldest and the newest Numba allowed, and its pre-release.
numbas: $(VENV)/.dev
	$(BIN)/python tools/numbas.py

# Chromium, for the tests of the studio: Debian's where there is none, else Playwright's own. They are skipped without it.
browser: $(VENV)/.dev
	command -v chromium || command -v chromium-browser || command -v google-chrome || \
		{ apt-get update && apt-get install -y --no-install-recommends chromium fonts-dejavu-core; } || \
		$(BIN)/playwright install chromium

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

site: $(VENV)/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --site-dir out/site

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.bench
	$(BIN)/python -m bench

# A wheel for this platform with the machine code of every agent on every built-in world, and what the studio needs.
wheel: $(VENV)/.demo
	@mkdir -p build dist
	$(BIN)/python -m timebound.applications.shipping build/machine_code.pack --studio
	TIMEBOUND_PACK=build/machine_code.pack $(BIN)/pip wheel --quiet --no-deps --wheel-dir dist .
	@ls -l dist

# The C library of all agents that can be exported, for this platform.
library: $(VENV)/.demo
	$(BIN)/timebound export --output build/library

# What would be published, as far as that can be checked here: metadata, and the README as its description.
dist: wheel $(VENV)/.dev
	$(BIN)/python -m hatchling build --target sdist --directory dist
	$(BIN)/twine check --strict dist/*

# Python compiles what it imports; pip would compile everything, for half of its time.
$(VENV)/.demo: pyproject.toml | $(VENV)/bin/python
	$(BIN)/pip install --quiet --no-compile -e .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/.demo
	$(BIN)/pip install --quiet --no-compile -e '.[dev]'
	$(BIN)/pip install --quiet --no-compile --no-deps pogema || echo "POGEMA does not install here: its example is not tested"
	@touch $@

$(VENV)/.bench: pyproject.toml bench/requirements.txt | $(VENV)/bin/python
	$(BIN)/pip install --quiet -e '.[bench]'
	-for package in $$(grep -v '^#' bench/requirements.txt); do $(BIN)/pip install --quiet $$package || echo "$$package does not install here: left out"; done
	@touch $@

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "timebound needs Python 3.11 or later; this is " + sys.version.split()[0] + ". Try: make PYTHON=python3.12 $(MAKECMDGOALS)")'
	$(PYTHON) -m venv $(VENV)

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist out
	find src tests -name __pycache__ -prune -exec rm -rf {} +
