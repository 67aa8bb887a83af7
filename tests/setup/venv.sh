#!/usr/bin/env bash
# venv.sh FOLDER LOCK: a virtual environment with exactly what LOCK pins, from the index that the user's
# pip is configured for. It is built beside its place and is whole once FOLDER/.installed is there.
set -euo pipefail
folder=$1 lock=$2
want=$(sha256sum <"$lock")
if [ -f "$folder/.installed" ] && [ "$(cat "$folder/.installed")" = "$want" ]; then exit 0; fi

fail() { echo "venv.sh: $1" >&2; exit 2; }
command -v python3 >/dev/null || fail "python3 is missing; install Python 3.11 or newer"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
  fail "$(python3 --version) is too old; put Python 3.11 or newer first on PATH"
if ! python3 -c 'import venv, ensurepip' 2>/dev/null; then
  if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    echo "venv.sh: python3 has no venv module; installing Debian's python3-venv" >&2
    apt-get update -qq && apt-get install -y -qq python3-venv >/dev/null
  else
    fail "python3 has no venv module; install it (Debian and Ubuntu: apt-get install python3-venv)"
  fi
fi

rm -rf "$folder"
python3 -m venv "$folder"
"$folder/bin/python" -m pip install -q --disable-pip-version-check --require-hashes --only-binary :all: -r "$lock"
echo "$want" >"$folder/.installed"
