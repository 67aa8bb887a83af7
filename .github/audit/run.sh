#!/usr/bin/env bash
# Audits $INDEX for $ARCHITECTURES (empty: those of docker/build.mk) and $PYTHON, with $FLAGS.
# Leaves audit/audit.json and audit/summary.md, and audit/known.json for the next time. Exits as index-audit does.
set -euo pipefail

: "${INDEX:?}" "${PYTHON:=3.14}"
if [ -z "${ARCHITECTURES:-}" ]; then
  ARCHITECTURES=$(sed -n 's/^ARCHES ?= //p' docker/build.mk | tr ' ' ',')
fi
read -ra flags <<<"${FLAGS:-}"
mkdir -p audit
if [ -s last-audit/known.json ]; then
  flags+=(--previous last-audit/known.json)
  cp last-audit/known.json audit/known.json
fi

make --silent build/clients/.installed
cargo build --quiet --release --locked --package index-audit

code=0
PATH="$PWD/build/clients/bin:$PATH" "${CARGO_TARGET_DIR:-target}/release/index-audit" \
  --index "$INDEX" --arch "$ARCHITECTURES" --python "$PYTHON" --summary audit/summary.md "${flags[@]}" \
  >audit/audit.json 2>audit/errors.txt || code=$?
cat audit/errors.txt >&2

if [ "$code" = 0 ] || [ "$code" = 1 ]; then
  cp audit/audit.json audit/known.json
else
  # shellcheck disable=SC2016 # the backticks are Markdown
  printf '# `%s` could not be audited\n\n```\n%s\n```\n' "$INDEX" "$(cat audit/errors.txt)" >audit/summary.md
fi
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
  cat audit/summary.md >>"$GITHUB_STEP_SUMMARY"
fi
exit "$code"
