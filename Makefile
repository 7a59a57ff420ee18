PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PEERS := .venv-peers/bin
# A slow network is waited for; setuptools' advice about editable installs is for packagers.
PIP := -m pip install --quiet --disable-pip-version-check --retries 10 --timeout 60
# Two test processes: one for each kind of server, the first that is free for every other file (tests/conftest.py).
TOGETHER := --numprocesses 2 --dist loadscope
export LEITONG_DATA ?= $(wildcard ../shared/data)
# What Python has compiled is kept: two processes of tests, and the many they start, would compile all of it again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: install demo test test-fast check bench bench-accuracy papers serve

install: $(VENV)/tools

# What a user of Leitong has.
$(VENV)/leitong: pyproject.toml setup.py
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Leitong needs Python 3.11 or newer: make PYTHON=python3.11 …")'
	@$(PYTHON) -c 'import venv, ensurepip' || { echo 'This Python lacks its own venv: on Debian and Ubuntu, apt install python3-venv.' >&2; exit 2; }
	@echo 'Installing Leitong into $(VENV); the first time that takes a minute or more.'
	@$(BIN)/python -m pip --version > /dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	@PYTHONWARNINGS=ignore $(BIN)/python $(PIP) --editable .
	@touch $@

# And what its developers need.
$(VENV)/tools: $(VENV)/leitong
	@echo 'Installing the tools of its developers into $(VENV).'
	@PYTHONWARNINGS=ignore $(BIN)/python $(PIP) --editable '.[dev]'
	@touch $@

demo: $(VENV)/leitong
	$(BIN)/leitong demo

test: install
	$(BIN)/python -m pytest $(TOGETHER)

test-fast: install
	$(BIN)/python -m pytest $(TOGETHER) -m 'not slow and not servers' --hypothesis-profile fast

check: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pyright

bench: install
	@PYTHONWARNINGS=ignore $(BIN)/python $(PIP) --editable '.[bench]'
	$(BIN)/python -m benchmarks.run

# In an environment of its own: two of the peers install a package of the same name.
bench-accuracy:
	test -x $(PEERS)/python || $(PYTHON) -m venv .venv-peers
	PYTHONWARNINGS=ignore $(PEERS)/python $(PIP) --editable '.[dev]' --requirement benchmarks/peers-requirements.txt
	$(PEERS)/python -m benchmarks.accuracy

# The experiments of five published systems on real texts; writes docs/papers.md.
papers: install
	$(BIN)/python -m benchmarks.papers

# What the search page needs beside it.
$(VENV)/web: $(VENV)/leitong
	@echo 'Installing what the search page needs into $(VENV).'
	@PYTHONWARNINGS=ignore $(BIN)/python $(PIP) --editable '.[web]'
	@touch $@

serve: $(VENV)/web
	$(BIN)/leitong index cli/sample/docs.jsonl.gz --index leitong-sample --on-duplicate mark --resume
	$(BIN)/leitong serve --index leitong-sample
