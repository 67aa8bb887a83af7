# Sixteen targets, and every tag they are published under.
#
#   docker buildx bake -f docker-bake.hcl --print         what would be built
#   tag-planner --arch gfx950,gfx1201 --format table      the same, checked, in the order to build in
#
# A target is built from a stage of its own Dockerfile, or FROM an image that is already published. The
# latter is named by a build argument and not linked by `target:`, because a linked target is rebuilt
# in passing and not pushed. The price is an order to build in, which tag-planner tells.
# Every value is quoted: unquoted, 3.10 would become 3.1. An empty environment variable counts, too.

# --- What is built, and where it goes --------------------------------------------------------------

variable "REGISTRY" {
  default = "snoc-strix.fold-leaffish.ts.net:8080/rocm-pytorch"
}

# The commit that is built, 7 to 40 hex digits; empty: no immutable tag.
variable "VCS_REF" {
  default = ""
}

# One GPU architecture: an image holds the kernels of one card.
variable "ARCH" {
  default = "gfx950"
}

# --- What it stands on -----------------------------------------------------------------------------

# The tag of the upstream image, variant included; wheels say rocm10.1.0.
variable "ROCM_VERSION" {
  default = "10.1.0-full"
}

variable "ROCM_IMAGE" {
  default = "rocm/dev-ubuntu-26.04"
}

# `sha256:...` of that image; empty follows its tag.
variable "ROCM_DIGEST" {
  default = ""
}

# Sources are cloned in a plain image, so that they depend on no ROCm and no card.
variable "UBUNTU_IMAGE" {
  default = "ubuntu:26.04"
}

variable "UBUNTU_DIGEST" {
  default = ""
}

variable "PYTHON_VERSION" {
  default = "3.14"
}

# --- Versions: what a tag names, and the commit or tag that is checked out -------------------------

variable "PYTORCH_VERSION" {
  default = "2.15.0"
}

variable "PYTORCH_REF" {
  default = "31a77fc"
}

variable "TRITON_VERSION" {
  default = "3.9.0"
}

variable "TRITON_REF" {
  default = "aad2a60d"
}

variable "AITER_REF" {
  default = "v0.1.28"
}

variable "TORCHVISION_REF" {
  default = "v0.29.2"
}

variable "CUPY_REF" {
  default = "v14.2.0"
}

variable "NIXL_REF" {
  default = "v1.5.2"
}

variable "VLLM_REF" {
  default = "v0.33.0"
}

variable "LMCACHE_REF" {
  default = "v0.5.7"
}

# --- The versioned tag of each image, written once: published under, and built FROM ----------------

rocm_runtime_tag = "${ROCM_VERSION}-${ARCH}"
pytorch_src_tag  = "${PYTORCH_VERSION}"
base_tag         = "${ROCM_VERSION}-${PYTHON_VERSION}-${ARCH}"
pytorch_tag      = "${PYTORCH_VERSION}-${ROCM_VERSION}-${ARCH}"
triton_tag       = "${TRITON_VERSION}-${ROCM_VERSION}"
torchvision_tag  = "${TORCHVISION_REF}-${ROCM_VERSION}-${ARCH}"
cupy_tag         = "${CUPY_REF}-${ROCM_VERSION}-${ARCH}"
nixl_tag         = "${NIXL_REF}-${ROCM_VERSION}-${ARCH}"
vllm_tag         = "${VLLM_REF}-${ROCM_VERSION}-${ARCH}"
lmcache_tag      = "${LMCACHE_REF}-${ROCM_VERSION}-${ARCH}"

# A published image of ours.
function "image" {
  params = [repository, tag]
  result = "${REGISTRY}/${repository}:${tag}"
}

# An image of somebody else's, by digest as soon as one is known.
function "pinned" {
  params = [reference, digest]
  result = equal("", digest) ? reference : "${reference}@${digest}"
}

# The three tags of a target: versioned, latest, and one for the commit that never moves. The suffix
# stands behind the version in all three, for a target that shares its repository with another.
function "tags" {
  params = [repository, tag, suffix]
  result = compact([
    image(repository, "${tag}${suffix}"),
    image(repository, "latest${suffix}"),
    equal("", VCS_REF) ? "" : image(repository, "${tag}${suffix}-g${VCS_REF}"),
  ])
}

# Where a target leaves its layers. Two cards never share one: the last to finish would evict the other.
function "cache" {
  params = [target]
  result = "type=registry,ref=${REGISTRY}/${target}-cache:${ARCH}"
}

function "cache_out" {
  params = [target]
  result = "${cache(target)},mode=max,ignore-error=true"
}

# --- Groups ----------------------------------------------------------------------------------------

