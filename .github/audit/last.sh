#!/usr/bin/env bash
# Fetches what the last audit of $INDEX in $GH_REPO knew into last-audit/, if there was one, and names this one's artifact.
set -euo pipefail

: "${INDEX:?}" "${GH_REPO:?}"
artifact=index-audit-$(tr -cs 'A-Za-z0-9' '-' <<<"$INDEX" | sed 's/^-*//; s/-*$//')
run=$(gh api "repos/$GH_REPO/actions/artifacts?per_page=1&name=$artifact" --jq '.artifacts[0].workflow_run.id // empty')
if [ -n "$run" ]; then
  gh run download "$run" --name "$artifact" --dir last-audit
fi
echo "artifact=$artifact" >>"${GITHUB_OUTPUT:-/dev/stdout}"
