#!/bin/sh
# Builds the C library and installs it with its headers and its files for pkg-config and CMake
# (docs/c-api.md). Needs Rust and a POSIX shell. Tested on Linux; the names for macOS are not.
#
#   packaging/install.sh [--prefix DIR] [--libdir DIR] [--profile NAME]
#
#   --prefix DIR    where the library will be used; default: /usr/local
#   --libdir DIR    the folder for libraries, below the prefix; default: lib
#   --profile NAME  Cargo's profile; default: release
#
# DESTDIR, if set, goes in front of every path that is written to, as packagers expect.
set -eu

fail() {
    printf 'install.sh: %s\n' "$*" >&2
    exit 2
}

prefix=/usr/local
libdir=lib
profile=release
while [ $# -gt 0 ]; do
    [ $# -gt 1 ] || fail "$1: expected --prefix DIR, --libdir DIR or --profile NAME"
    case $1 in
    --prefix) prefix=$2 ;;
    --libdir) libdir=$2 ;;
    --profile) profile=$2 ;;
    *) fail "$1: expected --prefix DIR, --libdir DIR or --profile NAME" ;;
    esac
    shift 2
done
case $prefix in
/*) ;;
*) fail "--prefix $prefix: expected an absolute path" ;;
esac
case $prefix$libdir in
*[[:space:]\|\&\\]*) fail "$prefix, $libdir: expected paths without spaces, |, & and \\" ;;
esac
case $libdir in
/* | '') fail "--libdir $libdir: expected a path below the prefix, such as lib64" ;;
esac

cd "$(dirname "$0")/.."
version=$(sed -n '/^version = "/{s/.*"\(.*\)"/\1/p;q;}' Cargo.toml)
# Before 1.0 each minor version has an interface of its own.
series=${version%.*}
case $(uname -s) in
Darwin)
    built=libctm.dylib
    file=libctm.$version.dylib
    soname=libctm.$series.dylib
    name=-Wl,-install_name,@rpath/$soname
    ;;
*)
    built=libctm.so
    file=libctm.so.$version
    soname=libctm.so.$series
    name=-Wl,-soname,$soname
    ;;
esac

# Without what only the command needs.
"${CARGO:-cargo}" rustc --locked --package ctm --no-default-features --features gpu --lib \
    --profile "$profile" --crate-type cdylib,staticlib -- -C "link-arg=$name"
case $profile in
dev) from=${CARGO_TARGET_DIR:-target}/debug ;;
*) from=${CARGO_TARGET_DIR:-target}/$profile ;;
esac

include=${DESTDIR-}$prefix/include
lib=${DESTDIR-}$prefix/$libdir
install -d "$include" "$lib/pkgconfig" "$lib/cmake/ctm"
install -m 644 include/*.h "$include"
install -m 644 "$from/libctm.a" "$lib"
install -m 755 "$from/$built" "$lib/$file"
ln -sf "$file" "$lib/$soname"
ln -sf "$soname" "$lib/$built"

# CMake's file finds the prefix from where it is: one folder up for each one of this path.
up=$(printf '%s/cmake/ctm' "$libdir" | sed 's|[^/][^/]*|..|g')
fill() {
    sed -e "s|@prefix@|$prefix|" -e "s|@libdir@|$libdir|" -e "s|@version@|$version|" \
        -e "s|@series@|$series|" -e "s|@file@|$file|" -e "s|@soname@|$soname|" -e "s|@up@|$up|" \
        "packaging/$1.in" >"$2/$1"
    chmod 644 "$2/$1"
}
fill ctm.pc "$lib/pkgconfig"
fill ctm-config.cmake "$lib/cmake/ctm"
fill ctm-config-version.cmake "$lib/cmake/ctm"
printf 'installed libctm %s below %s\n' "$version" "${DESTDIR-}$prefix"
