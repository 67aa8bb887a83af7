#!/usr/bin/env bash
# build.sh WHEELDIR REPO TAG DEST: an image of wheels, as `docker buildx bake` publishes it, without a daemon.
#
# REPO is a wheel repository (pytorch-wheel); its image is the stage `wheel` of the real docker/Dockerfile.<name>. The
# stage that it copies from runs compilers on a ROCm image; its place is taken by a folder with WHEELDIR's wheels in
# dist/. DEST is `oci:FOLDER` (an image named REPO:TAG is added to that OCI layout) or `docker://HOST:PORT/PATH` (a
# registry without TLS). VCS_REF, when set, is the label org.opencontainers.image.revision.
#
# Needs buildah and root, no network. Everything it keeps is below build/wheel-images.
set -euo pipefail

fail() {
  echo "build.sh: $1" >&2
  exit 2
}

[ $# = 4 ] || fail "four arguments are needed: WHEELDIR REPO TAG DEST"
wheels=$1 repo=$2 tag=$3 dest=$4
root=$(cd "$(dirname "$0")/../.." && pwd)
dockerfile=$root/docker/Dockerfile.${repo%-wheel}

command -v buildah >/dev/null || fail "buildah is missing; install it (Debian and Ubuntu: apt-get install buildah)"
case $repo in *-wheel) ;; *) dockerfile= ;; esac
[ -f "$dockerfile" ] || fail "$repo is not a wheel repository of docker/"
compgen -G "$wheels/*.whl" >/dev/null || fail "$wheels holds no wheel"
case $dest in
oci:*) reference=$dest:$repo:$tag ;;
docker://*) reference=$dest/$repo:$tag ;;
*) fail "$dest is neither oci:FOLDER nor docker://HOST:PORT/PATH" ;;
esac

# Several may run at once, on one storage; what one run builds is its own.
state=$root/build/wheel-images
mkdir -p "$state"
work=$(mktemp -d "$state/run-XXXXXX")
trap 'rm -rf "$work"' EXIT
cat >"$work/storage.conf" <<EOF
[storage]
driver = "vfs"
graphroot = "$state/storage"
runroot = "$state/run"
EOF
echo '{"default": [{"type": "insecureAcceptAnything"}]}' >"$work/policy.json"
export CONTAINERS_STORAGE_CONF=$work/storage.conf

# Only the stage itself: buildah would run every stage above it.
sed -n '/^FROM .* AS wheel$/,/^FROM .* AS /{/^FROM .* AS wheel$/p;/^FROM /!p}' "$dockerfile" >"$work/Dockerfile"
mkdir -p "$work/build/dist" "$work/context"
ln -L "$wheels"/*.whl "$work/build/dist/" 2>/dev/null || cp "$wheels"/*.whl "$work/build/dist/"

image=localhost/wheel-images/$(basename "$work" | tr '[:upper:]' '[:lower:]')
buildah bud --quiet --isolation chroot --signature-policy "$work/policy.json" --timestamp 0 \
  --label "org.opencontainers.image.revision=${VCS_REF:-}" --build-context "build=$work/build" \
  --file "$work/Dockerfile" --tag "$image" "$work/context" >/dev/null
trap 'buildah rmi --force "$image" >/dev/null; rm -rf "$work"' EXIT
buildah push --quiet --signature-policy "$work/policy.json" --tls-verify=false --format oci "$image" "$reference"
