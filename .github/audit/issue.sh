#!/usr/bin/env bash
# issue.sh SUMMARY: opens one issue about $INDEX, or updates the open one, with the summary and a link to $RUN.
set -euo pipefail

: "${INDEX:?}" "${RUN:?}"
title="Index audit: $INDEX"
body=$(mktemp)
trap 'rm -f "$body"' EXIT
# An issue holds 65536 characters; the whole document is with the run.
{ head -c 60000 "$1"; printf '\n\n[The run with its documents](%s)\n' "$RUN"; } >"$body"

open=$(gh issue list --state open --limit 500 --json number,title |
  TITLE=$title python3 -c 'import json, os, sys
print(min((one["number"] for one in json.load(sys.stdin) if one["title"] == os.environ["TITLE"]), default=""))')
if [ -n "$open" ]; then
  gh issue edit "$open" --body-file "$body"
  gh issue comment "$open" --body "Still so: $RUN"
else
  gh issue create --title "$title" --body-file "$body"
fi
