#!/usr/bin/env bash
# All tests. Needs Rust (with rustfmt and clippy, which a default installation has) and nothing
# else; works from any folder. Stops at the first step that fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# A step that cannot run is a failure, not a step left out.
for tool in fmt clippy; do
    if ! cargo "$tool" --version >/dev/null 2>&1; then
        echo "tests/all.sh: cargo $tool is missing; 'rustup component add rustfmt clippy' adds it" >&2
        exit 1
    fi
done

step() {
    printf '\n== %s\n' "$*"
    "$@"
}

step cargo fmt --check
step cargo clippy --locked --all-targets -- -D warnings
step env RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps
step cargo test --locked

printf '\nAll steps passed.\n'
