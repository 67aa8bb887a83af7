#!/usr/bin/env bash
# What CI refuses, each step named. The lint tools are prebuilt and pinned in build/oracles.
set -euo pipefail
cd "$(dirname "$0")/../.."
bin=build/oracles/bin
step() { printf '== %s\n' "$*" >&2; "$@"; }

mapfile -t scripts < <(git ls-files '*.sh' .ci/run)
mapfile -t dockerfiles < <(git ls-files 'docker/Dockerfile.*')
step cargo fmt --all --check
step cargo clippy --workspace --all-targets --all-features --locked --quiet -- --deny warnings
step cargo test --package pipe --features schema --test schemas --locked --quiet
step "$bin/python" tests/lint/dependencies.py
step "$bin/typos"
step "$bin/shellcheck" "${scripts[@]}"
step "$bin/ruff" check --quiet .
step "$bin/hadolint" "${dockerfiles[@]}"
step cargo run --quiet --locked --package check-defaults
