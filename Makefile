# Needs Python >= 3.11, a C compiler and make. Everything is installed into .venv in this folder and nowhere else.
# Another Python:            make PYTHON=python3.13 test
# Arguments for pytest:      make test ARGS="-k ndcg -x"

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# pip compiles every module that it installs, on one core. CI imports a quarter of them, and these Python compiles by itself.
COMMA := ,
NO_COMPILE := $(if $(RANKWELL_CI),--no-compile)
INSTALL := $(PIP) install $(NO_COMPILE)
# CI needs PyTorch and more too, and installs all in one go.
EXTRAS := $(if $(RANKWELL_CI),dev$(COMMA)training,dev)
DOCS := $(wildcard README.md docs)
# CI runs the tests in a browser as well, and `.ci/run all` also the slow and the exhaustive ones, and Spark's JVM.
NOT_SLOW := not slow and not exhaustive
QUICK := -m "$(NOT_SLOW) and not browser"
CHOICE := $(if $(RANKWELL_CI),$(if $(ALL),,-m "$(NOT_SLOW)"),$(QUICK))
# Whole files go to a core, in the order of their names: by default files with few tests come last, which are the slow ones.
BY_FILE := --dist loadfile --no-loadscope-reorder
TRAINING := docs/training.md $(addprefix src/rankwell/compat/,torchmetrics.py lightning.py transformers.py sentence_transformers.py mteb.py) \
	$(addprefix tests/compat/,test_torchmetrics.py test_lightning.py test_transformers.py test_sentence_transformers.py \
	test_mteb.py) tests/readers/test_tensors.py

FACES := $(addprefix tests/compat/,test_llama_index.py test_pyterrier.py test_ranx.py) tests/display/test_wandb.py

# Spark Connect is between the two: Sail is spoken to by its client, and its server is the JVM's.
SPARK_PIP := build/spark/bin/python -m pip --disable-pip-version-check --quiet
SPARKS := sail $(if $(RANKWELL_CI),$(if $(ALL),jvm),jvm connect)

# Tests start thousands of processes: a module is compiled once, and not by each of them, also where this is set.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow test-browser test-training test-spark test-faces test-lowest check check-style check-types check-examples check-pages site translations names format build wheel release bench bench-growth clean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 16

demo: $(VENV)/report  ## install the package into .venv, run `rankwell demo`, and write two reports into build/demo
	@$(BIN)/rankwell demo -o build/demo

test: build  ## run the tests on freshly built kernels
	$(BIN)/python -m pytest -n auto $(BY_FILE) $(CHOICE) $(ARGS)

test-slow: build  ## run the tests that `make test` leaves out: those that compile, make an environment, take long, or are exhaustive
	$(BIN)/python -m pytest -n auto $(BY_FILE) -m "slow or exhaustive" $(ARGS)

test-browser: build  ## run the tests that open pages in Chromium, which has to be installed (apt-get install chromium-headless-shell)
	$(BIN)/python -m pytest -n auto $(BY_FILE) -m browser tests/browser $(ARGS)

test-training: build $(VENV)/training  ## install PyTorch and more (1 GB), and run the tests of training loops
	$(BIN)/python -m pytest -n auto $(BY_FILE) --doctest-modules --doctest-glob='*.md' $(TRAINING) $(ARGS)

test-spark: $(if $(RANKWELL_CI),build/compiler/made,build) build/spark/made  ## install PySpark (500 MB; it needs Java 17) and Sail into build/spark, and run the tests of Spark
	for kind in $(SPARKS); do PYTHONPATH=$(CURDIR)/src:$(CURDIR) build/spark/bin/python -m pytest \
		tests/evaluation/engines/spark/test_$$kind.py $(ARGS) || exit 1; done

test-faces: build build/faces/made  ## install LlamaIndex, PyTerrier, ranx and W&B (1 GB) into build/faces, and run the tests that otherwise have stand-ins for them
	PYTHONPATH=$(CURDIR)/src:$(CURDIR) build/faces/bin/python -m pytest $(FACES) $(ARGS)

test-lowest: build  ## run the tests with the lowest declared versions of what people have beside rankwell
	$(PYTHON) -m venv --clear build/lowest
	$(BIN)/python tools/lowest.py > build/lowest.txt
	build/lowest/bin/python -m pip --disable-pip-version-check --quiet install -c build/lowest.txt -e '.[test]'
	build/lowest/bin/python -m pytest -n auto $(BY_FILE) $(QUICK) \
		--ignore=tests/project/test_site.py --ignore=tests/browser $(ARGS)

check: check-style check-types check-examples check-pages  ## lint, format, types, layers, doctests, documentation site

# Parts of `make check`: none writes what another one reads, so `make -j2 check` runs them side by side.
check-types: build
	$(BIN)/mypy

check-examples: build
	$(BIN)/python -m pytest -p tests.conftest --doctest-modules --doctest-glob='*.md' \
		--ignore=src/rankwell/kernels --ignore=docs/plots.md src/rankwell $(DOCS)

