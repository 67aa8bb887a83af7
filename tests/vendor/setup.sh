#!/usr/bin/env bash
# setup.sh: the linkers whose output wheel-vendor's tests graft, and the judge of the result; installed only where missing.
set -euo pipefail

missing=()
command -v gcc >/dev/null || missing+=(gcc libc6-dev)
command -v g++ >/dev/null || missing+=(g++)
command -v ld.lld >/dev/null || missing+=(lld)
command -v mold >/dev/null || missing+=(mold)
command -v eu-elflint >/dev/null || missing+=(elfutils)
if [ ${#missing[@]} -gt 0 ]; then
  if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
    echo "setup.sh: missing: ${missing[*]}; install them (Debian: apt-get install ${missing[*]})" >&2
    exit 2
  fi
  echo "setup.sh: installing Debian's ${missing[*]}" >&2
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi
