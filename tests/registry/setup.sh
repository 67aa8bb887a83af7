#!/usr/bin/env bash
# Debian's docker-registry for the tests, only where there is none: unpacked into build/registry, not installed,
# because the package would start a service of its own. Needs no root.
set -euo pipefail
cd "$(dirname "$0")/../.."
target=$PWD/build/registry

if command -v docker-registry >/dev/null || [ -x "$target/usr/bin/docker-registry" ]; then
  exit 0
fi
if ! command -v apt-get >/dev/null; then
  echo "tests/registry/setup.sh: no docker-registry and no apt-get to fetch it with; put Docker's registry (2.8 or later) into the PATH as docker-registry" >&2
  exit 1
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
if ! apt-get -o APT::Sandbox::User=root -qq download docker-registry 2>log; then
  # A fresh container has no package lists yet.
  mkdir -p lists/partial cache/archives/partial
  own=(-o Dir::State::lists="$scratch/lists" -o Dir::Cache="$scratch/cache" -o APT::Sandbox::User=root -qq)
  if ! { apt-get "${own[@]}" update && apt-get "${own[@]}" download docker-registry; } 2>>log; then
    cat log >&2
    echo "tests/registry/setup.sh: apt-get cannot fetch docker-registry, see above; put Docker's registry (2.8 or later) into the PATH as docker-registry" >&2
    exit 1
  fi
fi
dpkg-deb -x docker-registry_*.deb unpacked
mkdir -p "$(dirname "$target")"
rm -rf "$target"
mv unpacked "$target"
