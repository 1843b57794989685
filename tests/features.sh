#!/usr/bin/env bash
# Fails if two of the builds that tests/all.sh makes would build a package twice, with different features, and
# says which. crates/workspace-hack is where a missing feature is added.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Packages of a build with their features, without our own.
built() {
    cargo tree --locked --prefix none --no-dedupe --edges "$edges" --format '{p} [{f}]' "$@" | grep -v '(/' | sort -u
}

edges=normal,build,dev
all=$(built --workspace)
status=0
compare() {
    local only
    only=$(comm -13 <(printf '%s\n' "$all") <(built "$@"))
    if [[ -n $only ]]; then
        printf 'tests/features.sh: cargo with %s builds otherwise than with --workspace:\n%s\n' "$*" "$only" >&2
        status=1
    fi
}
compare --workspace --exclude ctm-python
for package in base isa lang machine prove jobs tools inspect fuzz; do
    compare --package "ctm-$package"
done
edges=normal,build
compare
compare --package ctm
compare --package ctm-python
compare --package ctm --no-default-features --features command
compare --package ctm --no-default-features --features compiler,gpu
exit $status
