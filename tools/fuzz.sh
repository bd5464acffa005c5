#!/usr/bin/env bash
# Runs every fuzz target of the module for a bounded number of inputs each. FUZZ_INPUTS sets another number.
#
# Inputs are counted, not timed: Go up to 1.26 may fail a target with "context deadline exceeded" and no failing input
# when -fuzztime is a duration that ends on a busy machine (golang/go#75804).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
inputs=${FUZZ_INPUTS:-20000}

# git finds the packages that have a target, so that no other test binary is linked; the binary names its targets.
packages=$(git grep -l --untracked '^func Fuzz' -- '*_test.go' | xargs -r -n1 dirname | sort -u)
count=0
for package in $packages; do
  for target in $(go test -list '^Fuzz' "./$package" | grep '^Fuzz'); do
    echo "fuzz: $target in $package"
    go test -run '^$' -fuzz "^$target\$" -fuzztime "${inputs}x" -fuzzminimizetime 100x -timeout 5m "./$package"
    count=$((count + 1))
  done
done
echo "fuzz: $count targets, $inputs inputs each"
