#!/usr/bin/env bash
# checkout.sh REPOSITORY REF FOLDER: REF of a git repository, with its submodules, in FOLDER.
#
# REF is a tag, a branch or a commit, abbreviated or not; that is why it is not `git clone --branch`. Blobs come only
# for what is checked out, the commits and tags all: several projects count commits since a tag for their version.
set -euo pipefail
repository=$1 ref=$2 folder=$3

git clone --quiet --filter=blob:none --no-checkout "$repository" "$folder"
cd "$folder"
# A branch is known under origin/, a tag and a commit under their own names.
commit=$(git rev-parse --verify --quiet "$ref^{commit}" || git rev-parse --verify --quiet "origin/$ref^{commit}") || {
  echo "checkout.sh: $repository has no tag, branch or commit $ref" >&2
  exit 2
}
git -c advice.detachedHead=false checkout --quiet --detach "$commit"
git submodule --quiet update --init --recursive --depth 1 --jobs 8
echo "checkout.sh: $repository $ref is $commit"