check-style: build
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports --no-cache

check-pages: build
	$(BIN)/python tools/make_columns.py --check
	$(BIN)/python tools/make_gallery.py --check
	$(BIN)/python tools/make_vega.py --check
	$(BIN)/python tools/make_help_pages.py --check
	$(BIN)/python tools/make_speed_page.py --check
	$(BIN)/python tools/make_statistics_page.py --check
	$(BIN)/python tools/make_estimates_page.py --check
	$(BIN)/python -m tools.make_elsewhere_page --check
	$(BIN)/python tools/make_site.py

site: build  ## build the documentation site into build/site/html, with its links checked
	$(BIN)/python tools/make_architecture.py
	$(BIN)/python tools/make_gallery.py
	$(BIN)/python tools/make_site.py

translations: build  ## list what pages in other languages show in English, as nobody has translated it yet
	@$(BIN)/python tools/translations.py

names: build  ## write again what is made from metrics, judging methods and public names: tables, stubs, pages
	$(BIN)/python tools/make_names.py
	$(BIN)/python tools/make_metrics_page.py

format: $(VENV)/dev  ## let ruff mend what it can
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

build: $(VENV)/dev  ## compile the kernels that changed
	@$(BIN)/python setup.py --quiet build_ext --inplace

wheel: $(VENV)/dev  ## build a wheel into dist/
	$(PIP) wheel --no-deps --wheel-dir dist .
	@ls dist

release:  ## build what is committed in an empty room, try it where there is no compiler, and date the release
	$(PYTHON) tools/release.py

bench: build  ## compare speed, memory and values with other tools; ONLY="w1 w3" measures a part
	$(BIN)/python benchmarks/bench.py $(ONLY) $(ARGS)

bench-growth: build  ## measure how the time grows with rows, runs and segments; ONLY="text runs" measures a part
	$(BIN)/python benchmarks/growth.py $(ONLY) $(ARGS)

clean:  ## remove everything that was built or installed here
	rm -rf $(VENV) build dist src/*.egg-info src/rankwell/kernels/*.so
	rm -rf .pytest_cache .hypothesis .mypy_cache .ruff_cache .import_linter_cache
	find src tests -name __pycache__ -prune -exec rm -rf {} +

# Stamps: each is made after its step succeeded, and made again when what it is made from changes.
$(VENV)/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and \
		f"rankwell needs Python 3.11 or later; this is {sys.version.split()[0]}. Try: make PYTHON=python3.13")'
	$(PYTHON) -m venv $(VENV)
	@touch $@

# Editable installs compile the kernels too; one that exists is reused by `make build`.
$(VENV)/installed: $(VENV)/made pyproject.toml setup.py $(wildcard src/rankwell/kernels/*.p*)
	$(INSTALL) --editable .
	@touch $@

$(VENV)/report: $(VENV)/installed
	$(INSTALL) --editable '.[report]'
	@touch $@

# Fetching packages keeps one core waiting. There CI compiles the kernels, which are then found in their store, and tests Spark.
ifdef RANKWELL_CI
$(VENV)/dev: $(VENV)/packages build/compiler/made
build/spark/made: | build/compiler/made
endif

$(VENV)/packages: $(VENV)/made pyproject.toml
	$(INSTALL) packaging
	$(BIN)/python tools/requirements.py dev training > $(VENV)/requirements.txt
	$(INSTALL) -r $(VENV)/requirements.txt
	@touch $@

build/compiler/made: pyproject.toml setup.py $(wildcard src/rankwell/kernels/*.p*)
	$(PYTHON) -m venv --clear build/compiler
	build/compiler/bin/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], \
		sep="\n")' > build/compiler/requirements.txt
	build/compiler/bin/python -m pip --disable-pip-version-check --quiet install -r build/compiler/requirements.txt
	build/compiler/bin/python setup.py --quiet build_ext --inplace
	@touch $@

$(VENV)/dev: $(VENV)/made pyproject.toml
	$(INSTALL) $(if $(RANKWELL_CI),--no-build-isolation) --editable '.[$(EXTRAS)]'
	@touch $@ $(VENV)/installed $(VENV)/report

build/spark/made: $(VENV)/made pyproject.toml
	$(PYTHON) -m venv --clear build/spark
	$(SPARK_PIP) install packaging
	build/spark/bin/python tools/requirements.py cluster > build/spark/requirements.txt
	$(SPARK_PIP) install $(NO_COMPILE) -r build/spark/requirements.txt
	@touch $@

build/faces/made: $(VENV)/made pyproject.toml
	$(PYTHON) -m venv --clear build/faces
	build/faces/bin/python -m pip --disable-pip-version-check --quiet install packaging
	build/faces/bin/python tools/requirements.py faces > build/faces/requirements.txt
	build/faces/bin/python -m pip --disable-pip-version-check --quiet install -r build/faces/requirements.txt
	@touch $@

$(VENV)/training: $(VENV)/dev
	$(INSTALL) --editable '.[training]'
	@touch $@
