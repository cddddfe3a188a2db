# Everything needs only python3.11+ and make: a verb sets up $(VENV) first, and again when the lock file changes.
PYTHON ?= python3
VENV ?= .venv
HOST ?= 127.0.0.1
PORT ?= 3000
OUT ?= runs

BIN := $(VENV)/bin
READY := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help serve test check format preview train-quality train-extraction train-zones train-reader train-language train-donut retrain evaluate accuracy bench reliability loadtest scaling fuzz audit bento image check-image lock clean

help: ## List the verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-18s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

$(READY): pyproject.toml requirements.lock
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "docextract needs Python 3.11 or newer; say which with PYTHON=python3.12")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint requirements.lock --editable '.[dev]'
	touch $@

serve: $(READY) ## Serve on http://127.0.0.1:3000 (HOST=, PORT=)
	BENTOML_DO_NOT_TRACK=True $(BIN)/bentoml serve service:DocumentService --host $(HOST) --port $(PORT)

# One thread for each process: the networks in the tests are tiny, and threads that wait for each other spin.
test: $(READY) ## Run all tests (ARGS="-m 'not processes'" for the quick ones)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest $(ARGS)

check: $(READY) ## Lint, formatting and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(READY) ## Format the code and mend what the linter can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

preview: $(READY) ## A contact sheet of synthetic photographs (OUT=runs)
	mkdir -p $(OUT)
	$(BIN)/python -m training.synth.preview $(OUT)/preview.jpg $(ARGS)

train-quality: $(READY) ## Train the quality network (OUT=runs, ARGS="--sroie DIR …")
	$(BIN)/python -m training.tasks.quality.train training/configs/quality.toml --out $(OUT)/quality $(ARGS)

train-extraction: $(READY) ## Train the extraction network (OUT=runs, ARGS="--sroie DIR …")
	$(BIN)/python -m training.tasks.layout.train training/configs/layout.toml --out $(OUT)/extraction $(ARGS)

train-zones: $(READY) ## Train the reader of machine-readable zones, to lie beside the served extraction weights (OUT=runs)
	$(BIN)/python -m training.tasks.zones.train training/configs/zones.toml --out $(OUT)/zones --extraction models/extraction/weights $(ARGS)

train-reader: $(READY) ## Train the reader of print, to lie beside the served extraction weights (OUT=runs, ARGS="--sroie DIR …")
	$(BIN)/python -m training.tasks.ocr.train training/configs/ocr.toml --out $(OUT)/reader --start models/extraction/weights --extraction models/extraction/weights $(ARGS)

train-language: $(READY) ## Train what lines are likely to say, to lie beside the served extraction weights (OUT=runs, ARGS="--sroie DIR …")
	$(BIN)/python -m training.tasks.language.train training/configs/language.toml --out $(OUT)/language --extraction models/extraction/weights $(ARGS)

train-donut: $(READY) ## Train a Donut, the OCR-free architecture, on a GPU if there is one (OUT=runs, ARGS="--surfaces DIR --workers 14")
	$(BIN)/python -m training.tasks.donut.train training/configs/donut.toml --out $(OUT)/donut $(ARGS)

MODEL ?= extraction
retrain: $(READY) ## Go on from the served weights with your own documents: DATA=<labelled photos> [MODEL=quality]
	@test -n "$(DATA)" || { echo "make retrain DATA=<labelled photos> [MODEL=extraction|quality]"; exit 2; }
	$(BIN)/python -m training.commands.retrain $(DATA) --model $(MODEL) --out $(OUT)/retrain$(if $(filter quality,$(MODEL)),-quality) $(ARGS)

# Here OUT, when given, is the file that the scores are written to.
evaluate: $(READY) ## Score the served models on your own photos: DATA=<labelled folder> [OUT=scores.json]
	@test -n "$(DATA)" || { echo "make evaluate DATA=<labelled folder> [OUT=scores.json]"; exit 2; }
	$(BIN)/python -m training.evaluation.evaluate $(DATA) $(if $(filter-out file,$(origin OUT)),--out $(OUT)) $(ARGS)

accuracy: $(READY) ## Measure everything and write docs/accuracy.md (ARGS="--sroie DIR …"; Tesseract, if installed, is compared with)
	OMP_NUM_THREADS=1 $(BIN)/python -m training.evaluation.accuracy --keep $(OUT)/accuracy $(ARGS)

