#!/bin/bash
# oldest.t - runs tests of the Deno binding with the oldest Deno that it supports.
cd "$(dirname "$0")" || exit 1
if [ "$(uname -m)" != x86_64 ]; then
    echo '1..0 # SKIP the oldest Deno is there only for x86-64'
    exit 0
fi
CAPRUN_DENO=oldest CAPRUN_DENO_TESTS=tests/deno/runtime_test.ts exec ./suite.t
