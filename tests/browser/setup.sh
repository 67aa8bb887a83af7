#!/usr/bin/env bash
# setup.sh: the headless browser and its driver for the landing page's tests; installed only where something is missing.
# Debian's chromium and node come by apt-get, the node modules by npm into build/browser, from the registry that the
# user's npm is configured for.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
modules=$here/../../build/browser

missing=()
command -v chromium >/dev/null || missing+=(chromium fonts-dejavu-core)
command -v node >/dev/null || missing+=(nodejs)
command -v npm >/dev/null || missing+=(npm)
if [ ${#missing[@]} -gt 0 ]; then
  if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
    echo "setup.sh: missing: ${missing[*]}; install them (Debian: apt-get install ${missing[*]})" >&2
    exit 2
  fi
  echo "setup.sh: installing Debian's ${missing[*]}" >&2
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

mkdir -p "$modules"
if ! cmp -s "$here/package-lock.json" "$modules/.installed"; then
  cp "$here/package.json" "$here/package-lock.json" "$here/.npmrc" "$modules/"
  npm ci --prefix "$modules" --ignore-scripts --no-audit --no-fund --silent
  cp "$here/package-lock.json" "$modules/.installed"
fi
