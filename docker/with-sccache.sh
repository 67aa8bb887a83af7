#!/usr/bin/env bash
# with-sccache.sh COMMAND...: runs COMMAND with sccache before the C, C++ and HIP compilers.
#
# Where the cache is, and the key to it, is the secret `sccache`: lines NAME=VALUE of sccache's own variables
# (SCCACHE_BUCKET, SCCACHE_WEBDAV_ENDPOINT, SCCACHE_REDIS_ENDPOINT...). Without it the cache is the folder
# ~/.cache/sccache, which the build keeps as a cache mount.
set -euo pipefail

secret=${SCCACHE_SECRET:-/run/secrets/sccache}
if [ -f "$secret" ]; then
  set -a
  # shellcheck source=/dev/null
  . "$secret"
  set +a
fi

# hipcc looks for its clang in HIP_CLANG_PATH. A folder of its own, since a wrapper in ROCm's would break its discovery.
# The path is fixed, so that it is the same in every build that shares a cache.
wrappers=/tmp/sccache-wrappers
mkdir -p "$wrappers"
for compiler in clang clang++; do
  printf '#!/bin/sh\nexec sccache "%s/llvm/bin/%s" "$@"\n' "${ROCM_PATH:-/opt/rocm}" "$compiler" >"$wrappers/$compiler"
  chmod 755 "$wrappers/$compiler"
done
export HIP_CLANG_PATH=$wrappers CMAKE_C_COMPILER_LAUNCHER=sccache CMAKE_CXX_COMPILER_LAUNCHER=sccache
# A cache that cannot be reached makes a build slower, not red.
export SCCACHE_IDLE_TIMEOUT=0 SCCACHE_IGNORE_SERVER_IO_ERROR=1

status=0
"$@" || status=$?
sccache --show-stats || true
# The server writes in the background; what it has not written when the step ends is lost.
sccache --stop-server >/dev/null 2>&1 || true
rm -rf "$wrappers"
exit "$status"
