# Most targets need only Python 3.11+ and make: they set up $(VENV) first, and again after the lock file has changed. `image` also
# needs docker, `check-image` buildah and debootstrap as root, `fonts` npm and apt-get for most typefaces.
PYTHON ?= python3
VENV ?= .venv
HOST ?= 127.0.0.1
PORT ?= 3000
OUT ?= runs

BIN := $(VENV)/bin
READY := $(VENV)/.ready
SERVING := $(VENV)/.ready-to-serve
TRAINING := $(VENV)/.ready-to-train

.DEFAULT_GOAL := help
.PHONY: help setup setup-training serve test check format fonts preview train-quality train-extraction train-zones train-reader train-language train-donut retrain evaluate accuracy bench bench-pdfs reliability attacks soak loadtest scaling fuzz audit contract bento wheel image check-image release-check lock clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-18s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "docextract needs Python 3.11 or newer; choose one with PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)

# What serving needs: no training, no tests, no development tools.
$(SERVING): pyproject.toml requirements.lock | $(BIN)/python
	$(BIN)/python -m pip install --quiet --constraint requirements.lock --editable .
	touch $@

# What training and measuring need besides.
$(TRAINING): pyproject.toml requirements.lock | $(BIN)/python
	$(BIN)/python -m pip install --quiet --constraint requirements.lock --editable '.[train]'
	touch $@ $(SERVING)

$(READY): pyproject.toml requirements.lock | $(BIN)/python
	$(BIN)/python -m pip install --quiet --constraint requirements.lock --editable '.[dev]'
	touch $@ $(SERVING) $(TRAINING)

setup: $(SERVING) ## Set up the environment for serving, without starting it

setup-training: $(TRAINING) ## Set up the environment for docs/adding-a-document.md: training, calibration, comparison

serve: $(SERVING) ## Serve on http://127.0.0.1:3000 (HOST=, PORT=)
	BENTOML_DO_NOT_TRACK=True $(BIN)/bentoml serve service:DocumentService --host $(HOST) --port $(PORT)

# One thread per process: the networks in the tests are tiny, and waiting threads would spin.
test: $(READY) ## Run all tests (ARGS="-m 'not slow'" leaves out the slow ones)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest $(ARGS)

check: $(READY) ## Lint, formatting and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(READY) ## Format the code and apply the linter's fixes
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Into build/fonts, with pip, npm, and apt-get with dpkg-deb; a tool that is absent is named at the end.
fonts: $(READY) ## Fetch the typefaces that synthetic documents are printed in (340 MB of downloads, 80 MB kept)
	$(BIN)/python -m training.synth.fetch_fonts $(ARGS)

preview: $(READY) ## Draw a contact sheet of simulated photos (OUT=runs)
	mkdir -p $(OUT)
	$(BIN)/python -m training.synth.preview $(OUT)/preview.jpg $(ARGS)

train-quality: $(READY) ## Train the quality network (OUT=runs, ARGS="--sroie DIR …")
	$(BIN)/python -m training.tasks.quality.train training/configs/quality.toml --out $(OUT)/quality $(ARGS)

train-extraction: $(READY) ## Train the extraction network (OUT=runs, ARGS="--sroie DIR …")
	$(BIN)/python -m training.tasks.layout.train training/configs/layout.toml --out $(OUT)/extraction $(ARGS)

train-zones: $(READY) ## Train the network for machine-readable zones, stored next to the extraction weights (OUT=runs)
	$(BIN)/python -m training.tasks.zones.train training/configs/zones.toml --out $(OUT)/zones --extraction models/extraction/weights $(ARGS)

train-reader: $(READY) ## Fine-tune text recognition, stored next to the extraction weights (OUT=runs, ARGS="--sroie DIR …")
	$(BIN)/python -m training.tasks.ocr.train training/configs/ocr.toml --out $(OUT)/reader --start models/extraction/weights --extraction models/extraction/weights $(ARGS)

