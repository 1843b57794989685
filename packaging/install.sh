#!/bin/sh
# Installs the C library and the command. Needs Rust and a POSIX shell. Tested on Linux; the names for
# macOS are not.
set -eu

usage() {
    cat <<'END'
Builds and installs ctm below a prefix:

  library  libctm, shared and static, its headers, and files for pkg-config and CMake
  command  bin/ctm, its man pages, and completions for bash, fish and zsh

Usage: packaging/install.sh [OPTIONS]

  --prefix DIR    where everything will be used; default: /usr/local
  --libdir DIR    the folder for libraries, below the prefix; default: lib
  --profile NAME  Cargo's profile; default: release
  --only PART     only the `library` or the `command`
  --uninstall     remove what these options install, and build nothing
  --help          print this

DESTDIR, if set, goes in front of every path that is written to, as packagers expect.
docs/c-api.md says how to compile and link a client.
END
}

fail() {
    printf 'install.sh: %s\n' "$*" >&2
    exit 2
}

prefix=/usr/local
libdir=lib
profile=release
only=
uninstall=
while [ $# -gt 0 ]; do
    case $1 in
    --help | -h)
        usage
        exit
        ;;
    --uninstall)
        uninstall=yes
        shift
        continue
        ;;
    --prefix | --libdir | --profile | --only) [ $# -gt 1 ] || fail "$1: expected a value; --help lists all options" ;;
    *) fail "$1: there is no such option; --help lists all" ;;
    esac
    case $1 in
    --prefix) prefix=$2 ;;
    --libdir) libdir=$2 ;;
    --profile) profile=$2 ;;
    --only) only=$2 ;;
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
case $only in
'' | library | command) ;;
*) fail "--only $only: expected library or command" ;;
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
case $profile in
dev) from=${CARGO_TARGET_DIR:-target}/debug ;;
*) from=${CARGO_TARGET_DIR:-target}/$profile ;;
esac
root=${DESTDIR-}$prefix
include=$root/include
lib=$root/$libdir
man=$root/share/man/man1
bash=$root/share/bash-completion/completions
fish=$root/share/fish/vendor_completions.d
zsh=$root/share/zsh/site-functions
cargo=${CARGO:-cargo}

if [ -n "$uninstall" ]; then
    if [ "$only" != command ]; then
        for header in include/*.h; do
            rm -f "$include/$(basename "$header")"
        done
        rm -f "$lib/libctm.a" "$lib/$built" "$lib/$soname" "$lib/$file" "$lib/pkgconfig/ctm.pc" \
            "$lib/cmake/ctm/ctm-config.cmake" "$lib/cmake/ctm/ctm-config-version.cmake"
        [ ! -d "$lib/cmake/ctm" ] || rmdir "$lib/cmake/ctm"
    fi
    if [ "$only" != library ]; then
        rm -f "$root/bin/ctm" "$man/ctm.1" "$man"/ctm-*.1 "$bash/ctm" "$fish/ctm.fish" "$zsh/_ctm"
    fi
    printf 'removed %s below %s\n' "${only:-library and command}" "$root"
    exit
fi

if [ "$only" != command ]; then
    # With the features of the command, so that both share one build. What the library does not use is
    # not linked.
    "$cargo" rustc --locked --package ctm --lib \
        --profile "$profile" --crate-type cdylib,staticlib -- -C "link-arg=$name"
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
    printf 'installed libctm %s below %s\n' "$version" "$root"
fi

if [ "$only" != library ]; then
    "$cargo" build --locked --package ctm --bin ctm --profile "$profile"
    install -d "$root/bin" "$man" "$bash" "$fish" "$zsh"
    install -m 755 "$from/ctm" "$root/bin"
    "$from/ctm" generate man "$man"
    "$from/ctm" generate completions bash >"$bash/ctm"
    "$from/ctm" generate completions fish >"$fish/ctm.fish"
    "$from/ctm" generate completions zsh >"$zsh/_ctm"
    chmod 644 "$man"/ctm*.1 "$bash/ctm" "$fish/ctm.fish" "$zsh/_ctm"
    printf 'installed ctm %s below %s\n' "$version" "$root"
fi
