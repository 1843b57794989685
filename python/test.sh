#!/usr/bin/env bash
# Builds the wheel of the Python package, installs it in an environment of its own and tests it there.
# --all: a release wheel, and the tests of Ray and of the notebooks as well (several minutes).
# Works from any folder. Stops at the first step that fails. Status 77: pip cannot install the tools,
# for example without a network, so nothing was tested.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

all=false
case ${1:-} in
    --all) all=true ;;
    '') ;;
    *)
        printf 'usage: python/test.sh [--all]\n' >&2
        exit 2
        ;;
esac

target=$(cargo metadata --locked --no-deps --format-version 1 |
    sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
work=$target/python
venv=$work/venv
mkdir -p "$work"
if [[ ! -x $venv/bin/python ]]; then
    python3 -m venv "$venv"
fi
if ! "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    'maturin>=1.9.4,<2' numpy pytest mypy tqdm; then
    printf 'python/test.sh: pip cannot install maturin, numpy, pytest, mypy and tqdm\n' >&2
    exit 77
fi
profile=(--profile dev)
if $all; then
    profile=(--release)
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check ray pandas pyarrow jupyter
fi
rm -rf "$work/wheels"
# The linker of the extension must not look for Python's library: maturin sees to that.
"$venv/bin/maturin" build --locked "${profile[@]}" --interpreter "$venv/bin/python" \
    --out "$work/wheels"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps \
    "$work"/wheels/*.whl
# The tests run where the sources of the package are not: they test what is installed.
CTM_ROOT=$(cd .. && pwd)
export CTM_ROOT
rm -rf "$work/tests"
cp -r tests "$work/"
cd "$work"
if $all; then
    "$venv/bin/python" -m pytest --quiet --durations 10 tests --override-ini cache_dir="$work/cache"
else
    "$venv/bin/python" -m pytest --quiet --durations 10 tests --override-ini cache_dir="$work/cache" \
        --ignore tests/test_ray.py --ignore tests/test_notebooks.py
fi
"$venv/bin/python" -m mypy.stubtest --mypy-config-file "$CTM_ROOT/python/pyproject.toml" \
    --allowlist "$CTM_ROOT/python/tests/stubtest_allow.txt" --ignore-unused-allowlist ctm
printf 'python/test.sh: all steps passed\n'
