#!/usr/bin/env bash
# Runs every fuzz target of the module for a few seconds. FUZZ_TIME sets another duration.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
duration=${FUZZ_TIME:-5s}

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Up to Go 1.26 a target can fail with this line alone when its time runs out on a busy machine (golang/go#75804). A
# target that has really failed has written its input down and says so.
out_of_time() {
  grep -qx ' *context deadline exceeded' "$log" && ! grep -q 'Failing input written' "$log"
}

# git finds the packages that have a target, so that no other test binary is linked; the binary names its targets.
packages=$(git grep -l --untracked '^func Fuzz' -- '*_test.go' | xargs -r -n1 dirname | sort -u)
count=0
for package in $packages; do
  targets=$(go test -list '^Fuzz' "./$package" | grep '^Fuzz')
  for target in $targets; do
    echo "fuzz: $target in $package"
    go test -run '^$' -fuzz "^$target\$" -fuzztime "$duration" -fuzzminimizetime 100x -timeout 5m "./$package" 2>&1 |
      tee "$log" || out_of_time
    count=$((count + 1))
  done
done
echo "fuzz: $count targets, $duration each"
