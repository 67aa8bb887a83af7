# Everything a person or CI runs. `make help` lists it.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
.DEFAULT_GOAL := help

# What `make wheel-index` is told: the wheels, the GPU and the ROCm they were built for, and where the
# wheels will be downloaded from (empty: from beside the index).
WHEELS ?= build/$(ARCH)/pulled
BASE_URL ?=
SITE_URL ?=
SITE ?= build/site
# What `make audit-index` judges: the folder above the architectures, published or on disk.
INDEX_URL ?= $(SITE)/data/wheels

# Versions, architectures and repositories, each once; and the recipes that build images.
include docker/build.mk

# `10.1.0-full` names an image variant; wheels say which ROCm, without it.
ROCM := $(shell echo '$(ROCM_VERSION)' | sed 's/-[a-z]*$$//')

CARGO ?= cargo
PIPELINE := glibc-probe wheel-tagger metapkg index-gen index-audit
DOCUMENTS := build/$(ARCH)

##@ The main job

.PHONY: demo
demo: tools build/clients/.installed ## The main job on real AMD wheels: measure, mark, pin, publish, prove
	demo/run.sh '$(BUILD_TOOLS)'

.PHONY: wheel-index
wheel-index: tools ## The same job on your wheels: WHEELS=dir ARCH=gfx950 ROCM_VERSION=10.1.0-full BASE_URL=https://…
	mkdir -p '$(DOCUMENTS)'
	demo/pipeline.sh '$(BUILD_TOOLS)' '$(DOCUMENTS)' '$(WHEELS)' '$(ROCM)' '$(ARCH)' '$(SITE)' $(if $(BASE_URL),--base-url '$(BASE_URL)') $(if $(SITE_URL),--site-url '$(SITE_URL)')
	@echo 'The site: $(SITE)/index.html (its wheels: $(SITE)/assets/$(ARCH)/assets.json)'

.PHONY: audit-index
audit-index: tools build/clients/.installed ## Resolve a published index for real: ARCH=gfx950 INDEX_URL=https://…/data/wheels
	PATH="$$PWD/build/clients/bin:$$PATH" '$(BUILD_TOOLS)/index-audit' --index '$(INDEX_URL)' --arch '$(ARCH)' --explain

.PHONY: tools
tools: ## Build the release binaries of the pipeline
	$(CARGO) build --release --locked --quiet $(addprefix --package ,$(PIPELINE))

##@ Tests

.PHONY: test
test: oracles fetch-test test-services ## All tests; installs what they need first
	$(CARGO) test --workspace --locked

.PHONY: test-large
test-large: oracles test-services ## The rest of the truth cases and everything over 1 GB (several GB of downloads, an hour)
	build/oracles/bin/python tests/setup/fetch.py demo test large
	$(CARGO) test --workspace --locked --features large

.PHONY: lint
lint: oracles ## What CI refuses: format, clippy, dependencies, spelling, scripts, schemas, drift
	tests/lint/lint.sh

.PHONY: oracles
oracles: build/oracles/.installed ## The pinned judges of the tests, in build/oracles
	tests/buildx/setup.sh

.PHONY: test-services
test-services: ## Debian packages and node modules that tests need, installed only where missing
	tests/registry/setup.sh
	tests/browser/setup.sh
	tests/vendor/setup.sh

.PHONY: fetch-demo fetch-test
fetch-demo: build/clients/.installed ## The demo's wheels into the cache (270 MB)
	build/clients/bin/python tests/setup/fetch.py demo
fetch-test: build/oracles/.installed ## The tests' wheels into the cache
	build/oracles/bin/python tests/setup/fetch.py demo test

build/clients/.installed: demo/clients.txt
	tests/setup/venv.sh build/clients demo/clients.txt
build/oracles/.installed: tests/setup/oracles.txt
	tests/setup/venv.sh build/oracles tests/setup/oracles.txt

##@ Upkeep

.PHONY: schemas
schemas: ## Write schemas/*.json anew from the types
	ROCM_BAKE_WRITE_SCHEMAS=1 $(CARGO) test --quiet --locked --package pipe --features schema --test schemas

.PHONY: lock-python
lock-python: build/oracles/.installed ## Resolve the pinned Python tools anew
	for f in tests/setup/oracles demo/clients; do build/oracles/bin/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links "$$f.in" -o "$$f.txt"; done

.PHONY: bench
bench: oracles ## Measure beside the peers, in one run each; writes docs/benchmarks.md
	benches/run.sh

.PHONY: fuzz
fuzz: ## Coverage-guided fuzzing for a bounded time, where the toolchain can
	fuzz/run.sh

.PHONY: clean
clean: ## Remove build/ (not the wheel cache, not target/)
	rm -rf build

.PHONY: help
help: ## This list
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST) | \
	  awk '{line = ""; n = length($$0) < 79 ? 0 : split($$0, words, " "); for (i = 1; i <= n; i++) {if (length(line words[i]) > 77) {print line; line = sprintf("%18s", "")} line = line (i == 1 ? sprintf("  %-16s", words[i]) : " " words[i])} print n ? line : $$0}'
