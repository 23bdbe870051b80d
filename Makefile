# Everything runs in a virtual environment that the first target makes. Commands: demo test generate check lint bench bench-peers corpus conformance transcripts fuzz soak package
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PROJECTS := $(wildcard generated/*/tools.yaml)

.PHONY: demo test generate check lint bench bench-peers corpus conformance transcripts fuzz soak package clean

# Made again when the dependencies change. The interpreter is asked for its version first, since every later error
# that comes of an old one is harder to read.
$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("toolmint needs Python 3.11 or newer, and %s is %s; set PYTHON=..." % (sys.executable, sys.version.split()[0]) if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(READY)

demo: $(READY)
	@$(BIN)/python tests/demo.py

test: $(READY)
	$(BIN)/python -m pytest -n auto --dist loadfile

generate: $(READY)
	@set -e; for manifest in $(PROJECTS); do echo "$$manifest"; $(BIN)/toolmint generate "$$manifest"; done

check: $(READY)
	@set -e; for manifest in $(PROJECTS); do echo "$$manifest"; $(BIN)/toolmint check "$$manifest"; done

lint: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy generator templates/runtime
	@set -e; for manifest in $(PROJECTS); do folder=$$(dirname "$$manifest"); echo "$$folder"; (cd "$$folder" && $(abspath $(BIN))/ruff check && $(abspath $(BIN))/ruff format --check && $(abspath $(BIN))/mypy src); done

corpus: $(READY)
	@PYTHONPATH=templates $(BIN)/python tests/corpus.py

conformance: $(READY)
	@PYTHONPATH=tests $(BIN)/python -m conformance.suite

transcripts: $(READY)
	@PYTHONPATH=tests $(BIN)/python tests/transcripts.py

# Both run for an hour, or for as many SECONDS as are given; the tests hold short versions of them.
SECONDS ?= 3600

fuzz: $(READY)
	@$(BIN)/python tests/hostile/fuzz.py --seconds $(SECONDS)

soak: $(READY)
	@$(BIN)/python tests/hostile/soak.py --seconds $(SECONDS)

bench: $(READY)
	@PYTHONPATH=tests $(BIN)/python -m bench

bench-peers: $(READY)
	@PYTHONPATH=tests $(BIN)/python -m bench --install

package: $(READY)
	rm -rf dist
	$(BIN)/python -m build --outdir dist .

clean:
	rm -rf $(VENV) .bench .clients .conformance build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
