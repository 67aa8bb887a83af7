#!/usr/bin/env bash
# run.sh BIN: the main job on real AMD wheels, from a folder of wheels to an index that pip and uv resolve against.
# Every step can be interrupted and run again; a second run downloads nothing and changes no byte of the site.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$1
arch=gfx950 rocm=10.1.0 python=3.14
documents=build/$arch site=build/site
clients=$PWD/build/clients/bin
cache=${XDG_CACHE_HOME:-$HOME/.cache}/rocm-bake/wheels
foreign=sglang_kernel_rdna3   # the wheel that holds code for gfx1100 only

times=()
step() { # step NAME: says what comes now and takes the time of what came before
  local now; now=$(date +%s.%N)
  [ -z "${current:-}" ] || times+=("$(awk -v a="$began" -v b="$now" -v s="$current" 'BEGIN {printf "%7.1f s  %s", b - a, s}')")
  current=$1 began=$now
  [ -z "$1" ] || printf '\n== %s\n' "$1"
}

step "Fetch seven real wheels (once)"
"$clients/python" tests/setup/fetch.py demo
rm -rf build/demo && mkdir -p build/demo/all build/demo/ours "$documents"
while IFS=$'\t' read -r set _ _ filename _; do
  [ "$set" = demo ] || continue
  ln -s "$cache/$filename" "build/demo/all/$filename"
  case $filename in "$foreign"*) ;; *) ln -s "$cache/$filename" "build/demo/ours/$filename" ;; esac
done <tests/data/wheels.tsv

step "Measure, mark, pin and publish the six that are for $arch"
demo/pipeline.sh "$bin" "$documents" build/demo/ours "$rocm" "$arch" "$site"
ls -1 "$documents"/*.json

step "Refuse the wheel for another GPU"
mkdir -p build/demo/refused
code=0
{ cat "$documents/2-tagged.json" && "$bin/glibc-probe" "build/demo/all/$foreign"*.whl |
  "$bin/wheel-tagger" --quiet --rocm "$rocm" --out build/demo/refused; } |
  "$bin/index-gen" --arch "$arch" --out build/demo/refused/site || code=$?
[ "$code" = 1 ] || { echo "demo: expected exit 1 from the set with $foreign, got $code" >&2; exit 2; }
[ ! -e build/demo/refused/site ] || { echo "demo: the refused set left a site behind" >&2; exit 2; }
echo "exit $code: of all seven, nothing was published"

step "Resolve rocm-torch[device-$arch] with pip and with uv, target Python $python"
: >build/demo/server.log   # the loop below reads it, maybe before the server writes
"$clients/python" -u -m http.server 0 --bind 127.0.0.1 --directory "$site" >build/demo/server.log 2>&1 &
trap 'kill %1 2>/dev/null' EXIT
until port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' build/demo/server.log | head -1) && [ -n "$port" ]; do
  kill -0 %1 2>/dev/null || { cat build/demo/server.log >&2; exit 2; }
  sleep 0.1
done
root=http://127.0.0.1:$port/data/wheels index=$root/$arch/
platforms=(--platform linux_x86_64)
for minor in $(seq 39 -1 17); do platforms+=(--platform "manylinux_2_${minor}_x86_64"); done
pip_target=(--dry-run --ignore-installed --quiet --report - --target build/demo/unused --only-binary :all:
  --implementation cp --python-version "$python" "${platforms[@]}" --platform manylinux2014_x86_64)
uv_target=(--quiet --no-header --only-binary :all: --format pylock.toml
  --python-version "$python" --python-platform x86_64-manylinux_2_39)
judge() { "$bin/index-audit" --index "$root" --arch "$arch" --report - --explain; }

"$clients/pip" install "${pip_target[@]}" --extra-index-url "$index" "rocm-torch[device-$arch]" >build/demo/pip.json
judge <build/demo/pip.json
echo "rocm-torch[device-$arch]" | "$clients/uv" pip compile - "${uv_target[@]}" --index "$index" >build/demo/pylock.toml
judge <build/demo/pylock.toml

step "What a user of the bare names would have got"
for name in torch nixl; do
  code=0
  echo "$name" | "$clients/uv" pip compile - "${uv_target[@]}" --index "$index" >build/demo/bare.toml
  "$bin/index-audit" --index "$root" --arch "$arch" --report - --quiet <build/demo/bare.toml >build/demo/bare.json || code=$?
  [ "$code" = 1 ] || { echo "demo: bare $name was expected to bring CUDA (exit 1), got $code" >&2; exit 2; }
  "$clients/python" demo/bare.py "$name" build/demo/bare.json
done

step "Install what this Python can take, into a fresh environment"
"$clients/python" -m venv build/demo/env
mapfile -t pins < <("$clients/python" demo/installable.py "$documents/2-tagged.json")
"$clients/pip" --python build/demo/env/bin/python install --quiet --extra-index-url "$index" "${pins[@]}"
"$clients/pip" --python build/demo/env/bin/python check
"$clients/pip" --python build/demo/env/bin/python list | sed -n "/rocm$rocm/p"

step "The index"
"$bin/index-gen" --arch "$arch" --out "$site" --explain <"$documents/3-pinned.json"
step ""
printf '\n'; printf '%s\n' "${times[@]}"
printf '\nThe site: %s (open %s/index.html)\n' "$PWD/$site" "$site"
