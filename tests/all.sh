#!/usr/bin/env bash
# All tests. Needs Rust (with rustfmt and clippy, which a default installation has) and an adapter
# for the GPU engine: the one that CTM_ADAPTER names, else a real GPU, else a software adapter of
# Vulkan, which is installed where there is none (Debian, Ubuntu and the like, as root or with a
# sudo that asks for no password). The tests in a browser need Chromium, which is installed likewise, and
# those of the playground what web/build.sh needs. Where these cannot be had, the tests are left out, with the
# reason. Works from any folder. Stops at the first step that fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
    printf 'tests/all.sh: %s\n' "$*" >&2
    exit 1
}

# Runs a command, and says what it took.
step() {
    local TIMEFORMAT='-- %U s user, %S s system, %R s by the clock'
    printf '\n== %s\n' "$*"
    time "$@"
}

as_root() {
    if [[ $(id -u) == 0 ]]; then "$@"; else sudo -n "$@"; fi
}

# A step that cannot run is a failure, not a step left out.
for tool in fmt clippy; do
    if ! cargo "$tool" --version >/dev/null 2>&1; then
        fail "cargo $tool is missing; 'rustup component add rustfmt clippy' adds it"
    fi
done

target=$(cargo metadata --locked --no-deps --format-version 1 |
    sed 's/.*"target_directory":"\([^"]*\)".*/\1/')

adapters() {
    "$target/debug/ctm" info --adapters
}

# The number of the first software adapter; nothing if there is none.
software() {
    adapters | sed -n '/^[0-9]*: .*, software)$/{s/:.*//p;q;}'
}

install_software_adapter() {
    local packages=(mesa-vulkan-drivers libvulkan1)
    local missing="there is no Vulkan adapter, which the tests of the GPU engine need:"
    if ! command -v apt-get >/dev/null; then
        fail "$missing install a Vulkan driver (Mesa's lavapipe runs on any CPU) and its loader"
    fi
    if ! as_root true 2>/dev/null; then
        fail "$missing install the packages ${packages[*]} as root, then run this again"
    fi
    if ! step as_root apt-get update ||
        ! step as_root env DEBIAN_FRONTEND=noninteractive \
            apt-get install --yes --no-install-recommends "${packages[@]}"; then
        fail "$missing installing the packages ${packages[*]} failed"
    fi
}

# Whether there is a browser for tests/browser, which has the same list.
browser() {
    local name
    for name in ${CTM_CHROMIUM:-chromium chromium-browser google-chrome google-chrome-stable}; do
        if command -v "$name" >/dev/null; then
            return 0
        fi
    done
    return 1
}

install_browser() {
    local missing="there is no Chromium, so the tests in a browser are ignored:"
    if ! command -v apt-get >/dev/null; then
        printf '%s install Chromium to run them\n' "$missing"
    elif ! as_root true 2>/dev/null; then
        printf '%s install the package chromium as root to run them\n' "$missing"
    elif ! step as_root apt-get update ||
        ! step as_root env DEBIAN_FRONTEND=noninteractive \
            apt-get install --yes --no-install-recommends chromium; then
        printf '%s installing the package chromium failed\n' "$missing"
    fi
}

# The Python package is not one of the default members: without it nothing here needs Python.
python=false
if python3 -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
    python=true
fi

step cargo fmt --all --check
# All packages at once: what they share has the features of all then, and is checked once.
packages=(--workspace)
$python || packages+=(--exclude ctm-python)
step cargo clippy --locked "${packages[@]}" --all-targets -- -D warnings
step env RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps

step tests/features.sh
# Without the features `gpu`, `compiler` and `screen` there is no wgpu, no naga and no ratatui.
alone=(--locked --package ctm --no-default-features --features ctm/command)
step cargo clippy "${alone[@]}" -- -D warnings
if cargo tree "${alone[@]}" --edges normal | grep -E ' (wgpu|naga|ratatui)[ -]'; then
    fail "without the features gpu, compiler and screen these packages are built all the same"
fi

# The code generator knows no front end.
if cargo tree --locked --package ctm-codegen --edges normal | grep -E ' naga[ -]'; then
    fail "ctm-codegen depends on naga"
fi

# What the page has, too, which is not one of the default members.
tests=(--locked --workspace --exclude ctm-python)
step cargo test "${tests[@]}" --no-run
if [[ -z ${CTM_ADAPTER:-} ]] && ! grep -q '^--engine auto: adapter ' <<<"$(adapters)"; then
    if [[ -z $(software) ]]; then
        install_software_adapter
    fi
    CTM_ADAPTER=$(software)
    if [[ -z $CTM_ADAPTER ]]; then
        adapters >&2
        fail "there is no Vulkan adapter, though a driver for the CPU is installed"
    fi
    export CTM_ADAPTER
fi
printf '\n'
adapters

# The tests that need an adapter are ignored otherwise (tests/common/mod.rs). Compiled pipelines
# stay in the build folder.
mkdir -p "$target/pipelines"
export CTM_CACHE_DIR=$target/pipelines CTM_REQUIRE_GPU=1
if [[ -z ${CTM_CHROMIUM:-} ]] && ! browser; then
    install_browser
fi

# The page for tests/playground.
skipped=()
if ! browser; then
    skipped=(--skip in_chromium:: --skip in_the_page::)
else
    status=0
    step web/build.sh --test || status=$?
    case $status in
        0)
            step web/node_modules/.bin/tsc --project web
            step node --test web/tests/*.test.mjs
            ;;
        77)
            printf '\nleft out: the tests of the playground, because its page cannot be made here\n'
            skipped=(--skip in_the_page::)
            ;;
        *) fail "web/build.sh ends with status $status" ;;
    esac
fi
step cargo test "${tests[@]}" -- --include-ignored "${skipped[@]}"
if ! browser; then
    step cargo test --locked --test browser --test playground
fi
step cargo run --locked --example embed

if $python; then
    status=0
    step python/test.sh || status=$?
    case $status in
        0) ;;
        77) printf '\nleft out: python/test.sh, because pip installs nothing here\n' ;;
        *) fail "python/test.sh ends with status $status" ;;
    esac
else
    printf '\nleft out: python/test.sh, which needs Python 3.10 or later with venv\n'
fi

printf '\nAll steps passed.\n'
