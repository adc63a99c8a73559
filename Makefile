# `make demo`: install and run the real host on the shipped data. `make test`: install and test.
# Both install into .venv what requirements.lock pins, and the package itself from this folder.

VENV := .venv
BIN := $(VENV)/bin
UV := $(shell command -v uv || echo $(BIN)/uv)
export HF_HUB_DISABLE_TELEMETRY := 1

.PHONY: demo test slow mutants lint docs lock clean

$(VENV)/.installed: requirements.lock setup.cfg setup.py pyproject.toml
	test -x $(BIN)/python || python3 -m venv $(VENV)
	test -x "$(UV)" || $(BIN)/python -m pip install --quiet uv
	VIRTUAL_ENV=$(VENV) $(UV) pip install --quiet -r requirements.lock
	VIRTUAL_ENV=$(VENV) $(UV) pip install --quiet --no-deps -e .
	touch $@

demo: $(VENV)/.installed
	$(BIN)/spiqa-tasks demo

test: $(VENV)/.installed
	$(BIN)/python -m pytest -q -n auto --dist loadfile

slow: $(VENV)/.installed
	$(BIN)/python -m pytest -q -n auto --dist loadfile -m "slow or not slow"

mutants: $(VENV)/.installed
	$(BIN)/python tools/mutants $(MODULES)

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/.installed
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

lock:
	$(UV) pip compile --quiet --universal --python-version 3.10 --no-header --no-annotate --no-emit-index-url --extra dev setup.py -o requirements.lock

clean:
	rm -rf $(VENV) build dist *.egg-info demo_out site