bench: $(READY) ## Measure speed beside other readers and write docs/performance.md (ARGS="--quick"); leave the machine alone
	$(BIN)/python -m benchmarks.performance $(ARGS)

reliability: $(READY) ## Kill, stall, flood and end the service under load, and write docs/reliability.md (as root, its disk too)
	$(BIN)/python -m benchmarks.reliability $(ARGS)

LOCUST := build/loadtest
$(LOCUST)/.ready: loadtests/requirements.txt
	$(PYTHON) -m venv $(LOCUST)
	$(LOCUST)/bin/python -m pip install --quiet --requirement $<
	touch $@

loadtest: $(READY) $(LOCUST)/.ready ## More and more users, batching on and off: docs/load.md (ARGS="--users 1 8 --seconds 10")
	$(BIN)/python -m loadtests.steps --locust $(LOCUST)/bin/locust $(ARGS)

scaling: $(READY) ## Measure one node, simulate many, and write docs/scaling.md (ARGS="--quick"); leave the machine alone
	$(BIN)/python -m benchmarks.scaling $(ARGS)

# In an environment of their own: what is looked at does not change with what looks.
AUDIT_TOOLS := pip-audit==2.10.1 cyclonedx-bom==7.5.0
# Weaknesses that do not concern us, as `--ignore-vuln ID`; SECURITY.md says of each why not.
AUDIT_IGNORED :=
FUZZ_SECONDS ?= 120
fuzz: $(READY) ## Thousands of requests and damaged files, and files changed by what they reach (build/fuzz.json; FUZZ_SECONDS=120)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest --hypothesis-profile=fuzz tests/http/test_contract.py tests/http/test_hostile_files.py
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.hostile_files $(ARGS)
	$(BIN)/python -m pip install --quiet --constraint requirements.lock --editable '.[fuzz]'
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.fuzz_decoding --seconds $(FUZZ_SECONDS)

audit: ## List what docextract is made of (build/sbom.cdx.json), and look it up for known weaknesses; needs the network
	test -x build/audit/bin/python || $(PYTHON) -m venv build/audit
	build/audit/bin/python -m pip install --quiet $(AUDIT_TOOLS)
	build/audit/bin/cyclonedx-py requirements --pyproject pyproject.toml --short-PURLs --output-reproducible \
		--output-file build/sbom.cdx.json requirements.lock
	build/audit/bin/pip-audit --strict --no-deps --disable-pip --requirement requirements.lock $(AUDIT_IGNORED)

bento: $(READY) ## Pack the service, the promoted models and the requirements of serving (WITH=donut for public checkpoints)
	mkdir -p build
	$(BIN)/python deploy/requirements.py $(WITH) > build/requirements.txt
	BENTOML_DO_NOT_TRACK=True $(BIN)/bentoml build

IMAGE ?= docextract:latest
image: bento ## Build the container's image: IMAGE=<name> (BUILD="--build-arg PIP_EXTRA_INDEX_URL=…" for machines without a GPU)
	docker build --file deploy/Dockerfile --tag $(IMAGE) $(BUILD) $$($(BIN)/bentoml get docextract:latest --output path)

check-image: $(READY) ## Install what the image holds and run its command as its own user: size, start (PYTHON=python3.11; minutes)
	mkdir -p build && $(BIN)/python deploy/requirements.py > build/requirements.txt
	rm -rf build/image && $(PYTHON) -m venv --without-pip build/image
	$(BIN)/python -m pip --python build/image/bin/python install --quiet --no-cache-dir --only-binary :all: \
		--requirement build/requirements.txt
	du --summarize --human-readable --apparent-size build/image
	IMAGE_VENV=build/image $(BIN)/python -m pytest tests/deploy/test_image.py

lock: ## Resolve pyproject.toml anew and write every version to requirements.lock
	rm -rf build/lock && $(PYTHON) -m venv build/lock
	build/lock/bin/python -m pip install --quiet --editable '.[dev]'
	sed -n '/^#/p' requirements.lock > build/lock/requirements
	build/lock/bin/python -m pip freeze --all --exclude-editable --exclude pip \
		| sed -E -e '/^(triton|cuda-|nvidia-[cn])/d' -e 's/[+].*//' >> build/lock/requirements
	mv build/lock/requirements requirements.lock

clean: ## Remove what these verbs have made
	rm -rf $(VENV) build runs preview .pytest_cache .mypy_cache .ruff_cache src/*.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
