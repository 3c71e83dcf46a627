# Two commands for a fresh machine: `make grade` and `make test`. Both make .venv and install what they need.
PYTHON ?= python3
BIN := .venv/bin
export OMP_NUM_THREADS ?= 1

.PHONY: grade test lint check clean

grade: .venv/done
	$(BIN)/python -m graders grade examples/submissions --out results

test: .venv/done
	$(BIN)/python -m pytest -q

lint: .venv/done
	$(BIN)/ruff check .
	$(BIN)/mypy

check: .venv/done
	$(BIN)/python -m graders check

.venv/done: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[graders,lessons,dev]"
	touch $@

clean:
	rm -rf .venv results build *.egg-info
