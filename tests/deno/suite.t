#!/bin/bash
# suite.t - runs the tests of the Deno binding with Deno's own test runner.
# CAPRUN_DENO_TESTS=tests/deno/library_test.ts runs one file alone.
set -o pipefail
cd "$(dirname "$0")/../.." || exit 1

skip()
{
    if [ "${CAPRUN_MUST_WORK-}" = 1 ] || [ -n "${CI-}" ]; then
        echo "Bail out! cannot be skipped here: $1"
        exit 1
    fi
    echo "1..0 # SKIP $1"
    exit 0
}

build=${CAPRUN_BUILD:-$PWD/build}
[ "$(basename "$build")" = build ] || skip 'a sanitized library needs a sanitized program'
tests/deno/deno --version >/dev/null 2>&1 || skip 'there is no Deno; make test-deno gets it'

export CAPRUN_LIB="$build/libcaprun.so.0"
# Debian's prove knows TAP version 13; version 14 is the same for the parts used here.
tests/deno/deno test --allow-all --quiet --reporter=tap --no-check --config host/bindings/deno/deno.json "${CAPRUN_DENO_TESTS:-tests/deno}" |
    sed -u '1{/^TAP version/d}'
