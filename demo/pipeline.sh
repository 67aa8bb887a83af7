#!/usr/bin/env bash
# pipeline.sh BIN DOCUMENTS WHEELS ROCM ARCH SITE [INDEX-GEN FLAG]...
# The pipeline over a folder of wheels. Each stage's document stays in DOCUMENTS, so that it can be looked at and any
# stage run again alone. The exit code is that of the first stage that failed: what follows only says that nothing came.
set -uo pipefail
bin=$1 documents=$2 wheels=$3 rocm=$4 arch=$5 site=$6
shift 6

"$bin/glibc-probe" "$wheels" | tee "$documents/1-measured.json" |
  "$bin/wheel-tagger" --rocm "$rocm" --out "$documents/wheels" | tee "$documents/2-tagged.json" |
  "$bin/metapkg" --rocm "$rocm" --arch "$arch" --out "$documents/wheels" | tee "$documents/3-pinned.json" |
  "$bin/index-gen" --arch "$arch" --out "$site" "$@" >"$documents/4-published.json"
codes=("${PIPESTATUS[@]}")
for code in "${codes[@]}"; do
  [ "$code" = 0 ] || exit "$code"
done