train-language: $(READY) ## Train the character language model, stored next to the extraction weights (OUT=runs, ARGS="--sroie DIR …")
	$(BIN)/python -m training.tasks.language.train training/configs/language.toml --out $(OUT)/language --extraction models/extraction/weights $(ARGS)

train-donut: $(READY) ## Train a Donut (OCR-free architecture), on a GPU if there is one (OUT=runs, ARGS="--surfaces DIR --workers 14")
	$(BIN)/python -m training.tasks.donut.train training/configs/donut.toml --out $(OUT)/donut $(ARGS)

MODEL ?= extraction
retrain: $(TRAINING) ## Fine-tune the served weights on your own documents, and compare: DATA=<labelled photos> [MODEL=quality]
	@test -n "$(DATA)" || { echo "make retrain DATA=<labelled photos> [MODEL=extraction|quality]"; exit 2; }
	$(BIN)/python -m training.commands.retrain $(DATA) --model $(MODEL) --out $(OUT)/retrain$(if $(filter quality,$(MODEL)),-quality) $(ARGS)

# Here OUT is the file for the scores.
evaluate: $(TRAINING) ## Measure the served models on your own photos: DATA=<labelled folder> [OUT=scores.json]
	@test -n "$(DATA)" || { echo "make evaluate DATA=<labelled folder> [OUT=scores.json]"; exit 2; }
	$(BIN)/python -m training.evaluation.evaluate $(DATA) $(if $(filter-out file,$(origin OUT)),--out $(OUT)) $(ARGS)

accuracy: $(READY) ## Measure accuracy and write docs/accuracy.md (ARGS="--sroie DIR …"; compares with Tesseract if installed)
	OMP_NUM_THREADS=1 $(BIN)/python -m training.evaluation.accuracy --keep $(OUT)/accuracy $(ARGS)

bench: $(READY) ## Measure speed against other OCR and write docs/performance.md (ARGS="--quick"); run on an idle machine
	$(BIN)/python -m benchmarks.performance $(ARGS)

reliability: $(READY) ## Kill, stall, overload and stop the service under load, and write docs/reliability.md (as root also with a full disk)
	$(BIN)/python -m benchmarks.reliability $(ARGS)

LOCUST := build/loadtest
$(LOCUST)/.ready: loadtests/requirements.txt
	$(PYTHON) -m venv $(LOCUST)
	$(LOCUST)/bin/python -m pip install --quiet --requirement $<
	touch $@

bench-pdfs: $(READY) ## Measure PDFs with a text layer against the same pages recognised, for docs/pdf-speed.md (20 min)
	$(BIN)/python -m benchmarks.pdfs $(ARGS)

attacks: $(READY) ## Measure what one caller notices while another attacks, for docs/attacks.md (8 min)
	$(BIN)/python -m benchmarks.attacks $(ARGS)

soak: $(READY) ## Send mixed requests for an hour while parts of the service fail, for docs/soak.md (as root also with a full disk)
	$(BIN)/python -m benchmarks.mixed_soak $(ARGS)

loadtest: $(READY) $(LOCUST)/.ready ## Load test with rising numbers of users, batching on and off; writes docs/load.md (ARGS="--users 1 8 --seconds 10")
	$(BIN)/python -m loadtests.steps --locust $(LOCUST)/bin/locust $(ARGS)

scaling: $(READY) ## Measure one node, simulate many, and write docs/scaling.md (ARGS="--quick"); run on an idle machine
	$(BIN)/python -m benchmarks.scaling $(ARGS)

# In an environment of their own, so that the audited packages do not change.
AUDIT_TOOLS := pip-audit==2.10.1 cyclonedx-bom==7.5.0
# Vulnerabilities that do not apply, as `--ignore-vuln ID`; SECURITY.md gives the reason for each.
AUDIT_IGNORED :=
FUZZ_SECONDS ?= 120
fuzz: $(READY) ## Fuzz the API and the decoders, the latter guided by coverage (build/fuzz.json; FUZZ_SECONDS=120)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest --hypothesis-profile=fuzz tests/http/test_contract.py tests/http/test_hostile_files.py
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.hostile_files $(ARGS)
	$(BIN)/python -m pip install --quiet --constraint requirements.lock --editable '.[fuzz]'
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.fuzz_decoding --seconds $(FUZZ_SECONDS)

