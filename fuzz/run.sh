#!/usr/bin/env bash
# run.sh [TARGET]… : runs the fuzzers for FUZZ_SECONDS each (60), one after another, from the seeds and from what
# earlier runs found. Everything is left under build/fuzz; an input that breaks something is in build/fuzz/broken.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
    echo "fuzz/run.sh: $1" >&2
    exit 2
}

read -r -a targets <<<"${*:-elf device metadata archive}"
seconds=${FUZZ_SECONDS:-60}
host=$(rustc -vV | sed -n 's/^host: //p')
[[ -n $host ]] || fail "there is no rustc; install a Rust toolchain"
case $host in
    *-linux-gnu* | *-apple-darwin) ;;
    *) fail "libFuzzer is not known to run on $host; the seeded mutation tests of \`make test\` run everywhere" ;;
esac
command -v "${CXX:-c++}" >/dev/null || fail "libFuzzer is C++ and there is no \`${CXX:-c++}\`; install g++ or clang++, or set CXX"

# The instrumentation that libFuzzer reads, by flags that a stable compiler takes. --target keeps it away from
# build scripts.
flags="--cfg fuzzing -Cpasses=sancov-module -Ccodegen-units=1"
for option in level=4 inline-8bit-counters pc-table trace-compares; do
    flags+=" -Cllvm-args=-sanitizer-coverage-$option"
done
echo "building the fuzzers: ${targets[*]}" >&2
bins=()
for target in "${targets[@]}"; do
    bins+=(--bin "$target")
done
# The versions of the workspace; only libFuzzer's own come beside them.
cp Cargo.lock fuzz/Cargo.lock
RUSTFLAGS="$flags" cargo build --quiet --release --manifest-path fuzz/Cargo.toml \
    --target "$host" --target-dir build/fuzz/target "${bins[@]}" ||
    fail "the fuzzers cannot be built with this toolchain ($(rustc --version)); the seeded mutation tests of \`make test\` run everywhere"

python3 fuzz/seeds.py build/fuzz/seeds
mkdir -p build/fuzz/broken
broken=0
for target in "${targets[@]}"; do
    mkdir -p "build/fuzz/found/$target"
    inputs=("build/fuzz/found/$target" "build/fuzz/seeds/$target")
    if [[ -d fuzz/regressions/$target ]]; then
        inputs+=("fuzz/regressions/$target")
    fi
    echo "$target: $seconds seconds" >&2
    "build/fuzz/target/$host/release/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -max_len=16384 \
        -dict=fuzz/words.txt -artifact_prefix="build/fuzz/broken/$target-" -print_final_stats=1 -verbosity=0 \
        "${inputs[@]}" 2>"build/fuzz/$target.log" || {
        broken=1
        tail -n 30 "build/fuzz/$target.log" >&2
        continue
    }
    sed -n 's/^stat::number_of_executed_units: */  inputs tried: /p; s/^stat::peak_rss_mb: */  most memory, MB: /p' "build/fuzz/$target.log" >&2
done
rm -rf /dev/shm/rocm-bake-fuzz-*
if ((broken)); then
    echo "fuzz/run.sh: an input broke something; it is in build/fuzz/broken; put it into fuzz/regressions, which tests read" >&2
    exit 1
fi
