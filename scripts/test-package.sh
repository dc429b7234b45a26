#!/usr/bin/env bash
# Tries the packages of dist/ where nothing else is installed. Called by `make test-package`.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
wheel=$(ls dist/lanewise-*.whl) deb=$(ls dist/lanewise_*.deb) tar=$(ls dist/lanewise-*.tar.xz)
most=$((100 * 1000 * 1000))

say() { printf 'package: %s\n' "$*"; }
fail() {
    printf 'package: %s\n' "$*" >&2
    exit 1
}

say "the .tar"
mkdir "$work/tar"
tar -C "$work/tar" --strip-components=1 -xJf "$tar"
driver=$work/tar/lib/lanewise/liblanewise_opencl.so
(($(stat -c %s "$driver") < most)) || fail "the driver has $(stat -c %s "$driver") bytes"
needed=$(readelf -d "$driver" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p')
for library in $needed; do
    case $library in
        libc.so.6 | libm.so.6 | libgcc_s.so.1 | ld-linux-*) ;;
        *) fail "the driver needs $library" ;;
    esac
done
exported=$(nm -D --defined-only "$driver" | awk '{print $3}' | grep -v '^cl[GI]' || true)
[[ -z $exported ]] || fail "the driver exports $exported"
# Symbols that are nowhere are found when the library is loaded.
"$work/tar/bin/lanewise" run examples/saxpy.cl -k saxpy -g 1000 --arg 2.5 --arg iota:1000 --arg rand:1000 > /dev/null
[[ -s $work/tar/share/doc/lanewise/copyright.llvm ]] || fail "the licence of LLVM is not there"
man --warnings -l "$work/tar/share/man/man1/lanewise.1.gz" 2>&1 > /dev/null | grep . && fail "the manual page has mistakes"
bash -c "source $work/tar/share/bash-completion/completions/lanewise
    COMP_WORDS=(lanewise run --gl) COMP_CWORD=2; _lanewise; [[ \${COMPREPLY[*]} == --global ]]" || fail "bash completes nothing"

say "the wheel"
(($(stat -c %s "$wheel") < most)) || fail "the wheel has $(stat -c %s "$wheel") bytes"
[[ $wheel == *-py3-none-manylinux_2_*_"$(uname -m)".whl ]] || fail "the tag of $wheel"
[[ $(unzip -l "$wheel" | grep -c '\.so$') == 1 ]] || fail "the wheel should have one library"
for order in "$wheel pyopencl" "pyopencl $wheel"; do
    rm -rf "$work/venv"
    python3 -m venv "$work/venv"
    for package in $order; do "$work/venv/bin/pip" install -q "$package"; done
    env -u OCL_ICD_VENDORS -u LANEWISE_DRIVER "$work/venv/bin/python" python/tests/pyopencl_sees_it.py
done
"$work/venv/bin/pip" install -q pytest 'dask[array,distributed]'
env -u LANEWISE_DRIVER "$work/venv/bin/python" -m pytest -q python/tests
"$work/venv/bin/lanewise" --version > /dev/null
say "in one process with others"
# torch with all that it needs is 3 GB: `make test-package TORCH=1`.
"$work/venv/bin/pip" install -q llvmlite numba ${TORCH:+torch}
for first in lanewise others; do "$work/venv/bin/python" python/tests/with_other_compilers.py "$first"; done

say "the .deb in a bare Debian"
if ((EUID != 0)); then
    say "not tried: debootstrap needs root"
    exit
fi
debootstrap --variant=minbase --include=ocl-icd-libopencl1,clinfo bookworm "$work/debian" > "$work/debootstrap.log" 2>&1 ||
    { tail -5 "$work/debootstrap.log"; fail "debootstrap"; }
cp "$deb" examples/saxpy.cl "$work/debian/tmp"
chroot "$work/debian" dpkg -i "/tmp/$(basename "$deb")" > /dev/null
chroot "$work/debian" clinfo -l | grep Lanewise || fail "clinfo does not list the platform"
chroot "$work/debian" lanewise run /tmp/saxpy.cl -k saxpy -g 1000 --arg 2.5 --arg iota:1000 --arg rand:1000
chroot "$work/debian" dpkg -r lanewise > /dev/null
[[ ! -e $work/debian/usr/bin/lanewise ]] || fail "dpkg -r leaves the program"
say "all is well"