contract: $(READY) ## Write docs/openapi.json, the contract of the API, after a change that CHANGELOG.md names
	$(BIN)/python -m tests.http.contract

audit: ## Write an SBOM (build/sbom.cdx.json) and check it for known vulnerabilities; needs the network
	test -x build/audit/bin/python || $(PYTHON) -m venv build/audit
	build/audit/bin/python -m pip install --quiet $(AUDIT_TOOLS)
	build/audit/bin/cyclonedx-py requirements --pyproject pyproject.toml --short-PURLs --output-reproducible \
		--output-file build/sbom.cdx.json requirements.lock
	build/audit/bin/pip-audit --strict --no-deps --disable-pip --requirement requirements.lock $(AUDIT_IGNORED) >build/audit.log 2>&1; \
		status=$$?; cat build/audit.log; \
		if [ $$status = 0 ]; then echo "AUDIT PASSED: the advisory service was reached and knows no vulnerability"; \
		elif grep -qE "^Found [0-9]+ known vulnerabilit" build/audit.log; then echo "AUDIT FAILED: vulnerabilities are known, see above"; \
		else echo "AUDIT NOT DONE: the advisory service was not reached"; fi; exit $$status

bento: $(READY) ## Build the Bento: service, promoted models, serving requirements (WITH=donut for public checkpoints)
	mkdir -p build
	$(BIN)/python deploy/requirements.py $(WITH) > build/requirements.txt
	BENTOML_DO_NOT_TRACK=True $(BIN)/bentoml build

wheel: $(READY) ## Build dist/docextract-….whl with the promoted models, and dist/docextract_client-….whl, for pip install
	$(BIN)/python deploy/wheel.py dist

IMAGE ?= docextract:latest
image: bento ## Build the container image: IMAGE=<name> (BUILD="--build-arg PIP_EXTRA_INDEX_URL=…" without a GPU)
	docker build --file deploy/Dockerfile --tag $(IMAGE) $(BUILD) $$($(BIN)/bentoml get docextract:latest --output path)

release-check: check test wheel check-image ## All that a release needs: checks, tests, wheel, images, the version (CONTRIBUTING.md)
	@$(BIN)/python -c 'import re, tomllib; from pathlib import Path; \
		version = tomllib.loads(Path("pyproject.toml").read_text())["project"]["version"]; \
		top = re.search(r"^## \[(.*?)\]", Path("CHANGELOG.md").read_text(), re.M)[1]; \
		raise SystemExit(version != top and f"pyproject.toml has version {version}, CHANGELOG.md {top}")'

VARIANTS ?= cpu gpu
check-image: bento ## Build the image with buildah and run it: size, start, memory, health, drain (VARIANTS="cpu gpu"; as root)
	$(BIN)/python deploy/check_image.py $(VARIANTS) --bento $$($(BIN)/bentoml get docextract:latest --output path) $(ARGS)

lock: ## Resolve pyproject.toml again and write all versions to requirements.lock
	rm -rf build/lock && $(PYTHON) -m venv build/lock
	build/lock/bin/python -m pip install --quiet --editable '.[dev,fuzz]'
	sed -n '/^#/p' requirements.lock > build/lock/requirements
	build/lock/bin/python -m pip freeze --all --exclude-editable --exclude pip \
		| sed -E -e '/^(triton|cuda-|nvidia-[cn])/d' -e 's/[+].*//' >> build/lock/requirements
	mv build/lock/requirements requirements.lock

clean: ## Remove what these targets have created, except trained weights and measurements (runs)
	rm -rf $(VENV) build dist preview .pytest_cache .mypy_cache .ruff_cache src/*.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
