#!/usr/bin/env bash
# Makes the playground: one file, target/web/page/index.html, that any static server serves and that opens from disk.
# Needs Rust with the target wasm32-unknown-unknown (`rustup target add wasm32-unknown-unknown`, which this tries), and
# Node.js 20 or newer with npm. Where rustup cannot have the target, Debian's packages of Rust for browsers are
# downloaded and unpacked below target/web, not installed, and build the standard library, too; it is kept there.
# CTM_HOME=ADDRESS: the page links to the project there.
# --test: for tests, hardly optimised, which builds several times faster.
# Status 77: the target, Node.js or its packages cannot be had here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

missing() {
    printf 'web/build.sh: %s\n' "$*" >&2
    exit 77
}

profile=web
case ${1:-} in
    --test) profile=web-test ;;
    '') ;;
    *)
        printf 'usage: web/build.sh [--test]\n' >&2
        exit 2
        ;;
esac

command -v node >/dev/null && command -v npm >/dev/null || missing 'Node.js with npm is missing'
node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' || missing 'Node.js is older than version 20'

triple=wasm32-unknown-unknown
built=$(pwd)/target/web
mkdir -p "$built/page"

# Whether the compiler has the standard library for the target.
has_target() {
    [[ -n $(find "$(rustc --print target-libdir --target "$triple" 2>/dev/null)" -name 'libstd-*.rlib' 2>/dev/null) ]]
}

# The first package that another one depends on and whose name matches.
depends() {
    apt-cache depends "$1" 2>/dev/null | sed -n 's/^ *Depends: //p' | grep -E -m 1 "$2" || true
}

# Debian's Rust for browsers: its compiler, the source of its library and its linker, unpacked.
debian() {
    local root=$built/debian
    if [[ ! -x $root/usr/bin/rustc ]]; then
        command -v apt-get >/dev/null && command -v dpkg >/dev/null ||
            missing "'rustup target add $triple' failed, and this is no Debian"
        local library llvm packages
        library=$(depends libstd-rust-web-dev '^libstd-rust-web-[0-9]')
        llvm=$(depends "$library" '^libllvm[0-9]')
        [[ -n $llvm ]] || missing 'neither rustup nor apt-get has Rust for the target (apt-get update may help)'
        packages=(rustc-web rust-web-src libstd-rust-web-dev "$library" "$llvm" "lld-${llvm#libllvm}" libz3-4)
        rm -rf "$root.part"
        mkdir -p "$root.part/archives"
        (cd "$root.part/archives" && apt-get download "${packages[@]}") || missing 'apt-get download failed'
        local archive
        for archive in "$root".part/archives/*.deb; do
            dpkg -x "$archive" "$root.part"
        done
        rm -rf "$root.part/archives"
        mv "$root.part" "$root"
    fi
    local libraries linker
    libraries=$(dirname "$(find "$root/usr/lib" -name 'libLLVM.so*' | head -n 1)")
    linker=$(find "$root/usr/bin" -name 'wasm-ld-*' | head -n 1)
    [[ -n $linker ]] || missing 'the packages have no wasm-ld'
    export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export RUSTC=$root/usr/bin/rustc CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=$linker
    # Debian's compiler is a stable one, to which building the standard library is not open.
    export RUSTC_BOOTSTRAP=1
}

flags=(--locked --package ctm-web --lib --profile "$profile" --target "$triple" --target-dir "$built")
if ! has_target && ! { command -v rustup >/dev/null && rustup target add "$triple" >/dev/null 2>&1; }; then
    printf 'rustup has no target %s here; Debian has\n' "$triple"
    debian
    flags+=(-Z "build-std=std,panic_abort")
fi
export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS='-C target-feature=+simd128'
# The recursion of parsers needs more stack than the usual MiB.
cargo rustc "${flags[@]}" -- -C link-arg=-zstack-size=8388608
module=$built/$triple/$profile/ctm_web.wasm

(cd web && npm ci --no-audit --no-fund --ignore-scripts --loglevel=error) || missing 'npm has not the packages'
printf 'the module: %s bytes, %s after gzip -9\n' "$(wc -c <"$module")" "$(gzip -9c "$module" | wc -c)"
node web/pack.mjs "$module" kernels "$built/page/index.html"
printf 'python3 -m http.server --directory target/web/page 8000    # then open http://localhost:8000\n'
