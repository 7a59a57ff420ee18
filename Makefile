PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PEERS := .venv-peers/bin
export LEITONG_DATA ?= $(wildcard ../shared/data)

.PHONY: install demo test test-fast check bench bench-accuracy serve

install: $(BIN)/.installed

$(BIN)/.installed: pyproject.toml setup.py
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Leitong needs Python 3.11 or newer: make PYTHON=python3.11 …")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

demo: install
	$(BIN)/leitong demo

test: install
	$(BIN)/python -m pytest

test-fast: install
	$(BIN)/python -m pytest -m 'not slow and not servers'

check: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pyright

bench: install
	$(BIN)/python -m pip install --quiet --editable '.[bench]'
	$(BIN)/python -m benchmarks.run

# In an environment of its own: two of the peers install a package of the same name.
bench-accuracy:
	test -x $(PEERS)/python || $(PYTHON) -m venv .venv-peers
	$(PEERS)/python -m pip install --quiet --editable '.[dev]' --requirement benchmarks/peers-requirements.txt
	$(PEERS)/python -m benchmarks.accuracy

serve: install
	$(BIN)/leitong index cli/sample/docs.jsonl.gz --index leitong-sample --on-duplicate mark --resume
	$(BIN)/leitong serve --index leitong-sample