# pytorch-run and pytorch-test are left out: nothing is built from them, and whoever builds everything
# wants what is published for use.
group "default" {
  targets = [
    "rocm-runtime", "pytorch-src", "pytorch-base", "pytorch", "pytorch-wheel", "triton-wheel",
    "aiter-wheel", "torchvision-wheel", "cupy-wheel", "nixl-wheel", "vllm", "vllm-wheel", "lmcache",
    "lmcache-wheel",
  ]
}

# The repositories that wheels are pulled from; WHEEL_REPOS in the Makefile is the same set.
group "wheels" {
  targets = [
    "pytorch-wheel", "triton-wheel", "aiter-wheel", "nixl-wheel", "torchvision-wheel", "cupy-wheel",
    "vllm-wheel", "lmcache-wheel",
  ]
}

group "serving" {
  targets = [
    "torchvision-wheel", "cupy-wheel", "nixl-wheel", "vllm", "vllm-wheel", "lmcache", "lmcache-wheel",
  ]
}

# --- Parents ---------------------------------------------------------------------------------------

target "_common" {
  context   = "."
  platforms = ["linux/amd64"]
  labels = {
    "org.opencontainers.image.revision" = VCS_REF
  }
}

# An image that holds nothing but /wheels/*.whl. Without provenance it is one manifest, not an index.
target "_wheel" {
  inherits = ["_common"]
  target   = "wheel"
  attest   = ["type=provenance,disabled=true"]
}

# --- ROCm and Python -------------------------------------------------------------------------------

target "rocm-runtime" {
  inherits   = ["_common"]
  dockerfile = "docker/Dockerfile.base"
  target     = "rocm-runtime"
  args = {
    ROCM_IMAGE = pinned("${ROCM_IMAGE}:${ROCM_VERSION}", ROCM_DIGEST)
    ARCH       = ARCH
  }
  tags       = tags("rocm-runtime", rocm_runtime_tag, "")
  cache-from = [cache("rocm-runtime")]
  cache-to   = [cache_out("rocm-runtime")]
}

# Its FROM is the stage rocm-runtime of the same file.
target "pytorch-base" {
  inherits   = ["rocm-runtime"]
  target     = "base"
  args       = { PYTHON_VERSION = PYTHON_VERSION }
  tags       = tags("base", base_tag, "")
  cache-from = [cache("pytorch-base")]
  cache-to   = [cache_out("pytorch-base")]
}

# --- PyTorch ---------------------------------------------------------------------------------------

# No architecture and no ROCm: a checkout with its submodules.
target "pytorch-src" {
  inherits   = ["_common"]
  dockerfile = "docker/Dockerfile.pytorch"
  target     = "source"
  args = {
    UBUNTU_IMAGE    = pinned(UBUNTU_IMAGE, UBUNTU_DIGEST)
    PYTORCH_VERSION = PYTORCH_VERSION
    PYTORCH_REF     = PYTORCH_REF
  }
  tags       = tags("pytorch-src", pytorch_src_tag, "")
  cache-from = ["type=registry,ref=${REGISTRY}/pytorch-src-cache:noarch"]
  cache-to   = ["type=registry,ref=${REGISTRY}/pytorch-src-cache:noarch,mode=max,ignore-error=true"]
}

target "pytorch" {
  inherits   = ["_common"]
  dockerfile = "docker/Dockerfile.pytorch"
  target     = "pytorch"
  args = {
    BASE_IMAGE        = image("base", base_tag)
    TRITON_IMAGE      = image("triton-wheel", triton_tag)
    UBUNTU_IMAGE      = pinned(UBUNTU_IMAGE, UBUNTU_DIGEST)
    PYTORCH_VERSION   = PYTORCH_VERSION
    PYTORCH_REF       = PYTORCH_REF
    PYTORCH_ROCM_ARCH = ARCH
  }
  tags       = tags("pytorch", pytorch_tag, "")
  cache-from = [cache("pytorch")]
  cache-to   = [cache_out("pytorch")]
}

# The same build stage as pytorch, so built once when both are asked for.
target "pytorch-wheel" {
  inherits   = ["pytorch", "_wheel"]
  tags       = tags("pytorch-wheel", pytorch_tag, "")
  cache-from = [cache("pytorch-wheel")]
  cache-to   = [cache_out("pytorch-wheel")]
}

# Shares pytorch's repository; without the suffix it would overwrite pytorch:latest.
target "pytorch-test" {
  inherits   = ["pytorch"]
  target     = "test"
  tags       = tags("pytorch", pytorch_tag, "-test")
  cache-from = [cache("pytorch-test")]
  cache-to   = [cache_out("pytorch-test")]
}

