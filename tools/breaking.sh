#!/usr/bin/env bash
# Compares the APIs with the version that users of main have: where this branch left main or, on main itself, the
# commit before. Passes, saying so, while there is no such version.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

base=$(git merge-base HEAD main 2>/dev/null || git merge-base HEAD origin/main 2>/dev/null || true)
if [[ -z $base || $base == "$(git rev-parse HEAD)" ]]; then
  base=$(git rev-parse --quiet --verify HEAD^ || true)
fi
if [[ -z $base || -z $(git ls-tree -r --name-only "$base" proto/rookery) ]]; then
  echo "buf breaking: no earlier version of the APIs to compare with"
  exit 0
fi

before=$(mktemp -d)
trap 'rm -rf "$before"' EXIT
git archive "$base" proto buf.yaml | tar -x -C "$before"
echo "buf breaking: comparing with $(git log -1 --format='%h %s' "$base")"
bin/tools/buf breaking --against "$before"
