# What is built, and the recipes that build and publish it. The Makefile includes this file.
#
# Each variable has the name and the default that it has in docker-bake.hcl, and reaches buildx through the environment;
# check-defaults proves that the two agree. Command line and environment win, an empty value too, as in buildx.

REGISTRY        ?= snoc-strix.fold-leaffish.ts.net:8080/rocm-pytorch
VCS_REF         ?=
ARCH            ?= gfx950
ROCM_VERSION    ?= 10.1.0-full
ROCM_IMAGE      ?= rocm/dev-ubuntu-26.04
ROCM_DIGEST     ?=
UBUNTU_IMAGE    ?= ubuntu:26.04
UBUNTU_DIGEST   ?=
PYTHON_VERSION  ?= 3.14
PYTORCH_VERSION ?= 2.15.0
PYTORCH_REF     ?= 31a77fc
TRITON_VERSION  ?= 3.9.0
TRITON_REF      ?= aad2a60d
AITER_REF       ?= v0.1.28
TORCHVISION_REF ?= v0.29.2
CUPY_REF        ?= v14.2.0
NIXL_REF        ?= v1.5.2
VLLM_REF        ?= v0.33.0
LMCACHE_REF     ?= v0.5.7

BAKE_VARIABLES := REGISTRY VCS_REF ARCH ROCM_VERSION ROCM_IMAGE ROCM_DIGEST UBUNTU_IMAGE UBUNTU_DIGEST \
  PYTHON_VERSION PYTORCH_VERSION PYTORCH_REF TRITON_VERSION TRITON_REF AITER_REF TORCHVISION_REF CUPY_REF \
  NIXL_REF VLLM_REF LMCACHE_REF
# Only for the recipes that evaluate the bake file: tests are to see the defaults.
$(foreach name,$(BAKE_VARIABLES),$(eval image images plan wheelhouse pull: export $(name) = $($(name))))

# Every card that an index is published for.
ARCHES ?= gfx950 gfx1201 gfx1151 gfx1250

# The repositories that wheels are pulled from: those of the bake group `wheels`.
WHEEL_REPOS := pytorch-wheel triton-wheel aiter-wheel nixl-wheel torchvision-wheel cupy-wheel vllm-wheel lmcache-wheel

# What clean-cache removes of the *-cache repositories: the images that are built one FROM the other, the largest by far.
CLEAN_CACHES := pytorch-base-cache pytorch-cache vllm-cache lmcache-cache

# The registry without the path that all repositories share; what `make zot-tags` asks.
comma := ,
space := $(subst ,, )
REGISTRY_HOST = $(firstword $(subst /, ,$(REGISTRY)))
BUILD_TOOLS = $(or $(CARGO_TARGET_DIR),target)/release

# PUSH=1 publishes, else the image goes to the local daemon. MAX_JOBS limits the compilers. SCCACHE_ENV_FILE is a file of
# sccache's variables, which becomes the secret `sccache`; by the environment, since newer releases of buildx ask before
# they read a file outside the context. The date of the commit makes equal inputs equal images.
BAKE = SOURCE_DATE_EPOCH="$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct)}" \
  $(if $(SCCACHE_ENV_FILE),SCCACHE_ENV="$$(cat '$(SCCACHE_ENV_FILE)')") docker buildx bake -f docker-bake.hcl \
  $(if $(PUSH),--push,--load) $(if $(MAX_JOBS),--set '*.args.MAX_JOBS=$(MAX_JOBS)') \
  $(if $(SCCACHE_ENV_FILE),--set '*.secrets=type=env$(comma)id=sccache$(comma)env=SCCACHE_ENV')

##@ Images

.PHONY: image
image: ## Build one bake target: TARGET=pytorch ARCH=gfx950 [PUSH=1] [VCS_REF=…] [MAX_JOBS=…] [SCCACHE_ENV_FILE=…]
	$(if $(filter command line,$(origin TARGET)),,$(error name the target: make image TARGET=pytorch ARCH=$(ARCH)))
	$(BAKE) '$(TARGET)'

