#!/usr/bin/env bash
# Regenerates the Go code of the APIs into a scratch folder and compares it with what is committed: a stale file, a
# missing one and one whose .proto is gone all fail.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
bin/tools/buf generate -o "$fresh"
if ! diff -r -x '*.proto' proto/rookery "$fresh/proto/rookery"; then
  echo "generated code is out of date: run bin/tools/task generate" >&2
  exit 1
fi
