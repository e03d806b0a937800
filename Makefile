# Everything is installed into .venv, from the lock files, by hash. Stamp files there make a second run start at once.

# What was imported once is not compiled again, even where the environment forbids bytecode beside the sources: it is kept
# in .venv. A hundred processes are started in a run of the tests, and most of the time of a start is the compiler's.
export PYTHONDONTWRITEBYTECODE :=
export PYTHONPYCACHEPREFIX = $(CURDIR)/$(VENV)/bytecode

# The system's own Python comes first, if it will do: distributions build theirs for speed, and what is built on the spot
# (by pyenv, say) mostly is not; the same rules run up to a quarter slower there. `make PYTHON=...` takes any other.
WILL_DO := import ensurepip, sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for python in /usr/bin/python3 python3; do \
	$$python -c '$(WILL_DO)' 2>/dev/null && echo $$python && break; done || echo python3)
VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
# uv installs in a sixth of the time. Where it is not to be had, or only pip's settings name the index, pip does it.
UV_INSTALL := $(BIN)/uv pip install --quiet --python $(BIN)/python
define INSTALL
	@# after an install that was killed half way all is installed anew: a package may lack files, and nobody would notice
	@again=$$(test ! -e $(VENV)/.half || echo --force-reinstall); touch $(VENV)/.half; set -x; \
		$(UV_INSTALL) $$again --require-hashes --requirement $(1) || \
		$(PIP_INSTALL) $$again --require-hashes --requirement $(1)
	@rm $(VENV)/.half
	@# the build backend comes from the lock as well: no isolation, so nothing is fetched that no hash vouches for
	$(PIP_INSTALL) --no-deps --no-build-isolation --editable .
endef

COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --no-header --no-annotate $(LOCK_FLAGS)

.DELETE_ON_ERROR:
.PHONY: help demo test lint fuzz drill leaks mutants audit compiled lock clean

help: ## show this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | while IFS="$$(printf '\t')" read -r target words; do \
		printf '  make %-9s%s\n' "$$target" "$$words"; done

demo: $(VENV)/.run ## simulate a few hundred games of each kind and open the dashboard
	$(BIN)/tabletape demo

test: lint ## lint, then all tests (browser tests where a Chromium is found; TABLETAPE_BROWSER=required insists)
	$(BIN)/python -m pytest -n 2

lint: $(VENV)/.dev ## ruff and mypy
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	@# its workers must have started within three seconds, which a busy machine does not always manage
	$(BIN)/mypy --num-workers 2 || $(BIN)/mypy

fuzz: $(VENV)/.dev ## hostile input for SECONDS a harness (60); what it finds stays in tests/fuzz/corpus
	nice $(BIN)/python -m tests.fuzz --seconds $(or $(SECONDS),60)

drill: $(VENV)/.dev ## kill writers, fill disks, turn back the clock, TIMES of each kind (20): nothing acknowledged may be lost
	$(BIN)/python -m tests.drill --times $(or $(TIMES),20)

leaks: $(VENV)/.dev ## play GAMES of each kind (100), swap what a viewer cannot know, and look for a byte that differs
	$(BIN)/python -m tests.leaks --games $(or $(GAMES),100)

mutants: $(VENV)/.dev ## put small faults into core/ and events/, EACH of a module (50), and see whether a test notices
	for group in engine imported checks dealing bots words metrics cherry picnic queen trash; do \
		$(BIN)/python -m tests.mutants $$group --each $(or $(EACH),50) || exit; done

audit: $(VENV)/.dev ## known faults of the packages that the lock files pin; tests/security/exceptions.toml has the accepted ones
	$(BIN)/python -m tests.security.audit

compiled: $(VENV)/.dev ## a wheel in dist/ whose rules are compiled by mypyc, 1.2 to 1.45 times as fast; needs a C compiler and Python.h
	rm -rf build/compiled
	$(BIN)/python -m hatchling build --target sdist --directory build/compiled
	tar --extract --directory build/compiled --strip-components 1 --file build/compiled/*.tar.gz
	cd build/compiled && HATCH_BUILD_HOOK_ENABLE_MYPYC=true "$(CURDIR)/$(BIN)/python" -m hatchling build --target wheel \
		--directory "$(CURDIR)/dist"

lock: $(BIN)/uv ## compile the lock files anew (LOCK_FLAGS=--upgrade for newer versions)
	$(COMPILE) pyproject.toml --extra dev --output-file requirements-dev.lock
	$(COMPILE) pyproject.toml --extra build --constraint requirements-dev.lock --output-file requirements.lock
	echo uv | $(COMPILE) - --output-file requirements-uv.lock

clean: ## remove the virtual environment, caches and builds
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist
	find core events replay dashboard tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.made:
	@$(PYTHON) -c '$(WILL_DO)' 2>/dev/null || \
		{ echo "Tabletape needs Python 3.11 or newer, with ensurepip (Debian: python3-venv), and $(PYTHON) is not;" \
			"another one: make PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	@touch $@

$(VENV)/.run: requirements.lock pyproject.toml | $(VENV)/.uv
	$(call INSTALL,requirements.lock)
	@touch $@

$(VENV)/.dev: requirements-dev.lock pyproject.toml | $(VENV)/.uv
	$(call INSTALL,requirements-dev.lock)
	@touch $@

$(BIN)/uv: | $(VENV)/.made
	$(PIP_INSTALL) --require-hashes --requirement requirements-uv.lock

$(VENV)/.uv: requirements-uv.lock | $(VENV)/.made
	-$(PIP_INSTALL) --require-hashes --requirement requirements-uv.lock
	@touch $@
