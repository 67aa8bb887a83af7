#!/usr/bin/env bash
# run.sh [NAME]...: every benchmark, or those named, each beside its peers in one run; docs/benchmarks.md is put together
# anew from the sections, which stay in build/bench/.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --locked --quiet --workspace
[ -x /usr/bin/time ] || { echo "run.sh: /usr/bin/time is missing (Debian: apt-get install time)" >&2; exit 2; }
tests/setup/venv.sh build/peers benches/peers.txt
mkdir -p build/bench
bin=$(realpath "${CARGO_TARGET_DIR:-target}")/release
if [ $# = 0 ]; then set -- probe tagger index wheelhouse vendor; fi
for name in "$@"; do
  [ -f "benches/$name.py" ] || { echo "run.sh: no benchmark is called $name" >&2; exit 2; }
  echo "== $name" >&2
  PATH="$bin:$PWD/build/peers/bin:$PATH" build/peers/bin/python "benches/$name.py" >"build/bench/$name.md.new"
  mv "build/bench/$name.md.new" "build/bench/$name.md"
done
build/peers/bin/python benches/assemble.py
