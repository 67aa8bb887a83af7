#!/usr/bin/env bash
# setup.sh: the real buildx, as the judge of what we evaluate: Debian's package, unpacked and not installed, in
# build/oracles/docker-buildx. It prints bake files without a daemon and without a network. Where it cannot be had, the
# answers in tests/buildx/golden.json judge alone, and build/oracles/docker-buildx.missing says why.
set -euo pipefail
cd "$(dirname "$0")/../.."
oracle=build/oracles/docker-buildx
release=trixie # the first release of Debian that has the package; its binary runs on older ones
if [ -x "$oracle" ]; then exit 0; fi
mkdir -p build/oracles

missing() {
  echo "setup.sh: no docker-buildx ($1); the recorded answers judge instead" >&2
  echo "$1" >"$oracle.missing"
  exit 0
}
for tool in apt-get dpkg-deb; do command -v "$tool" >/dev/null || missing "there is no $tool"; done
codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
grep -qx 'ID=debian' /etc/os-release && [ -n "$codename" ] || missing "this is not Debian"

# The machine's own sources with another release in them, in a scratch folder: nothing of the system changes.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch"/{parts,lists/partial,cache/archives/partial,unpacked}
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
  if [ -f "$file" ] && grep -q "$codename" "$file"; then
    sed "/^[[:space:]]*#/d; s/$codename/$release/g" "$file" >"$scratch/parts/$(basename "$file")"
  fi
done
apt=(apt-get -qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$scratch/parts"
  -o Dir::State::lists="$scratch/lists" -o Dir::Cache="$scratch/cache" -o APT::Sandbox::User=
  -o Acquire::Languages=none -o Acquire::Retries=2 -o Acquire::http::Timeout=30)
"${apt[@]}" update >&2 || echo "setup.sh: not every source has $release; trying without it" >&2
(cd "$scratch" && "${apt[@]}" download docker-buildx >&2) || missing "the package could not be downloaded"
dpkg-deb -x "$scratch"/docker-buildx_*.deb "$scratch/unpacked"
binary=$(find "$scratch/unpacked" -type f -name docker-buildx -perm -u+x)
"$binary" version >/dev/null 2>&1 || missing "the package's binary does not run here"
install -m 755 "$binary" "$oracle.new"
mv "$oracle.new" "$oracle"
rm -f "$oracle.missing"