.PHONY: images
images: GROUP ?= default
images: ## Build a group for one card: GROUP=wheels ARCH=gfx950 [PUSH=1]; wheels and serving need published images
	$(BAKE) '$(GROUP)'

.PHONY: plan
plan: planner ## Every tag that would be published for every card, checked, in the order to build in
	'$(BUILD_TOOLS)/tag-planner' --arch '$(subst $(space),$(comma),$(strip $(ARCHES)))' --format table

# How every call of wheelhouse reaches the registry; WHEELHOUSE_FLAGS are further ones (--ca-file, --deadline, -v).
WHEELHOUSE_FLAGS ?=
REACH = $(if $(PLAIN_HTTP),--plain-http '$(PLAIN_HTTP)') $(WHEELHOUSE_FLAGS)

.PHONY: zot-tags
zot-tags: planner ## What a repository has published: REPO=rocm-pytorch/pytorch [PLAIN_HTTP=host:port] [WHEELHOUSE_FLAGS=…]
	$(if $(REPO),,$(error name the repository: make zot-tags REPO=rocm-pytorch/pytorch))
	'$(BUILD_TOOLS)/wheelhouse' tags '$(REPO)' --registry '$(REGISTRY_HOST)' --explain $(REACH)

.PHONY: wheelhouse
wheelhouse: wheels-missing pull ## Plan, say what is not published yet, and pull the wheels of one card: ARCH=gfx950, as for pull

.PHONY: pull
pull: build/$(ARCH)/pulled.json ## Published wheels into build/$ARCH/pulled: ARCH=gfx950 [PARTIAL=1] [PLAIN_HTTP=host:port] [WHEELHOUSE_FLAGS=…]

build/$(ARCH)/plan.json: planner
	mkdir -p '$(@D)' && '$(BUILD_TOOLS)/tag-planner' --arch '$(ARCH)' --group wheels >'$@'

# Exit 1 says that something is not published; whether the wheels are whole without it is for pull to say.
.PHONY: wheels-missing
wheels-missing: build/$(ARCH)/plan.json
	'$(BUILD_TOOLS)/wheelhouse' missing --explain $(REACH) <'$<' || [ $$? = 1 ]

build/$(ARCH)/pulled.json: build/$(ARCH)/plan.json
	'$(BUILD_TOOLS)/wheelhouse' pull --out '$(@D)/pulled' $(if $(PARTIAL),--partial) $(REACH) <'$<' >'$@'

.PHONY: clean-cache
clean-cache: ## Remove the local copies of the largest cache images; the registry is pruned on its own
	for repo in $(CLEAN_CACHES); do docker image ls --quiet "$(REGISTRY)/$$repo" | sort -u | xargs --no-run-if-empty docker image rm --force; done

.PHONY: planner
planner:
	$(CARGO) build --release --locked --quiet --package tag-planner --package wheelhouse

# The pages are rewritten between the planner's two markers, from the defaults and not from this environment.
.PHONY: page-tables
page-tables: planner ## Write the tables of targets and tags on the pages anew
	mkdir -p build && env -i '$(BUILD_TOOLS)/tag-planner' --format markdown >build/tables.md
	for page in $$(grep -l '^<!-- tag-planner: begin -->' docs/*.md); do sed -i -e '/^<!-- tag-planner: begin -->/,/^<!-- tag-planner: end -->/{/^<!--/!d}' -e '/^<!-- tag-planner: begin -->/r build/tables.md' "$$page"; done

.PHONY: lock-build-tools
lock-build-tools: build/oracles/.installed ## Resolve docker/build-tools.txt anew
	build/oracles/bin/uv pip compile -q --generate-hashes --python-version '$(PYTHON_VERSION)' --python-platform x86_64-manylinux_2_39 --only-binary :all: --no-header --no-annotate --no-emit-index-url docker/build-tools.in -o docker/build-tools.txt

# The images of wheels are really built in the tests.
test-services: buildah
.PHONY: buildah
buildah:
	tests/wheel-images/setup.sh
