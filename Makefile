# Two commands are all the set-up there is: `make verify` and `make test`.
# Both first bring .venv up to date with requirements.lock and pyproject.toml.

PYTHON ?= python3
ARGS ?=

BIN := .venv/bin
STAMP := .venv/.installed
BUSY := .venv/.installing

.PHONY: help verify test lint docs schemas prove clean

help:
	@echo "make verify   decide every claim and write the report   (ARGS='--profile quick' and the like)"
	@echo "make test     run the tests                             (ARGS='-k prop_4_1' and the like)"
	@echo "make lint     ruff, mypy and the import contract"
	@echo "make docs     build the documentation site into build/docs"
	@echo "make schemas  write the JSON Schemas of the documents from their dataclasses"
	@echo "make prove    replay the machine-checked proofs with Coq    (ARGS=--check compares with the record, writes nothing)"
	@echo "make clean    remove the environment, caches and build leftovers; reports stay"
	@echo "make help     this list"
	@echo "Another Python (3.11 or newer): make PYTHON=python3.12 ..."

verify: $(STAMP)
	@$(BIN)/tdcert verify $(ARGS)

# With byte code kept, each of the many processes that the tests start has seconds less to do.
test: $(STAMP)
	@PYTHONDONTWRITEBYTECODE= $(BIN)/pytest $(ARGS)

lint: $(STAMP)
	@echo "ruff:" && $(BIN)/ruff check && $(BIN)/ruff format --check
	@echo "mypy:" && $(BIN)/mypy
	@echo "import-linter:" && $(BIN)/lint-imports --no-logo

docs: $(STAMP)
	@$(BIN)/python -m sphinx -W --keep-going -q -b html docs build/docs
	@echo "documentation: build/docs/index.html"

schemas: $(STAMP)
	@$(BIN)/python -m tdcert.reports.schema

prove: $(STAMP)
	@$(BIN)/python -m tdcert.theory.formal.prove $(ARGS)

# The stamp's second line is the folder the environment was made for. One that was copied or moved
# along with its folder, or that lost its Python, points elsewhere: it counts as missing.
ifneq ($(shell test -x $(BIN)/python && test -x $(BIN)/tdcert && sed -n 2p $(STAMP) 2>/dev/null),$(CURDIR))
.PHONY: $(STAMP)
endif

# $(BUSY) names the make that installs. Found at the start, it means that an install is under way or was
# interrupted; renaming it is the last step, so a half-made environment is never taken for a whole one.
$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c '' 2>/dev/null || { echo "'$(PYTHON)' does not run: install Python 3.11 or newer, or name one with make PYTHON=/path/to/python3." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; v = sys.version_info; v >= (3, 11) or sys.exit("tdcert needs Python 3.11 or newer, and $(PYTHON) is %d.%d: name a newer one with make PYTHON=python3.12 (for example)." % v[:2])'
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "$(PYTHON) cannot make virtual environments, it lacks ensurepip or venv: install that part (Debian, Ubuntu: apt-get install python3-venv) or name another Python with make PYTHON=..." >&2; exit 1; }
	@if test -s $(BUSY) && kill -0 "$$(head -n 1 $(BUSY))" 2>/dev/null; then \
	  echo "Another make (process $$(head -n 1 $(BUSY))) is installing .venv: wait until it is done. (If that is no make, remove .venv.)" >&2; exit 1; fi
	@if test -e $(BUSY) || { test -e $(STAMP) && test "$$(sed -n 2p $(STAMP))" != "$(CURDIR)"; } \
	  || ! $(BIN)/python -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then rm -rf .venv; fi
	@mkdir -p .venv && rm -f $(STAMP) && printf '%s\n' "$$PPID" "$(CURDIR)" > $(BUSY)
	@echo "Installing the pinned dependencies into .venv (a few minutes the first time)"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -r requirements.lock
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation -e .
	@mv $(BUSY) $(STAMP)

clean:
	rm -f theory/formal/.replayed
	rm -rf .venv build dist docs/claims *.egg-info .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
