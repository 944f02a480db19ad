# Needs Python 3.10 or later with venv, a C compiler and make; the rest is
# installed into .venv. `make` lists the targets.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check

CSRC := $(sort $(shell find csrc -type f))
BUILD_FILES := setup.py ffi_build.py

# -fno-wrapv: Python asks for -fwrapv, which hides signed overflow from UBSan.
SANITIZE_DIR := build/sanitize
SANITIZE_FLAGS := -O1 -g -fno-omit-frame-pointer \
	-fsanitize=address,undefined -fno-sanitize-recover=all -fno-wrapv
# What hardly reaches the core would only take time.
SANITIZE_IGNORE := --ignore=tests/commands --ignore=tests/laws/test_reference.py \
	$(addprefix --ignore=tests/units/test_,$(addsuffix .py,errors packaging sources \
	tokens)) \
	--ignore-glob='tests/*/test_context_*'
SANITIZE_OPTIONS := detect_leaks=0:abort_on_error=1:print_stacktrace=1:$\
	allocator_may_return_null=1

# How many random cases a comparison draws, and from which seed.
CASES ?= 2000
SEED ?= 1

# The commit that bench-instructions compares with.
AGAINST ?= HEAD~1

# Sizes of the documents to measure with, in MB: one or several.
STREAMCLIP_BENCH_MB ?= 5
BENCH_ARGS := --benchmark-columns=min,median,rounds --benchmark-sort=name \
	--benchmark-min-rounds=3 --benchmark-max-time=0.3
# One look at each benchmark: enough to see that it runs and its answer is right.
BENCH_SHORT_ARGS := --benchmark-min-rounds=1 --benchmark-max-time=0.05 \
	--benchmark-calibration-precision=1

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help build demo gallery test test-quick test-store test-slow agreement \
	fuzz-kernels cross check format sanitize bench bench-report bench-short \
	bench-instructions dist test-dist clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-18s %s\n", $$1, $$2 }' \
		$(firstword $(MAKEFILE_LIST))

build: $(VENV)/built ## make .venv and install streamclip into it, editable

$(VENV)/tools:
	@echo "creating $(VENV) with $(PYTHON)"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --upgrade pip 'setuptools>=77' 'cffi>=1.17'
	@touch $@

# Without build isolation: a rebuild downloads nothing and takes seconds.
$(VENV)/built: $(VENV)/tools pyproject.toml $(BUILD_FILES) $(CSRC)
	@echo "building streamclip into $(VENV)"
	@$(PIP) install --no-build-isolation --editable '.[test,dev]'
	@touch $@

$(VENV)/rivals: pyproject.toml | $(VENV)/built
	@echo "installing the libraries to compare with"
	@$(PIP) install --no-build-isolation --editable '.[bench]'
	@touch $@

$(VENV)/slow: pyproject.toml | $(VENV)/built
	@echo "installing what the slow tests need"
	@$(PIP) install --no-build-isolation --editable '.[slow]'
	@touch $@

demo: build ## run examples/demo.py
	@$(BIN)/python examples/demo.py

gallery: build ## write docs/gallery.md
	@$(BIN)/python examples/gallery.py

test: build ## run the core tests, on all cores
	$(BIN)/pytest -n auto

test-quick: build ## few examples, no child processes: under 30 seconds
	$(BIN)/pytest -n auto --quick

$(VENV)/servers: pyproject.toml | $(VENV)/built
	@echo "installing a server that speaks S3, and a client"
	@$(PIP) install --no-build-isolation --editable '.[test-store]'
	@touch $@

test-store: build $(VENV)/servers ## store 200 MB, on a disk and a server; kills
	$(BIN)/pytest -m store

test-slow: build $(VENV)/slow ## run the slow tests: memory, corpus
	$(BIN)/pytest -m slow

agreement: build ## compare core and reference: CASES=2000 SEED=1
	PYTHONPATH=tests/support $(BIN)/python tests/laws/test_agreement.py $(CASES) $(SEED)

fuzz-kernels: build ## compare the kernels: CASES=2000 SEED=1
	PYTHONPATH=tests/support $(BIN)/python tests/laws/test_kernels.py $(CASES) $(SEED)

cross: build ## the ARM kernel, with a cross compiler and qemu-user
	PYTHONPATH=tests/support:tests/laws $(BIN)/python tests/scripts/cross.py 20000

