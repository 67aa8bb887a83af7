#!/usr/bin/env bash
# setup.sh: buildah, which builds the wheel images in the tests; installed only where it is missing.
set -euo pipefail
if command -v buildah >/dev/null; then exit 0; fi
if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  echo "setup.sh: installing Debian's buildah" >&2
  apt-get update -qq && apt-get install -y -qq --no-install-recommends buildah >/dev/null
else
  echo "setup.sh: buildah is missing; install it (Debian and Ubuntu: apt-get install buildah) and run the tests as root" >&2
  exit 2
fi