# Compiles nothing, but the torch wheel that it copies is one card's, and so is its tag.
target "pytorch-run" {
  inherits   = ["_common"]
  dockerfile = "docker/Dockerfile.runtime"
  args = {
    UBUNTU_IMAGE       = pinned(UBUNTU_IMAGE, UBUNTU_DIGEST)
    ROCM_RUNTIME_IMAGE = image("rocm-runtime", rocm_runtime_tag)
    PYTORCH_IMAGE      = image("pytorch", pytorch_tag)
    PYTHON_VERSION     = PYTHON_VERSION
  }
  tags       = tags("runtime", pytorch_tag, "")
  cache-from = [cache("pytorch-run")]
  cache-to   = [cache_out("pytorch-run")]
}

# --- Wheels ----------------------------------------------------------------------------------------

# A compiler: one wheel for every card, so no architecture in the tag.
target "triton-wheel" {
  inherits   = ["_wheel"]
  dockerfile = "docker/Dockerfile.triton"
  args = {
    BASE_IMAGE     = image("base", base_tag)
    TRITON_VERSION = TRITON_VERSION
    TRITON_REF     = TRITON_REF
  }
  tags       = tags("triton-wheel", triton_tag, "")
  cache-from = [cache("triton-wheel")]
  cache-to   = [cache_out("triton-wheel")]
}

target "aiter-wheel" {
  inherits   = ["_wheel"]
  dockerfile = "docker/Dockerfile.aiter"
  args = {
    PYTORCH_IMAGE     = image("pytorch", pytorch_tag)
    AITER_REF         = AITER_REF
    PYTORCH_ROCM_ARCH = ARCH
  }
  tags       = tags("aiter-wheel", pytorch_tag, "")
  cache-from = [cache("aiter-wheel")]
  cache-to   = [cache_out("aiter-wheel")]
}

target "torchvision-wheel" {
  inherits   = ["_wheel"]
  dockerfile = "docker/Dockerfile.torchvision"
  args = {
    PYTORCH_IMAGE     = image("pytorch", pytorch_tag)
    TORCHVISION_REF   = TORCHVISION_REF
    PYTORCH_ROCM_ARCH = ARCH
  }
  tags       = tags("torchvision-wheel", torchvision_tag, "")
  cache-from = [cache("torchvision-wheel")]
  cache-to   = [cache_out("torchvision-wheel")]
}

target "cupy-wheel" {
  inherits   = ["_wheel"]
  dockerfile = "docker/Dockerfile.cupy"
  args = {
    BASE_IMAGE        = image("base", base_tag)
    CUPY_REF          = CUPY_REF
    PYTORCH_ROCM_ARCH = ARCH
  }
  tags       = tags("cupy-wheel", cupy_tag, "")
  cache-from = [cache("cupy-wheel")]
  cache-to   = [cache_out("cupy-wheel")]
}

target "nixl-wheel" {
  inherits   = ["_wheel"]
  dockerfile = "docker/Dockerfile.nixl"
  args = {
    PYTORCH_IMAGE = image("pytorch", pytorch_tag)
    NIXL_REF      = NIXL_REF
  }
  tags       = tags("nixl-wheel", nixl_tag, "")
  cache-from = [cache("nixl-wheel")]
  cache-to   = [cache_out("nixl-wheel")]
}

# --- Serving ---------------------------------------------------------------------------------------

target "vllm" {
  inherits   = ["_common"]
  dockerfile = "docker/Dockerfile.vllm"
  target     = "vllm"
  args = {
    PYTORCH_IMAGE     = image("pytorch", pytorch_tag)
    AITER_IMAGE       = image("aiter-wheel", pytorch_tag)
    TORCHVISION_IMAGE = image("torchvision-wheel", torchvision_tag)
    VLLM_REF          = VLLM_REF
    PYTORCH_ROCM_ARCH = ARCH
  }
  tags       = tags("vllm", vllm_tag, "")
  cache-from = [cache("vllm")]
  cache-to   = [cache_out("vllm")]
}

target "vllm-wheel" {
  inherits   = ["vllm", "_wheel"]
  tags       = tags("vllm-wheel", vllm_tag, "")
  cache-from = [cache("vllm-wheel")]
  cache-to   = [cache_out("vllm-wheel")]
}

target "lmcache" {
  inherits   = ["_common"]
  dockerfile = "docker/Dockerfile.lmcache"
  target     = "lmcache"
  args = {
    VLLM_IMAGE        = image("vllm", vllm_tag)
    CUPY_IMAGE        = image("cupy-wheel", cupy_tag)
    NIXL_IMAGE        = image("nixl-wheel", nixl_tag)
    LMCACHE_REF       = LMCACHE_REF
    PYTORCH_ROCM_ARCH = ARCH
  }
  tags       = tags("lmcache", lmcache_tag, "")
  cache-from = [cache("lmcache")]
  cache-to   = [cache_out("lmcache")]
}

target "lmcache-wheel" {
  inherits   = ["lmcache", "_wheel"]
  tags       = tags("lmcache-wheel", lmcache_tag, "")
  cache-from = [cache("lmcache-wheel")]
  cache-to   = [cache_out("lmcache-wheel")]
}