check: build ## lint, check formatting and types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	@echo "checking csrc: ASCII without tabs, at most 80 columns"
	@LC_ALL=C awk 'length > 80 || /[^ -~]/ \
		{ print FILENAME ":" FNR ": " $$0; bad = 1 } END { exit bad }' $(CSRC)
	@echo "checking csrc: no warnings"
	@for file in $(filter %.c,$(CSRC)); do $(CC) -std=c11 -O2 -Wall -Wextra \
		-Werror -Icsrc -c -o /dev/null $$file || exit 1; done

format: build ## format the Python files, fix what ruff can
	$(BIN)/ruff check --fix-only
	$(BIN)/ruff format

# A second copy of the package with an instrumented core, found by PYTHONPATH
# before the editable one, which stays as it is. PYTHONMALLOC puts red zones round
# small Python objects too; --capture=sys lets the sanitizers' reports through, and
# the abort makes pytest say which test it was.
sanitize: build ## run the core tests under ASan and UBSan
	@echo "building an instrumented copy in $(SANITIZE_DIR)"
	@rm -rf $(SANITIZE_DIR)
	@STREAMCLIP_CFLAGS='$(SANITIZE_FLAGS)' $(BIN)/python setup.py --quiet \
		build --build-base $(SANITIZE_DIR) --build-lib $(SANITIZE_DIR)/lib
	@echo "$(BIN)/pytest tests that reach the core, under ASan and UBSan"
	@LD_PRELOAD="$$($(CC) -print-file-name=libasan.so)" \
	ASAN_OPTIONS="$(SANITIZE_OPTIONS)" UBSAN_OPTIONS="$(SANITIZE_OPTIONS)" \
	HYPOTHESIS_PROFILE=sanitize PYTHONMALLOC=malloc PYTHONPATH="$(CURDIR)/$(SANITIZE_DIR)/lib" \
		$(BIN)/pytest tests $(SANITIZE_IGNORE) --capture=sys \
		--require-core=$(SANITIZE_DIR)/lib

# $(1): sizes in MB for the suites. $(2): for rows in processes of their own.
define measure
	@mkdir -p build
	STREAMCLIP_BENCH_MB="$(1)" $(BIN)/pytest bench \
		--benchmark-json=build/bench.json $(BENCH_ARGS)
	@echo "measuring each contender in a process of its own: $(2) MB"
	@$(BIN)/python bench/processes.py build/processes.json $(2)
	@$(BIN)/python bench/report.py
endef

bench: build $(VENV)/rivals ## compare speeds and memory, in three minutes
	$(call measure,$(STREAMCLIP_BENCH_MB),$(STREAMCLIP_BENCH_MB))

bench-report: build $(VENV)/rivals ## measure more, write README and docs/bench.svg
	$(call measure,50,1 50 500)
	@$(BIN)/python bench/report.py --readme

bench-short: build $(VENV)/rivals ## run each benchmark once
	STREAMCLIP_BENCH_MB=1 $(BIN)/pytest bench $(BENCH_ARGS) $(BENCH_SHORT_ARGS)

bench-instructions: build ## count instructions (valgrind), against AGAINST
	@$(BIN)/python bench/instructions.py --against $(AGAINST)

dist: build ## build the source archive and the wheel in dist/
	@echo "building dist/"
	@rm -rf dist && mkdir -p build
	@$(BIN)/python -m build --no-isolation --outdir dist . \
		>build/dist.log 2>&1 || { cat build/dist.log; exit 1; }
	@ls dist

# Each archive goes into an empty venv and is tried from outside the tree.
test-dist: dist ## install what dist built and try it
	$(BIN)/abi3audit --strict dist/*.whl
	@set -e; tmp=$$(mktemp -d); trap 'rm -rf "$$tmp"' EXIT; \
	for archive in dist/*.whl dist/*.tar.gz; do \
		echo "trying $$archive"; \
		rm -rf "$$tmp/venv"; \
		$(BIN)/python -m venv "$$tmp/venv"; \
		"$$tmp/venv/bin/python" -m pip -qq --disable-pip-version-check \
			install "$(CURDIR)/$$archive[cli]"; \
		(cd "$$tmp" && venv/bin/python -I "$(CURDIR)/tests/scripts/smoke.py"); \
	done

clean: ## remove all that make made
	rm -rf $(VENV) build dist *.egg-info .benchmarks .hypothesis
	rm -rf .mypy_cache .pytest_cache .ruff_cache
	rm -f streamclip/_core*.so
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
